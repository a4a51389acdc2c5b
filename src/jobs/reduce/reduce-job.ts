// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { checkMaxError } from '../../core/options/length.ts';
import {
  choice,
  count,
  file,
  fileOrWord,
  flag,
  flagOf,
  group,
  length,
  notNegative,
  type OptionsOf,
  option,
  optional,
  positive,
  ratio,
  type Values,
} from '../../core/options/option.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import type { PosedAsset, PoseRanges } from '../../fit/poses/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import {
  METHODS_WITH_POSES,
  POSE_SOURCES,
  type PoseSource,
  REDUCE_DEFAULTS,
  REDUCE_METHODS,
  REDUCE_PURSUITS,
  type ReduceOptions,
  type ReduceResult,
} from '../../methods/reduce/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  formatCount,
  type Job,
  type JobContext,
  type JobFacts,
  makeGoalGate,
  needsSkin,
  type OpenedInput,
  READ_OPTIONS,
  type ReportResult,
  refuseUnread,
  reportMetricsOf,
  SKINNED_INPUT,
  STORE_OPTIONS,
} from '../engine/index.ts';
import { readWritten, warnStopped } from '../report/index.ts';
import {
  CHARACTER_OUTPUT,
  type ChosenPoses,
  checkShrinkable,
  checkSmallOptions,
  choosePoses,
  POSES_HELP,
  RANGES_OPTION,
  reportSize,
  SMALL_OPTIONS,
  SOLVED_OF_MAX,
  settleMotion,
  shrinkContent,
  TAKE_OPTIONS,
} from '../shared/index.ts';
import { describeReduced } from './describe-reduced.ts';
import { type MeasuredReduction, meanInfluencesOf, measureReduction, reportReduction } from './measure-reduction.ts';
import { reduce } from './reduce.ts';
import { type ReduceByErrorResult, reduceByError } from './reduce-by-error.ts';
import { runCage } from './reduce-cage-job.ts';

const D = REDUCE_DEFAULTS;
/** Bones that move the mesh by less are removed by default, relative to the radius of the enclosing ball. */
const PRUNED = 0.0005;

/** The source of poses that a word names; undefined for a clip. */
const sourceOf = (word: string): PoseSource | undefined =>
  word === 'animation' ? 'animations' : POSE_SOURCES.find((known) => known === word);

const OPTIONS = {
  ...group('Model options:', {
    method: option(
      choice(REDUCE_METHODS),
      'exchange: the best bones by the poses; klargest; smooth; geometric; poisson; twolayer: virtual bones (default: exchange, or klargest without poses)',
      {
        form: {
          label: 'Method',
          note: 'Exchange chooses weights by exact error reduction in the poses of the file.',
          labels: { exchange: 'Exchange', klargest: 'K largest', poisson: 'Poisson', twolayer: 'Two layers' },
        },
      },
    ),
    influences: option(
      positive('<k>'),
      `maximum weights per vertex; with twolayer, maximum blends per vertex of both layers, such as 2.5 (default: ${D.influences})`,
      {
        defaultFor: ({ maxError, virtualBones }) =>
          maxError === undefined && virtualBones === undefined ? D.influences : undefined,
        form: {
          label: 'Influences',
          note: 'Maximum weights per vertex; of two layers, blends per vertex.',
          range: [1, 16, 1],
        },
      },
    ),
    virtualBones: option(count(2, 65_535), 'twolayer: number of virtual bones, instead of --influences', {
      conflicts: ['influences'],
    }),
    maxError: option(
      length,
      'maximum vertex error in the animations: 0.01, 2mm or 0.5%. Without --influences: find the fewest weights or virtual bones that meet it. ' +
        'With --influences: exit with status 3 if it is exceeded',
    ),
    printed: option(flag, 'twolayer: the algorithm as published, for comparison'),
    pursuit: option(
      choice(REDUCE_PURSUITS),
      'twolayer: how vertices choose virtual bones. pairs: the best pair; for comparison: matching pursuit, orthogonal matching pursuit, or K-SVD with either (default: pairs)',
      { conflicts: ['printed'] },
    ),
  }),
  ...group('Pose options:', {
    poses: option(
      fileOrWord((value) => sourceOf(value) !== undefined, '<source>'),
      `poses that are preserved and measured: ${POSES_HELP}, none (measured only), or a clip of the same mesh (rest.obj+motion.pc2)`,
      { default: D.poses as string },
    ),
    ...RANGES_OPTION,
    normals: option(
      notNegative('<ratio>'),
      'weight of normals, as a length relative to the model size; 0: positions only',
      {
        default: D.normals,
      },
    ),
    cage: option(file, 'bind the input to this cage by mean value coordinates and preserve the motion of the cage', {
      conflicts: ['maxError', 'pruneBones', 'maxBones'],
    }),
  }),
  ...group('Bone options:', {
    pruneBones: option(
      optional(ratio()),
      `remove bones that move the mesh by less than this ratio of its size (default: ${PRUNED})`,
    ),
    maxBones: option(count(1, 65_536), 'split the mesh so that no piece needs more bones'),
  }),
  ...SMALL_OPTIONS,
  ...STORE_OPTIONS,
  ...TAKE_OPTIONS,
  ...READ_OPTIONS,
  ...COMMON_OPTIONS,
};

