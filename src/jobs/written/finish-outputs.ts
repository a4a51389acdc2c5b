// SPDX-License-Identifier: MIT
// The last steps of every job with an output: its GLB is converted to the format of the output's name, the file is read back by the reader of that format, its errors
// are measured again there, and what the input holds and the file does not is listed.

import type { Asset } from '../../core/model/asset.ts';
import { InputError } from '../../core/model/errors.ts';
import { readAsset } from '../../formats/assets/index.ts';
import { listContents, listGlbContents } from '../../formats/gltf/index.ts';
import {
  describeLosses,
  type JobContext,
  type JobFacts,
  type JobSpec,
  type Loss,
  listLosses,
  type OutputFile,
} from '../engine/index.ts';
import { readWritten } from '../report/index.ts';
import {
  ALL_EXTENSIONS,
  besidePath,
  CHARACTER_EXTENSIONS,
  encodeCharacter,
  FRAMES_EXTENSIONS,
  isGlb,
} from '../shared/index.ts';
import { alignWritten } from './align-written.ts';
import { checkAvatars } from './check-avatars.ts';

/** Facts of a job whose files are final. */
export interface FinishedFacts extends JobFacts {
  losses: Loss[];
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
  /** Extensions of the GLB that was converted. */
  #made: readonly string[] = [];
  /** The output as its reader shows it, once it was needed. */
  #read?: Promise<Asset>;

  constructor(spec: JobSpec, facts: JobFacts, context: JobContext) {
    this.#spec = spec;
    this.#facts = facts;
    this.#context = context;
    this.#format = extensionOf(context.output);
  }

  async finish(): Promise<FinishedFacts> {
    const isGlbOfJob = this.#spec.output?.isCharacter === true && CHARACTER_EXTENSIONS.includes(this.#format);
    if (isGlbOfJob && !isGlb(this.#context.output)) await this.#convert();
    else if (this.#facts.measure && !this.#facts.metrics)
      await this.#measure(this.#facts.expected ?? this.#facts.inputs[0].asset);
    checkAvatars(this.#facts.files, (text) => this.#context.note(text));
    const losses = await this.#listLosses();
    this.#context.name(this.#context.output, this.#context.output);
    return { ...this.#facts, losses };
  }

  /** Converts the GLBs of the job to the format of the output, and measures that. */
  async #convert(): Promise<void> {
    const context = this.#context;
    const [{ asset: source }] = this.#facts.inputs;
    const files: OutputFile[] = [];
    let converted: Asset | undefined;
    for (const { path, bytes } of this.#facts.files) {
      if (extensionOf(path) !== this.#format || typeof bytes === 'string') {
        files.push({ path, bytes });
        continue;
      }
      const model = { ...(await readWritten(bytes)), up: source.up, metresPerUnit: source.metresPerUnit };
      const log = (text: string) => context.note(text);
      files.push(...(await context.finish('write', () => encodeCharacter(model, { path, log }))));
      converted ??= model;
    }
    const file = files.find(({ path }) => path === context.output)?.bytes.length;
    const bytes = { ...this.#facts.bytes, ...(file === undefined ? {} : { file }) };
    this.#facts = { ...this.#facts, files, bytes };
    if (!converted) return;
    this.#made = listContents(converted).extensions;
    await this.#measure(converted);
  }

  /**
   * Measures the file that is stored, in place of what was measured before.
   * @param expected what it is at rest
   */
  async #measure(expected: Asset): Promise<void> {
    const { measure, metrics: before } = this.#facts;
    if (!measure) return;
    const aligned = alignWritten(await this.#readOutput(), expected);
    if (!aligned) {
      const name = nameOf(this.#format);
      this.#context.note(
        `the vertices of the ${name} could not be matched with those of the result: ${before ? `the errors are those before it was written as ${name}` : 'its error was not measured'}`,
      );
      return;
    }
    const { metrics, result, gate = this.#facts.gate } = await measure(aligned);
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
      replaces: [...(this.#spec.replaces ?? []), ...replaces, ...(isSelected ? (['animations'] as const) : [])],
    });
  }

  /** Of several files of one format, such as levels, the first; frames and the mesh beside a cache are one input. */
  #readOutput(): Promise<Asset> {
    const { files } = this.#facts;
    const own = files.filter(({ path }) => extensionOf(path) === this.#format);
    const isFrames = FRAMES_EXTENSIONS.includes(this.#format);
    const beside = files.filter((file) => !own.includes(file) && extensionOf(file.path) === '.obj');
    this.#read ??= readBack(isFrames ? [...beside, ...own] : own.slice(0, 1), files);
    return this.#read;
  }
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
