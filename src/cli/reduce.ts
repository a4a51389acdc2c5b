// SPDX-License-Identifier: MIT
import { extname } from 'node:path';
import type { RangeTable } from '../fit/ranges-of-motion.ts';
import { readAsset } from '../io/read-asset.ts';
import { writeGlb } from '../io/write-glb.ts';
import { measureBounds } from '../mesh/bounds.ts';
import type { Asset } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { maxInfluencesOf } from '../model/skin.ts';
import { measureReduced, type ReducedErrors } from '../recipe/measure-reduced.ts';
import {
  METHODS_WITH_POSES,
  REDUCE_DEFAULTS,
  type ReduceOptions,
  type ReduceResult,
  reduce,
} from '../recipe/reduce.ts';
import { type ReduceByErrorResult, reduceByError } from '../recipe/reduce-by-error.ts';
import { POSE_SOURCES, type PoseSource } from '../recipe/reduce-poses.ts';
import { type ReportResult, reportInputOf, reportMetricsOf } from '../recipe/report.ts';
import type { CommandSpec, Context } from './command.ts';
import { readRangesOption } from './compress-options.ts';
import { EXIT_DONE, EXIT_GATE, faultOf, JobError, UsageError } from './exit-status.ts';
import { formatNumber } from './format-number.ts';
import { formatReduced } from './format-reduced.ts';
import { noteCorrections } from './note-corrections.ts';
import { type OpenedInput, openInput } from './open-input.ts';
import { lengthInFileUnits } from './parse-length.ts';
import { runCage } from './reduce-cage.ts';
import { addReduceOptions, type ReduceCommandOptions } from './reduce-options.ts';
import { type CommandFacts, checkResults, makeCommandReport, saveResults } from './save-results.ts';

export type ReduceContext = Context<ReduceCommandOptions>;

/** Of the ball's radius: what bones that are taken out may move where nothing is said. */
const PRUNED = 0.0005;

export const reduceCommand: CommandSpec<ReduceCommandOptions> = {
  name: 'reduce',
  summary: 'turn skins with many weights per vertex into cheap ones that look the same',
  description:
    'Gives a skinned glTF fewer weights per vertex, by the poses of its animations, or turns them into two layers of virtual bones, beside a plain skin of four ' +
    'weights that any viewer shows. Nodes, animations and materials stay as they are. Measures what was written, read back, clip by clip.',
  arguments: [
    { name: '<input>', description: 'a skinned .glb or .gltf' },
    { name: '<output>', description: 'a .glb file' },
  ],
  examples: [
    { line: 'reduce rig.glb out.glb --influences 4', does: 'the best four bones of every vertex' },
    { line: 'reduce rig.glb out.glb --method twolayer --influences 3', does: 'two layers, three blends per vertex' },
    { line: 'reduce rig.glb out.glb --max-error 1mm', does: 'the fewest weights that keep every vertex that close' },
    { line: 'reduce rig.glb out.glb --prune-bones --max-bones 64', does: 'for engines with few bones' },
  ],
  isStoppable: true,
  configure: addReduceOptions,
  async run(context) {
    const { options, args } = context;
    const [input, output] = args;
    checkUsage(options, output);
    const opened = await context.phase('read', () => openInput(input, context));
    const { asset } = opened;
    if (options.cage !== undefined) return runCage(context, opened, output, options.cage);
    const isKnown = (POSE_SOURCES as readonly string[]).includes(options.poses);
    const poses = isKnown ? undefined : await context.phase('read', () => openInput(options.poses, context));
    const clip = poses && clipOf(poses);
    const ranges = options.ranges === undefined ? undefined : await readRangesOption(options.ranges);
    await checkResults(context, [output], [...opened.paths, ...(poses?.paths ?? [])]);
    const scale = { diagonal: measureBounds(asset.mesh.positions).diagonal, metresPerUnit: asset.metresPerUnit };
    const limit = options.maxError && lengthInFileUnits(options.maxError, scale);
    if (asset.rig && asset.animations.length === 0)
      context.note('the file has no animation; errors are those of the pose it stands in');
    noteCorrections(context, asset);

    const solved = await context.phase('solve', () =>
      solve(context, opened, {
        ...{ clip, ranges: ranges as RangeTable | undefined, limit },
        poses: isKnown ? (options.poses as PoseSource) : undefined,
      }),
    );
    if (context.signal.aborted) context.note('interrupted; writing the best so far (again to leave without)');
    const { quantize, meshopt, maxBones, pruneBones } = options;
    const write = (most?: number) =>
      writeGlb(
        asset,
        {
          kind: 'weights',
          skin: solved.skin,
          layers: solved.twoLayer,
          pruneJoints: pruneBones !== undefined,
          maxBones: most,
        },
        { quantize, meshopt, log: (remark) => context.note(remark) },
      );
    const whole = await context.finish('write', () => guard(opened, () => write()));
    const measured = await context.finish('measure', () => measure(whole, asset, clip));
    const bytes =
      maxBones === undefined ? whole : await context.finish('write', () => guard(opened, () => write(maxBones)));
    const back = maxBones === undefined ? measured.asset : await readAsset([{ name: 'written.glb', bytes }]);

    const { error } = measured;
    const gate = limit === undefined ? undefined : { maxError: limit, max: error.max, isMet: error.max <= limit };
    const facts: CommandFacts = {
      inputs: [reportInputOf(input, asset)],
      metrics: reportMetricsOf(error),
      result: { ...resultOf(options, asset, solved, measured, back), ...(gate ? { gate } : {}) },
      bytes: { file: bytes.length },
    };
    await saveResults(context, [{ path: output, bytes }], opened.paths, facts);
    const report = makeCommandReport(context, facts);
    context.tell(report);
    context.say(formatReduced(report, opened, measured, output));
    if (context.signal.aborted || !gate || gate.isMet) return EXIT_DONE;
    context.progress.clear();
    context.io.stderr.write(
      `ossify: ${output}: a vertex is off by ${formatNumber(gate.max)}, more than the ${formatNumber(gate.maxError)} allowed\n`,
    );
    return EXIT_GATE;
  },
};