export type ReduceValues = OptionsOf<typeof OPTIONS>;
type Context = JobContext<ReduceValues>;

export const reduceJob = defineJob({
  name: 'reduce',
  title: 'Reduce',
  summary: 'reduce the weights per vertex of a skinned model',
  description:
    'Gives a skinned glTF fewer weights per vertex while preserving the poses of its animations, or turns them into two layers of virtual bones beside a plain skin with four ' +
    'weights per vertex that any viewer shows. Nodes, animations and materials are kept. Measures what was written, clip by clip.',
  inputs: [SKINNED_INPUT],
  output: CHARACTER_OUTPUT,
  examples: [
    { line: 'reduce rig.glb out.glb --influences 4', does: 'the best four bones of every vertex' },
    { line: 'reduce rig.glb out.glb --method twolayer --influences 3', does: 'two layers, three blends per vertex' },
    { line: 'reduce rig.glb out.glb --max-error 1mm', does: 'the fewest weights that meet the error' },
    { line: 'reduce rig.glb out.glb --prune-bones --max-bones 64', does: 'for engines with few bones' },
  ],
  options: OPTIONS,
  isStoppable: true,
  refuses: needsSkin(['ddm', 'twoLayer'], 'This file has more than a plain skin.'),
  titleOf: (values: Values) =>
    `${formatCount(Number(values.influences ?? D.influences), 'weight')}${values.method === 'twolayer' ? ' in two layers' : ''}`,
  check: checkOptions,
  async run(context) {
    const { options, output } = context;
    const opened = await settleMotion(context, await context.open(context.job.inputs[0]));
    const { asset } = opened;
    if (options.cage !== undefined) return runCage(context, opened, options.cage);
    const known = sourceOf(options.poses);
    const poses = known === undefined ? await context.open(options.poses) : undefined;
    const clip = poses && clipOf(poses);
    if (!clip) checkShrinkable(options, asset);
    const posed = await choosePosed(context, asset, known);
    await context.claim([output]);
    const limit = context.limitOf(asset);
    const solverGoal = options.for === 'size' && limit !== undefined ? SOLVED_OF_MAX * limit : limit;
    const solved = await context.phase('solve', () =>
      solve(context, asset, solverGoal, { clip, ranges: posed.ranges, poses: known }),
    );
    warnStopped(context);
    const { maxBones, pruneBones } = options;
    if (options.for === 'size') {
      const content = { kind: 'weights', skin: solved.skin, pruneJoints: pruneBones !== undefined } as const;
      const small = await shrinkContent(
        context,
        clip ? { ...opened, asset: { ...asset, clips: [clip] } } : opened,
        asset,
        content,
      );
      const { written, bytes, goal } = small;
      const measured = { ...written, clips: written.clips.map(({ name, error }) => ({ name, error })) };
      return {
        inputs: [opened],
        files: [{ path: output, bytes }],
        gate: makeGoalGate(goal, written),
        metrics: reportMetricsOf(written.error),
        result: { ...resultOf(options, asset, solved, measured, written.asset), ...reportSize(small) },
        bytes: { file: bytes.length },
      };
    }
    const write = (limitOfBones?: number) =>
      context.finish('write', () =>
        writeGlb(
          asset,
          {
            kind: 'weights',
            skin: solved.skin,
            layers: solved.twoLayer,
            pruneJoints: pruneBones !== undefined,
            maxBones: limitOfBones,
          },
          context.storing,
        ),
      );
    const whole = await write();
    const measured = await context.finish('measure', async () =>
      measureReduction(context, await readWritten(whole), posed, clip),
    );
    const bytes = maxBones === undefined ? whole : await write(maxBones);
    const back = maxBones === undefined ? measured.asset : await readWritten(bytes);
    const goal = limit === undefined ? undefined : ({ kind: 'max', limit } as const);
    return {
      inputs: [opened],
      files: [{ path: output, bytes }],
      gate: makeGoalGate(goal, measured),
      metrics: reportMetricsOf(measured.error),
      result: resultOf(options, asset, solved, measured, back),
      bytes: { file: bytes.length },
      measure: measureFile(context, posed, { clip, goal }),
    };
  },
  describe: describeReduced,
});

/** The poses that are measured; those of a clip belong to an animation. */
async function choosePosed(context: Context, asset: Asset, source?: PoseSource): Promise<ChosenPoses> {
  if (source === undefined) return { asset, source: 'animations', ranges: undefined };
  return choosePoses(context, asset, { ...context.options, poses: source === 'none' ? 'auto' : source });
}

