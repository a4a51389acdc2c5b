// SPDX-License-Identifier: MIT
import { extname } from 'node:path';
import { TWO_LAYER_EXTENSION } from '../extension/pack-two-layer.ts';
import { writeGlb } from '../gltf/write-glb.ts';
import { measureBounds } from '../mesh/bounds.ts';
import { maxInfluencesOf } from '../model/skin.ts';
import { measureTwoLayerBytes, virtualBoneCountOf } from '../model/two-layer.ts';
import { COMPRESS_DEFAULTS, type CompressAssetResult, makeAssetCompressor, makeAssetDdm } from '../recipe/compress.ts';
import { MUSH_DEFAULTS } from '../recipe/mush.ts';
import { type ReportMetrics, type ReportResult, reportInputOf, reportMetricsOf } from '../recipe/report.ts';
import type { CommandSpec, Context } from './command.ts';
import {
  addCompressOptions,
  type CompressCommandOptions,
  MUSH_OPTION_NAMES,
  readRangesOption,
} from './compress-options.ts';
import { EXIT_DONE, EXIT_GATE, faultOf, JobError, UsageError } from './exit-status.ts';
import { findGivenOption } from './find-given-option.ts';
import { type CompressedFile, formatCompressed } from './format-compressed.ts';
import { formatCount, formatNumber } from './format-number.ts';
import { type MeasuredCompressed, measureCompressed } from './measure-compressed.ts';
import { checkDdmOptions, ddmOptionsOf } from './mush-options.ts';
import { noteCorrections } from './note-corrections.ts';
import { type OpenedInput, openInput } from './open-input.ts';
import { lengthInFileUnits } from './parse-length.ts';
import { type CommandFacts, checkResults, makeCommandReport, saveResults } from './save-results.ts';

type CompressContext = Context<CompressCommandOptions>;

export const compressCommand: CommandSpec<CompressCommandOptions> = {
  name: 'compress',
  summary: 'turn delta mush into virtual bones and sparse weights: its look at the price of linear blending',
  description:
    'Compresses Direct Delta Mush, that of the file or one made here, into a few virtual bones that the skeleton moves and plain weights on those, and writes ' +
    `them as ${TWO_LAYER_EXTENSION} beside a plain skin of four weights that any viewer shows. Measures what was written, read back, at the poses of its animations.`,
  arguments: [
    { name: '<input>', description: 'a skinned .glb or .gltf, with Direct Delta Mush or without' },
    { name: '<output>', description: 'a .glb file; with a ladder of counts, out-100.glb and so on' },
  ],
  examples: [
    { line: 'compress rig.glb out.glb', does: `${COMPRESS_DEFAULTS.virtualBones} virtual bones` },
    { line: 'compress rig.glb out.glb --virtual-bones 100,200,500', does: 'a ladder: out-100.glb, out-200.glb, …' },
    { line: 'compress rig.glb out.glb --max-error 5mm', does: 'the fewest that keep every vertex that close' },
    { line: 'compress rig.glb out.glb --ranges auto --quantize', does: 'for the animations of the file, in 16 bits' },
  ],
  isStoppable: true,
  configure: addCompressOptions,
  async run(context) {
    const { options, args } = context;
    const [input, output] = args;
    checkUsage(options, output);
    const opened = await context.phase('read', () => openInput(input, context));
    checkMushOptions(context, opened);
    const ranges = await readRangesOption(options.ranges);
    const { diagonal } = measureBounds(opened.asset.mesh.positions);
    const scale = { diagonal, metresPerUnit: opened.asset.metresPerUnit };
    const limit = options.maxError && lengthInFileUnits(options.maxError, scale);
    const counts = options.virtualBones ?? [undefined];
    const paths = counts.map((count) => (counts.length > 1 ? output.replace(/\.glb$/i, `-${count}$&`) : output));
    await checkResults(context, paths, opened.paths);
    if (opened.asset.animations.length === 0)
      context.note('the file has no animation; errors are those of the pose it stands in');
    noteCorrections(context, opened.asset);

    const ddm = await context.phase('mush', () => solve(opened, ranges, options.ranges, () => mushOf(context, opened)));
    const compressor = await context.phase('solve', () =>
      solve(opened, ranges, options.ranges, () =>
        makeAssetCompressor(
          { ...opened.asset, ddm },
          {
            maxError: limit && limitOf(limit, diagonal * (options.quantize ? SHORT_ROUNDING : ROUNDING)),
            ...{ influences: options.influences, objective: options.objective, iterations: options.iterations },
            ...{ examples: options.examples, norm: options.norm, smoothness: options.smoothness },
            ...{ ranges, seed: options.seed, threads: options.threads, signal: context.signal },
          },
        ),
      ),
    );
    const files: CompressedFile[] = [];
    for (const [n, count] of counts.entries()) {
      if (n > 0 && context.signal.aborted) break;
      const solved = await context.phase('solve', () =>
        solve(opened, ranges, options.ranges, () =>
          compressor.compress({
            virtualBones: count,
            onProgress: ({ phase, fraction }) =>
              context.progress.show({ phase, ratio: (n + fraction) / counts.length }),
          }),
        ),
      );
      if (solved.status === 'stalled')
        context.note(
          `no number of virtual bones keeps every vertex that close; this is with ${virtualBoneCountOf(solved.model)}`,
        );
      files.push(await writeOne(context, opened, solved, paths[n], limit));
    }
    if (context.signal.aborted) context.note('interrupted; writing the best so far (again to leave without)');

    const last = files[files.length - 1];
    const ladder = files.map(({ path, facts }) => ({ path, ...facts, inputs: undefined }));
    const facts: CommandFacts =
      files.length > 1 ? { ...last.facts, result: { ...last.facts.result, ladder } } : last.facts;
    await saveResults(context, files, opened.paths, facts);
    const report = makeCommandReport(context, facts);
    context.tell(report);
    context.say(formatCompressed(report, opened, files));
    const failed = files.find(({ gate }) => gate && !gate.isMet);
    if (context.signal.aborted || !failed) return EXIT_DONE;
    context.progress.clear();
    context.io.stderr.write(
      `ossify: ${failed.path}: a vertex is off by ${formatNumber(failed.gate!.max)}, more than the ${formatNumber(failed.gate!.maxError)} allowed\n`,
    );
    return EXIT_GATE;
  },
};