function checkUsage(options: ReduceCommandOptions, output: string): void {
  const { method, influences, virtualBones, maxError, printed, pursuit, maxBones } = options;
  if (extname(output).toLowerCase() !== '.glb')
    throw new UsageError(`reduce: the output must end in .glb, not "${output}"`);
  const isTwo = method === 'twolayer';
  if (!isTwo && influences !== undefined && !Number.isInteger(influences))
    throw new UsageError(`--influences: weights per vertex are a whole number, got ${influences}`);
  if (isTwo && influences !== undefined && influences <= 1)
    throw new UsageError('--influences: two layers take more than one blend per vertex');
  if (options.poses === 'none' && method !== undefined && METHODS_WITH_POSES.includes(method))
    throw new UsageError(`--poses none: ${method} needs poses; klargest, smooth and twolayer do without`);
  if (!isTwo && virtualBones !== undefined) throw new UsageError('--virtual-bones is for --method twolayer');
  if (!isTwo && printed) throw new UsageError('--printed is for --method twolayer');
  if (!isTwo && pursuit) throw new UsageError('--pursuit requires --method twolayer');
  if (pursuit && (printed || (maxError && influences === undefined && virtualBones === undefined)))
    throw new UsageError('--pursuit cannot be combined with --printed, nor with --max-error without --influences');
  if (isTwo && maxBones !== undefined) throw new UsageError('--max-bones: pieces of two layers cannot be split');
  if (virtualBones !== undefined && influences !== undefined)
    throw new UsageError('--virtual-bones and --influences both say how large two layers may be; give one');
  if (
    options.cage !== undefined &&
    (maxError !== undefined || options.pruneBones !== undefined || maxBones !== undefined)
  )
    throw new UsageError('--cage goes with none of --max-error, --prune-bones and --max-bones');
  if (maxError?.value === 0) throw new UsageError('--max-error: no reduction is exact; give a length above zero');
}

