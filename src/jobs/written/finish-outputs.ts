// SPDX-License-Identifier: MIT
// The last steps of every job with an output: its GLB is converted to the format of the output's name, the file is read back by the reader of that format, its errors
// are measured again there, and what the input holds and the file does not is listed.

import type { Asset } from '../../core/model/asset.ts';
import { InputError } from '../../core/model/errors.ts';
import { readAsset } from '../../formats/assets/index.ts';
import { listContents, listGlbContents } from '../../formats/gltf/index.ts';
import { TARGETS } from '../../formats/targets/index.ts';
import {
  describeLosses,
  type JobContext,
  type JobFacts,
  type JobSpec,
  type Loss,
  type LossKind,
  listLosses,
  type OutputFile,
  type ReportOutput,
  type ReportTarget,
} from '../engine/index.ts';
import { readWritten } from '../report/index.ts';
import {
  ALL_EXTENSIONS,
  besidePath,
  CHARACTER_EXTENSIONS,
  encodeCharacter,
  encodingOf,
  FRAMES_EXTENSIONS,
  fitGlb,
  isGlb,
} from '../shared/index.ts';
import { alignWritten } from './align-written.ts';
import { checkAvatars } from './check-avatars.ts';
import { countOutput } from './count-output.ts';

/** Facts of a job whose files are final. */
export interface FinishedFacts extends JobFacts {
  losses: Loss[];
  output?: ReportOutput;
  target?: ReportTarget;
}

/** Converts, measures and inspects the outputs of a job. Throws an InputError if --strict is given and something is lost. */
export async function finishOutputs(spec: JobSpec, facts: JobFacts, context: JobContext): Promise<FinishedFacts> {
  const finished = await new OutputFinisher(spec, facts, context).finish();
  const { losses } = finished;
  const lost = describeLosses(losses);
  for (const sentence of lost) context.note(sentence);
  if (losses.length > 0 && context.isStrict)
    throw new InputError(
      context.output,
      `was not written, because --strict is given and something would be lost: ${lost.join('; ')}`,
    );
  return finished;
}

class OutputFinisher {
  readonly #spec: JobSpec;
  readonly #context: JobContext;
  readonly #format: string;
  #facts: JobFacts;
  /** Names that bones had before they were written for a target, by their new names. */
  readonly #renamed = new Map<string, string>();
  /** Extensions of the GLB that was converted. */
  #made: readonly string[] = [];
  /** Files of the output as their reader shows them, once they were needed, by path. */
  readonly #read = new Map<string, Promise<Asset>>();

  constructor(spec: JobSpec, facts: JobFacts, context: JobContext) {
    this.#spec = spec;
    this.#facts = facts;
    this.#context = context;
    this.#format = extensionOf(context.output);
  }