/** Of the box diagonal: what a file of 32-bit floats, or of short numbers, may move a vertex, with room to spare; and the most of a limit to give up for it. */
const ROUNDING = 1e-6;
const SHORT_ROUNDING = 1e-4;
const MOST_ROUNDING = 0.01;

function limitOf(limit: number, rounding: number): number {
  return limit - Math.min(rounding, MOST_ROUNDING * limit);
}

function checkUsage(options: CompressCommandOptions, output: string): void {
  const { virtualBones, influences, maxError } = options;
  if (extname(output).toLowerCase() !== '.glb')
    throw new UsageError(`compress: the output must end in .glb, not "${output}"`);
  if (maxError?.value === 0) throw new UsageError('--max-error: no compression is exact; give a length above zero');
  checkDdmOptions(options, '--smoothing');
  const isLinear = options.objective === 'linear';
  if (isLinear && options.examples > 0) throw new UsageError('--examples: only the nonlinear objective takes them');
  if (isLinear && options.norm > 2) throw new UsageError('--norm: only the nonlinear objective has another than 2');
  if (!isLinear && options.smoothness > 0)
    throw new UsageError('--smoothness: only the linear objective has such a term; add --objective linear');
  const least = virtualBones && Math.min(...virtualBones);
  if (least !== undefined && influences !== undefined && influences > least)
    throw new UsageError(
      `--influences: ${influences} per vertex are more than ${formatCount(least, 'virtual bone')}; ask for fewer`,
    );
}

/** How the Direct Delta Mush of a file was made is settled: asking for another must not go unheard. */
function checkMushOptions(context: CompressContext, { input, asset: { ddm } }: OpenedInput): void {
  const option = ddm && findGivenOption(context, MUSH_OPTION_NAMES);
  if (option !== undefined)
    throw new UsageError(
      `${option}: ${input} has Direct Delta Mush of its own, made already; leave the option out, or start from the rig that it was made of`,
    );
}