function clipOf({ asset, input }: OpenedInput): Clip {
  const [clip] = asset.clips;
  if (!clip) throw new JobError(`${input}: holds no clip to take poses from; give a point cache or a sequence`);
  return clip;
}

interface SolvePlan extends Pick<ReduceOptions, 'clip' | 'ranges' | 'poses'> {
  limit?: number;
}

async function solve(
  context: ReduceContext,
  opened: OpenedInput,
  { limit, ...plan }: SolvePlan,
): Promise<ReduceResult & Partial<ReduceByErrorResult>> {
  const { options, signal, progress } = context;
  const { method, influences, virtualBones, normals, printed, pursuit, pruneBones, threads, seed } = options;
  const common: ReduceOptions = {
    ...plan,
    ...{ method, normals, printed, pursuit, threads, seed, signal },
    prune: pruneBones === true ? PRUNED : pruneBones,
    onProgress: ({ phase, fraction }) => progress.show({ phase, ratio: fraction }),
  };
  const work = () =>
    limit !== undefined && influences === undefined && virtualBones === undefined
      ? reduceByError(opened.asset, limit, common)
      : reduce(opened.asset, { ...common, influences, virtualBones });
  return guard<ReduceResult & Partial<ReduceByErrorResult>>(opened, work, options.ranges);
}

/** Runs a part of the work; faults become sentences about the input, or about the file of ranges. */
export async function guard<T>({ input }: OpenedInput, work: () => Promise<T>, ranges?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'AbortError' || error instanceof UsageError) throw error;
    const isOfRanges = ranges !== undefined && error.message.startsWith('ranges of motion: ');
    const fault = faultOf(error).replace(/^(reduce|weights|two-layer|cage|writeGlb|ranges of motion): /, '');
    throw new JobError(`${isOfRanges ? ranges : input}: ${fault}`, { cause: error });
  }
}

export interface MeasuredReduced extends ReducedErrors {
  /** The file as it reads, before pieces were split. */
  asset: Asset;
  /** The plain skin beside two layers. */
  plain?: ReducedErrors['error'];
}

async function measure(bytes: Uint8Array, input: Asset, clip: Clip | undefined): Promise<MeasuredReduced> {
  const asset = await readAsset([{ name: 'written.glb', bytes }]);
  const measured = measureReduced(input, asset, clip);
  if (!asset.linearTwoLayer) return { ...measured, asset };
  return { ...measured, asset, plain: measureReduced(input, { ...asset, linearTwoLayer: undefined }, clip).error };
}

function resultOf(
  options: ReduceCommandOptions,
  input: Asset,
  solved: ReduceResult & Partial<ReduceByErrorResult>,
  { clips, plain, asset }: MeasuredReduced,
  back: Asset,
): ReportResult {
  const { twoLayer } = solved;
  const before = input.rig!;
  return {
    method: solved.method,
    bones: solved.bones.after,
    bonesBefore: solved.bones.before,
    ...(twoLayer ? { virtualBones: twoLayer.virtualBones.rowStart.length - 1 } : {}),
    influences: maxInfluencesOf(twoLayer?.skin ?? asset.rig!.skin),
    influencesBefore: maxInfluencesOf(before.skin),
    blendsPerVertex: solved.blendsPerVertex,
    blendsPerVertexBefore: before.skin.weights.length / (before.skin.rowStart.length - 1),
    joints: before.isJoint.reduce((sum, is) => sum + is, 0),
    jointsAfter: back.rig!.isJoint.reduce((sum, is) => sum + is, 0),
    pieces: back.mesh.parts.length,
    poses: solved.poses,
    normals: options.normals ?? REDUCE_DEFAULTS.normals,
    status: solved.status,
    clips: clips.map(({ name, error }) => ({
      name,
      frames: error.frameCount,
      ...{ eRms: error.eRms, rmse: error.rmse, max: error.max, p99: error.p99, normalDegrees: error.normalDegrees },
    })),
    ...(plain
      ? { plain: { eRms: plain.eRms, rmse: plain.rmse, max: plain.max, normalDegrees: plain.normalDegrees } }
      : {}),
    ...(solved.tried ? { tried: solved.tried } : {}),
  };
}
