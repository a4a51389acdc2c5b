// SPDX-License-Identifier: MIT
// The last steps of every job with an output: its GLB is converted to the format of the output's name, the file is read back by the reader of that format, its errors
// are measured again there, and what the input holds and the file does not is listed.

import type { Asset } from '../../core/model/asset.ts';
import { InputError } from '../../core/model/errors.ts';
import { readAsset } from '../../formats/assets/index.ts';
import { type Contents, listContents, listGlbContents } from '../../formats/gltf/index.ts';
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
  const isCharacter = CHARACTER_EXTENSIONS.includes(extensionOf(context.output));
  const isConverted = spec.output?.isCharacter === true && isCharacter && !isGlb(context.output);
  const converted = isConverted ? await convertOutputs(facts, context) : await measureOutput(facts, context);
  checkAvatars(converted.files, (text) => context.note(text));
  const losses = await findLosses(spec, converted, context);
  context.name(context.output, context.output);
  const lost = describeLosses(losses);
  for (const sentence of lost) context.note(sentence);
  if (losses.length > 0 && context.isStrict)
    throw new InputError(
      context.output,
      `was not written, because --strict is given and something would be lost: ${lost.join('; ')}`,
    );
  return { ...converted, losses };
}

/** The facts of a job with its GLBs in the format that the output's name asks for. */
async function convertOutputs(facts: JobFacts, context: JobContext): Promise<JobFacts> {
  const extension = extensionOf(context.output);
  const [{ asset: source }] = facts.inputs;
  const files: OutputFile[] = [];
  let measured: Partial<JobFacts> = {};
  for (const { path, bytes } of facts.files) {
    if (!path.toLowerCase().endsWith(extension) || typeof bytes === 'string') {
      files.push({ path, bytes });
      continue;
    }
    const model = { ...(await readWritten(bytes)), up: source.up, metresPerUnit: source.metresPerUnit };
    const log = (text: string) => context.note(text);
    const encoded = await context.finish('write', () => encodeCharacter(model, { path, log }));
    files.push(...encoded);
    if (path === context.output) measured = await measureEncoded(facts, model, encoded, context);
  }
  const file = files.find(({ path }) => path === context.output)?.bytes.length;
  return {
    ...facts,
    ...measured,
    files,
    bytes: { ...facts.bytes, ...(file === undefined ? {} : { file }) },
  };
}

/** The facts of a job that wrote its output in the format of its name, with its errors if they are not measured yet. */
async function measureOutput(facts: JobFacts, context: JobContext): Promise<JobFacts> {
  if (!facts.measure || facts.metrics) return facts;
  return { ...facts, ...(await measureEncoded(facts, facts.expected ?? facts.inputs[0].asset, facts.files, context)) };
}

/** What is measured in the file that is stored, in place of what was measured before. */
async function measureEncoded(
  facts: JobFacts,
  model: Asset,
  files: readonly OutputFile[],
  context: JobContext,
): Promise<Partial<JobFacts>> {
  const { measure } = facts;
  if (!measure) return {};
  const aligned = alignWritten(await readOutput(files, extensionOf(context.output)), model);
  if (!aligned) {
    const name = extensionOf(context.output).slice(1).toUpperCase();
    context.note(
      `the vertices of the ${name} could not be matched with those of the result: ${facts.metrics ? `the errors are those before it was written as ${name}` : 'its error was not measured'}`,
    );
    return {};
  }
  const { metrics, result, gate } = await measure(aligned);
  return {
    metrics: { ...facts.metrics, ...metrics },
    result: { ...facts.result, ...result },
    gate: gate ?? facts.gate,
  };
}

async function findLosses(spec: JobSpec, facts: JobFacts, context: JobContext): Promise<Loss[]> {
  const input = facts.inputs[0]?.asset;
  const format = extensionOf(context.output);
  if (!spec.output || !input || input.sequence || !ALL_EXTENSIONS.includes(format)) return [];
  const after = await listWritten(facts.files, format);
  if (!after) return [];
  const { command, options = {} } = context.job;
  const isSelected = options.animation !== undefined || options.frames !== undefined;
  const replaces = [
    ...(spec.replaces ?? []),
    ...(facts.replaces ?? []),
    ...(isSelected ? (['animations'] as const) : []),
  ];
  return listLosses(listContents(input), after, { command, replaces, format });
}

/** What the output holds, as its reader shows it. */
async function listWritten(files: readonly OutputFile[], format: string): Promise<Contents | undefined> {
  const own = files.find(({ path }) => extensionOf(path) === format);
  if (!own) return undefined;
  if (isGlb(own.path) && typeof own.bytes !== 'string') return listGlbContents(own.bytes);
  return listContents(await readOutput(files, format));
}

/** Reads the output back. Of several files of one format, such as levels, the first; frames and the mesh beside a cache are one input. */
function readOutput(files: readonly OutputFile[], format: string): Promise<Asset> {
  const own = files.filter(({ path }) => extensionOf(path) === format);
  if (!FRAMES_EXTENSIONS.includes(format)) return readBack(own.slice(0, 1), files);
  const beside = files.filter((file) => !own.includes(file) && extensionOf(file.path) === '.obj');
  return readBack([...beside, ...own], files);
}

/** Reads outputs as one input; `others` are files that they may refer to. */
function readBack(files: readonly OutputFile[], others: readonly OutputFile[] = files): Promise<Asset> {
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