async function mushOf({ options, signal, progress }: CompressContext, { asset }: OpenedInput) {
  if (asset.ddm) return asset.ddm;
  return makeAssetDdm(asset, {
    ...ddmOptionsOf(options, asset.mesh),
    ...{ iterations: options.smoothing, threads: options.threads, signal },
    onProgress: ({ phase, fraction }) => progress.show({ phase, ratio: fraction }),
  });
}

/** Runs a part of the solve; faults become sentences about the input, or about the file of ranges. */
async function solve<T>({ input }: OpenedInput, ranges: unknown, file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'AbortError' || error instanceof UsageError) throw error;
    const isOfRanges = error.message.startsWith('ranges of motion: ') && typeof ranges === 'object';
    const fault = faultOf(error).replace(/^(direct delta mush|ranges of motion): /, '');
    throw new JobError(`${isOfRanges ? file : input}: ${fault}`, { cause: error });
  }
}

async function writeOne(
  context: CompressContext,
  { input, asset }: OpenedInput,
  solved: CompressAssetResult,
  path: string,
  limit: number | undefined,
): Promise<CompressedFile> {
  const { quantize, meshopt } = context.options;
  const bytes = await context.finish('write', () =>
    writeGlb(
      asset,
      { kind: 'two-layer', model: solved.model, skin: solved.skin },
      { quantize, meshopt, log: (remark) => context.note(remark) },
    ),
  );
  const measured = await context.finish('measure', () => measureCompressed(bytes, asset, solved.ddm));
  const { error } = measured;
  const gate = limit === undefined ? undefined : { maxError: limit, max: error.max, isMet: error.max <= limit };
  const entries = solved.ddm.multiWeights.boneIndices.length;
  const vertices = asset.mesh.positions.length / 3;
  const ddmBytes = { float32: 44 * entries + 4 * vertices, float64: 84 * entries + 4 * vertices };
  const metrics: ReportMetrics = {
    ...reportMetricsOf(error),
    rmseFit: solved.rmseFit,
    rmseFitPercent: (100 * solved.rmseFit) / error.height,
    ddmVsLbs: measured.lbs.rmseOfHeight,
  };
  const facts = {
    inputs: [reportInputOf(input, asset)],
    metrics,
    result: { ...resultOf(context.options, solved, measured), ddmBytes, ...(gate ? { gate } : {}) },
    bytes: { file: bytes.length, model: measureTwoLayerBytes(solved.model).total, ddm: ddmBytes.float32 },
  };
  return { path, bytes, facts, measured, gate };
}

function resultOf(
  options: CompressCommandOptions,
  solved: CompressAssetResult,
  measured: MeasuredCompressed,
): ReportResult {
  const { model, iterations, status, ddm } = solved;
  const { error, plain, lbs } = measured;
  const { virtualBones, skin } = model;
  const count = virtualBoneCountOf(model);
  const percent = (length: number) => (100 * length) / error.height;
  return {
    virtualBones: count,
    influences: maxInfluencesOf(skin),
    blendsPerVertex: skin.weights.length / (skin.rowStart.length - 1),
    bones: new Set(virtualBones.boneIndices).size,
    entriesPerVirtualBone: virtualBones.boneIndices.length / count,
    ...{ iterations, status, objective: options.objective },
    ...{ examples: options.examples, norm: options.norm, smoothness: options.smoothness },
    fit: {
      rmseFit: solved.rmseFit,
      rmseFitPercent: percent(solved.rmseFit),
      rmseFitUndivided: solved.rmseFitUndivided,
      rmseFitUndividedPercent: percent(solved.rmseFitUndivided),
      objective: solved.objective,
      objectivePercent: percent(solved.objective),
      history: solved.history,
    },
    frames: measured.frames,
    quantized: options.quantize ?? false,
    ddm: {
      settings: ddm.settings,
      entriesPerVertex: ddm.multiWeights.boneIndices.length / (ddm.multiWeights.rowStart.length - 1),
    },
    plain: {
      influences: MUSH_DEFAULTS.influences,
      ...{ rmse: plain.rmse, max: plain.max, rmseOfHeight: plain.rmseOfHeight, maxOfHeight: plain.maxOfHeight },
    },
    lbs: { rmse: lbs.rmse, max: lbs.max, maxOfHeight: lbs.maxOfHeight },
    ...(solved.tried.length > 0 ? { tried: solved.tried } : {}),
  };
}