  async finish(): Promise<FinishedFacts> {
    const isGlbOfJob = this.#spec.output?.isCharacter === true && CHARACTER_EXTENSIONS.includes(this.#format);
    const { target } = this.#context.settings;
    if (isGlbOfJob && (target || !isGlb(this.#context.output))) await this.#convert();
    else if (this.#facts.measure && !this.#facts.metrics)
      await this.#measure(this.#facts.expected ?? this.#facts.inputs[0].asset);
    checkAvatars(this.#facts.files, (text) => this.#context.note(text));
    const losses = await this.#listLosses();
    this.#context.name(this.#context.output, this.#context.output);
    return { ...this.#facts, ...(await this.#count()), losses, ...this.#describeTarget() };
  }

  /** Counts of the output. Frames of different vertices have none. */
  async #count(): Promise<{ output?: ReportOutput }> {
    const [own] = this.#listOwn();
    if (!this.#spec.output || !own || !ALL_EXTENSIONS.includes(this.#format)) return {};
    const isStored = isGlb(own.path) && typeof own.bytes !== 'string';
    const written = await (isStored ? readWritten(own.bytes as Uint8Array) : this.#readOutput());
    return written.sequence ? {} : { output: countOutput(written) };
  }

  #describeTarget(): { target?: ReportTarget } {
    const { settings, changes } = this.#context;
    const { target } = settings;
    return target ? { target: { name: target, title: TARGETS[target].title, changes } } : {};
  }

  /** Converts the GLBs of the job to the format of the output, and measures that. */
  async #convert(): Promise<void> {
    const context = this.#context;
    const [{ asset: source }] = this.#facts.inputs;
    const files: OutputFile[] = [];
    const converted: [path: string, model: Asset][] = [];
    for (const { path, bytes } of this.#facts.files) {
      if (extensionOf(path) !== this.#format || typeof bytes === 'string') {
        files.push({ path, bytes });
        continue;
      }
      const model = { ...(await readWritten(bytes)), up: source.up, metresPerUnit: source.metresPerUnit };
      const made = await context.finish('write', () => this.#encode(model, path));
      files.push(...(made ?? [{ path, bytes }]));
      if (made) converted.push([path, model]);
    }
    const file = files.find(({ path }) => path === context.output)?.bytes.length;
    const bytes = { ...this.#facts.bytes, ...(file === undefined ? {} : { file }) };
    this.#facts = { ...this.#facts, files, bytes };
    if (converted.length === 0) {
      if (this.#facts.measure && !this.#facts.metrics) await this.#measure(this.#facts.expected ?? source);
      return;
    }
    this.#made = listContents(converted[0][1]).extensions;
    for (const [path, model] of converted) await this.#measure(model, path);
  }

  /** The files of a GLB in the format of a path; undefined for a GLB that needs no change. */
  async #encode(model: Asset, path: string): Promise<OutputFile[] | undefined> {
    const encoding = { ...encodingOf(this.#context), path, renamed: this.#renamed };
    if (!isGlb(path)) return encodeCharacter(model, encoding);
    const fitted = await fitGlb(model, encoding, this.#context.storing);
    return fitted && [{ path, bytes: fitted }];
  }

  /**
   * Measures the file that is stored, in place of what was measured before.
   * @param expected what it is at rest
   * @param path one of several files of one format
   */
  async #measure(expected: Asset, path = this.#listOwn()[0]?.path): Promise<void> {
    const { measure, metrics: before, files } = this.#facts;
    const file = files.find((one) => one.path === path);
    if (!measure || !file) return;
    const aligned = alignWritten(await this.#readOutput(path), expected);
    if (!aligned) {
      const name = nameOf(this.#format);
      this.#context.note(
        `the vertices of the ${name} could not be matched with those of the result: ${before ? `the errors are those before it was written as ${name}` : 'its error was not measured'}`,
      );
      return;
    }
    const { metrics, result, gate = this.#facts.gate } = await measure(withNames(aligned, this.#renamed), file);
    this.#facts = {
      ...this.#facts,
      metrics: { ...before, ...metrics },
      result: { ...this.#facts.result, ...result },
      gate,
    };
  }

  async #listLosses(): Promise<Loss[]> {
    const { inputs, files, replaces = [] } = this.#facts;
    const input = inputs[0]?.asset;
    if (!this.#spec.output || !input || input.sequence || !ALL_EXTENSIONS.includes(this.#format)) return [];
    const own = files.find(({ path }) => extensionOf(path) === this.#format);
    if (!own) return [];
    const isStored = isGlb(own.path) && typeof own.bytes !== 'string';
    const after = isStored ? await listGlbContents(own.bytes as Uint8Array) : listContents(await this.#readOutput());
    const { command, options = {} } = this.#context.job;
    const isSelected = options.animation !== undefined || options.frames !== undefined;
    return listLosses(listContents(input), after, {
      ...{ command, format: this.#format, made: this.#made },
      replaces: [
        ...(this.#spec.replaces ?? []),
        ...replaces,
        ...(isSelected ? (['animations'] as const) : []),
        ...this.#listFitted(),
      ],
    });
  }

  /** What the target has in another form: nodes above a new root, animations in files of their own. */
  #listFitted(): LossKind[] {
    const { target } = this.#context.settings;
    const hasRoot = target !== undefined && TARGETS[target].root !== undefined;
    const hasTakes = this.#facts.files.some(({ isTake }) => isTake);
    return [...(hasRoot ? (['nodes'] as const) : []), ...(hasTakes ? (['animations'] as const) : [])];
  }

  /** Files of the output's format, without animations in files of their own. */
  #listOwn(): OutputFile[] {
    return this.#facts.files.filter(({ path, isTake }) => extensionOf(path) === this.#format && !isTake);
  }

  /**
   * Reads the output, or one of several files of its format, such as levels: with the animations that are in files of their own; frames and the mesh beside a cache are one
   * input.
   */
  #readOutput(path = this.#listOwn()[0].path): Promise<Asset> {
    const { files } = this.#facts;
    const own = this.#listOwn();
    const isFrames = FRAMES_EXTENSIONS.includes(this.#format);
    const beside = files.filter((file) => !own.includes(file) && extensionOf(file.path) === '.obj');
    const takes = own.length === 1 ? files.filter(({ isTake }) => isTake) : [];
    const first = isFrames ? [...beside, ...own] : own.filter((file) => file.path === path);
    const known = this.#read.get(path) ?? readTakes(first, takes, files);
    this.#read.set(path, known);
    return known;
  }
}

/** An asset whose bones have the names that the job knows. */
function withNames(asset: Asset, renamed: ReadonlyMap<string, string>): Asset {
  if (renamed.size === 0) return asset;
  const { nodes, rig } = asset;
  const restore = (names: readonly string[]): string[] => names.map((name) => renamed.get(name) ?? name);
  return {
    ...asset,
    nodes: { ...nodes, names: restore(nodes.names) },
    ...(rig ? { rig: { ...rig, skeleton: { ...rig.skeleton, names: restore(rig.skeleton.names) } } } : {}),
  };
}

/** Reads an output with its further animations, whose files have the same nodes. */
async function readTakes(
  first: readonly OutputFile[],
  takes: readonly OutputFile[],
  others: readonly OutputFile[],
): Promise<Asset> {
  const asset = await readBack(first, others);
  const animations = [...asset.animations];
  for (const take of takes) animations.push(...(await readBack([take], others)).animations);
  return { ...asset, animations };
}

/** Reads outputs as one input; `others` are files that they may refer to. */
function readBack(files: readonly OutputFile[], others: readonly OutputFile[]): Promise<Asset> {
  const bytesOf = ({ bytes }: OutputFile): Uint8Array =>
    typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  return readAsset(
    files.map((file) => ({ name: file.path, bytes: bytesOf(file) })),
    {
      resolve: async (uri) => {
        const found = others.find(({ path }) => path === besidePath(files[0].path, uri));
        if (!found) throw new InputError(uri, 'was not written');
        return bytesOf(found);
      },
    },
  );
}

const extensionOf = (path: string): string => /\.[^./\\]*$/.exec(path)?.[0].toLowerCase() ?? '';

/** Name of a format for people. */
const nameOf = (format: string): string => format.slice(1).toUpperCase();