function checkOptions(options: ReduceValues, job: Job): void {
  checkSmallOptions(options, job.output);
  if (options.cage !== undefined) {
    const fault = 'has no effect with --cage, whose motion gives the poses; remove it';
    refuseUnread(job, ['ranges', 'normals', ...(options.poses === 'none' ? [] : ['poses'])], fault);
  }
  if (options.poses === 'none' || sourceOf(options.poses) === undefined)
    refuseUnread(
      job,
      ['ranges'],
      'has no effect on poses of a clip or on none; use --poses auto, animations or ranges',
    );
  if (options.for === 'size')
    for (const key of ['cage', 'maxBones'] as const)
      if (options[key] !== undefined) throw new UsageError(flagOf(key), 'cannot be used with --for size');
  if (options.for === 'size' && options.method === 'twolayer')
    throw new UsageError('--method twolayer', 'cannot be used with --for size, which stores plain skins');
  const { method, influences, virtualBones, maxError, printed, pursuit, maxBones, poses } = options;
  const isTwo = method === 'twolayer';
  if (!isTwo && influences !== undefined && !Number.isInteger(influences))
    throw new UsageError('--influences', `must be a whole number, got ${influences}`);
  if (isTwo && influences !== undefined && influences <= 1)
    throw new UsageError('--influences', 'must be above 1 with two layers');
  if (poses === 'none' && method !== undefined && METHODS_WITH_POSES.includes(method))
    throw new UsageError('--poses none', `${method} needs poses; klargest, smooth and twolayer work without`);
  if (!isTwo && virtualBones !== undefined) throw new UsageError('--virtual-bones', 'requires --method twolayer');
  if (!isTwo && printed) throw new UsageError('--printed', 'requires --method twolayer');
  if (!isTwo && pursuit) throw new UsageError('--pursuit', 'requires --method twolayer');
  if (pursuit && maxError !== undefined && influences === undefined && virtualBones === undefined)
    throw new UsageError('--pursuit', 'requires --influences or --virtual-bones');
  if (isTwo && maxBones !== undefined) throw new UsageError('--max-bones', 'not supported by --method twolayer');
  checkMaxError(maxError, 'reduction');
}

function clipOf({ asset, input }: OpenedInput): Clip {
  const [clip] = asset.clips;
  if (!clip) throw new InputError(input, 'has no clip to take poses from; give a point cache or a sequence');
  return clip;
}

type Solved = ReduceResult & Partial<ReduceByErrorResult>;

function solve(
  { options, signal, progress }: Context,
  asset: Asset,
  limit: number | undefined,
  poses: { clip?: Clip; ranges?: PoseRanges; poses?: PoseSource },
): Promise<Solved> {
  const { method, influences, virtualBones, normals, printed, pursuit, pruneBones, threads, seed } = options;
  const common: ReduceOptions = {
    ...poses,
    ...{ method, normals, printed, pursuit, threads, seed, signal, onProgress: progress },
    prune: pruneBones === true ? PRUNED : pruneBones,
  };
  return limit !== undefined && influences === undefined && virtualBones === undefined
    ? reduceByError(asset, limit, common)
    : reduce(asset, { ...common, influences, virtualBones });
}

function resultOf(
  options: ReduceValues,
  input: Asset,
  solved: Solved,
  measured: MeasuredReduction,
  back: Asset,
): ReportResult {
  const before = input.rig!;
  return {
    method: solved.method,
    bonesBefore: solved.bones.before,
    influencesBefore: maxInfluencesOf(before.skin),
    blendsPerVertex: solved.blendsPerVertex,
    blendsPerVertexBefore: before.skin.weights.length / (before.skin.rowStart.length - 1),
    joints: before.isJoint.reduce((sum, is) => sum + is, 0),
    pieces: back.mesh.parts.length,
    piecesBefore: input.mesh.parts.length,
    poses: solved.poses,
    normals: options.normals,
    status: solved.status,
    ...reportReduction(measured),
    jointsAfter: back.rig!.isJoint.reduce((sum, is) => sum + is, 0),
    ...(solved.tried ? { tried: solved.tried } : {}),
  };
}

/** Measures a reduction in the file of another format than GLB, which has a plain skin. */
function measureFile(
  context: Context,
  posed: PosedAsset,
  { clip, goal }: { clip?: Clip; goal?: ErrorGoal },
): NonNullable<JobFacts['measure']> {
  return (file) =>
    context.finish('measure', async () => {
      const measured = await measureReduction(context, file, posed, clip);
      return {
        metrics: reportMetricsOf(measured.error),
        result: {
          ...reportReduction(measured),
          ...(file.rig ? { blendsPerVertex: meanInfluencesOf(file.rig.skin) } : {}),
          pieces: file.mesh.parts.length,
        },
        gate: makeGoalGate(goal, measured),
      };
    });
}
