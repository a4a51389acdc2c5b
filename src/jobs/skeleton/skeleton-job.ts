// SPDX-License-Identifier: MIT

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { UsageError } from '../../core/model/errors.ts';
import { shortName } from '../../core/model/plain-text.ts';
import {
  choice,
  file,
  group,
  length,
  type OptionsOf,
  option,
  outputFile,
  type Values,
} from '../../core/options/option.ts';
import { checkPath, type Path, schemaOf } from '../../core/options/step.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import { listPlayedClips, type PlayedClip } from '../../deformers/playback/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { moveRoot, type RootMotion } from '../../formats/root-motion/index.ts';
import { writeBvh } from '../../formats/shared/index.ts';
import { measureFor, type Written } from '../../measure/index.ts';
import {
  listUnreadOptions,
  SKELETON_MODEL_OPTIONS,
  SKELETON_PLACE_OPTIONS,
  SKELETON_ROOT_OPTIONS,
  SKELETON_SOLVER_OPTIONS,
  type SkeletonWay,
  skeletonMethod,
} from '../../methods/skeleton/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  FRAME_OPTIONS,
  formatCount,
  type JobContext,
  KEY_OPTIONS,
  MOVING_INPUT,
  makeGoalGate,
  needsMotion,
  type Report,
  reportMetricsOf,
  reportWritten,
  TOGETHER_OPTION,
} from '../engine/index.ts';
import {
  animationRows,
  describeInfluences,
  describeModel,
  describePlayers,
  formatTree,
  measureAgain,
  readWritten,
  reportPlayers,
  warnBetween,
  warnImprecise,
  warnStopped,
} from '../report/index.ts';
import {
  CHARACTER_OUTPUT,
  checkDenoise,
  checkSizeOptions,
  goalOf,
  keyTolerance,
  listDenoisedPaths,
  MEAN_GATES,
  NAME_OPTIONS,
  NOISE_OPTIONS,
  nameModel,
  noiseOf,
  noteNoise,
  ROUNDED,
  reportSize,
  SIZE_OPTIONS,
  shrinkModel,
  writeDenoised,
} from '../shared/index.ts';
import { type ExtractResult, skeleton } from './extract.ts';
import { readHierarchy } from './read-hierarchy.ts';

const GATE_OPTIONS = {
  ...group('Model options:', {
    maxError: option(length, 'maximum vertex error: 0.01, 1mm or 0.5%; exit with status 3 if it is exceeded', {
      conflicts: ['rms', 'kg'],
    }),
  }),
  ...MEAN_GATES,
};

const HIERARCHY_OPTIONS = group('Skeleton options:', {
  hierarchy: option(file, 'use the joints of this skinned glTF, or of a JSON list of { name, parent, position }', {
    conflicts: ['bones', 'root', 'method'],
  }),
});

/** Names of joints that slide that are printed. */
const MAX_NAMES = 8;

const BVH_OPTIONS = group('Output options:', {
  bvh: option(outputFile, 'also write the motion as BVH, one file per clip; all joints stay connected then'),
});

const ROOT_MOTIONS = ['keep', 'extract'] as const satisfies readonly RootMotion[];

/** --root is the name of a bone here; other commands have this as --root. */
const ROOT_MOTION_OPTIONS = group('Skeleton options:', {
  rootMotion: option(
    choice(ROOT_MOTIONS),
    'horizontal motion and turn of the trunk: keep, extract (move it to one root bone, as engines expect)',
    { default: 'keep' },
  ),
});

/** The steps of the job, in the order of the help. */
const STEPS = [
  { name: 'model', options: SKELETON_MODEL_OPTIONS },
  { name: 'gate', options: GATE_OPTIONS },
  { name: 'root', options: SKELETON_ROOT_OPTIONS },
  { name: 'hierarchy', options: HIERARCHY_OPTIONS },
  { name: 'root motion', options: ROOT_MOTION_OPTIONS },
  { name: 'place', options: SKELETON_PLACE_OPTIONS },
  { name: 'solve', options: SKELETON_SOLVER_OPTIONS },
  { name: 'names', options: NAME_OPTIONS },
  { name: 'bvh', options: BVH_OPTIONS },
  { name: 'noise', options: NOISE_OPTIONS },
  { name: 'size', options: SIZE_OPTIONS },
  { name: 'store', options: KEY_OPTIONS },
  { name: 'frames', options: { ...FRAME_OPTIONS, ...TOGETHER_OPTION } },
  { name: 'common', options: COMMON_OPTIONS },
] as const;

const OPTIONS = schemaOf(STEPS);

type Options = OptionsOf<typeof OPTIONS>;
type Context = JobContext<Options>;

/** All steps, without the options that the method does not read: those of the search if joints or their number are given, or if it solves once. */
function pathOf(way: SkeletonWay): Path {
  const faults = listUnreadOptions(way);
  const steps = STEPS.map(({ name, options }) => ({
    name,
    options: Object.fromEntries(Object.entries(options).filter(([key]) => !Object.hasOwn(faults, key))),
  }));
  return { of: 'this skeleton', steps, faults };
}

export const skeletonJob = defineJob({
  name: 'skeleton',
  title: 'Skeleton',
  summary: 'turn an animated mesh into a character: joints, weights and joint rotations',
  description:
    'Finds the skeleton that moves a mesh: a hierarchy of joints, weights, and joint rotations that reproduce the motion, as a GLB for ' +
    'riggers and for retargeting. Measures what was written. Separate bodies get a root each.',
  inputs: [MOVING_INPUT],
  output: CHARACTER_OUTPUT,
  replaces: ['joints', 'nodes', 'morphTargets', 'deformers'],
  examples: [
    { line: 'skeleton rest.obj+motion.pc2 out.glb', does: 'as many bones as the motion needs' },
    { line: 'skeleton rest.obj+motion.pc2 out.glb --bones 27 --end-joints', does: '27 bones, with end joints' },
    { line: 'skeleton dance.glb out.glb --bvh dance.bvh', does: 'also write the motion as BVH' },
    { line: 'skeleton dance.glb out.glb --hierarchy rig.glb', does: 'fit the joints of rig.glb to the motion' },
  ],
  options: OPTIONS,
  isStoppable: true,
  plan: (options, size) => skeletonMethod.plan(options, undefined, size),
  refuses: needsMotion,
  titleOf: (values: Values) =>
    `Skeleton${Number(values.bones) > 0 ? `, ${formatCount(Number(values.bones), 'bone')}` : ''}`,
  check(options, { output, options: given = {} }) {
    const { bvh } = options;
    checkPath(pathOf(options), given);
    if (options.for !== undefined && options.rootMotion === 'extract')
      throw new UsageError(
        '--root-motion',
        'is not combined with --for size; run bake with --root extract on the result',
      );
    checkSizeOptions(options, output);
    checkDenoise(options.denoise);
    skeletonMethod.check(options);
    if (bvh !== undefined && !/\.bvh$/i.test(bvh))
      throw new UsageError('--bvh', `the file must end in .bvh, not "${bvh}"`);
  },
  async run(context) {
    const { options, output } = context;
    const opened = await context.open(context.job.inputs[0]);
    const { asset } = opened;
    const hierarchy = options.hierarchy === undefined ? undefined : await readHierarchy(options.hierarchy, context);
    const played = await context.phase('bake', () => listPlayedClips(opened, { ...options, filled: true }));
    const clips = played.map(({ clip }) => clip);
    const bvhPaths = options.bvh === undefined ? [] : listBvhPaths(options.bvh, clips.length);
    await context.claim([output, ...bvhPaths, ...listDenoisedPaths(options.denoise, clips)]);
    warnImprecise(clips, (text) => context.note(text));
    const found = await context.phase('solve', async () =>
      skeleton(clips, {
        ...{ ...options, joints: jointsOf(options), hierarchy, signal: context.signal, onProgress: context.progress },
        ...{ noise: noiseOf(context, asset), compute: await context.compute() },
      }),
    );
    const solved = { ...found, model: nameModel(found.model, asset.up, options, asset.name) };
    noteNoise(context, solved.noise, asset, clips);
    noteOutcome(context, solved, clips);
    const goal = goalOf(options, asset, clips);
    const made = await writeModel(context, asset, played, solved, goal);
    const bvh = bvhPaths.map((path, n) => ({ path, bytes: writeBvh(solved.model, solved.model.motions[n]) }));
    const denoised = await writeDenoised(options.denoise, clips, solved.model);
    const warned = warnBetween(context, made.written);
    const players = await context.finish('measure', () => reportPlayers(context, made.written.asset, played));
    return {
      inputs: [opened],
      files: [{ path: output, bytes: made.bytes }, ...bvh, ...denoised],
      gate: makeGoalGate(goal, made.written),
      metrics: reportMetricsOf(made.written.error),
      result: { ...describeResult(options, solved, made), ...warned, ...players, ...describeTree(solved) },
      bytes: { file: made.bytes.length },
      measure: measureAgain(context, played, goal),
    };
  },
  describe: describeSkeleton,
});

/** A file that was written and measured. */
interface MadeFile {
  bytes: Uint8Array;
  written: Written;
  /** Tolerance of keys, file units. */
  keys: number;
  /** For the report: how numbers are stored, with --for size. */
  size: ReturnType<typeof reportSize> | undefined;
}

/** Writes the model and measures the file; with --for size, the smallest file that meets the goal. */
async function writeModel(
  context: Context,
  asset: Asset,
  played: readonly PlayedClip[],
  solved: ExtractResult,
  goal: ErrorGoal | undefined,
): Promise<MadeFile> {
  const { options } = context;
  const { diagonal } = measureBounds(asset.mesh.positions);
  if (options.for !== undefined) {
    const small = await shrinkModel(context, asset, played, solved.model, {
      ...{
        goal: goal ?? { kind: 'rms', limit: ROUNDED * (solved.rmsePercent / 100) * diagonal },
        isFree: false,
        codec: options.codec,
      },
    });
    return { bytes: small.bytes, written: small.written, keys: 0, size: reportSize(small) };
  }
  const keys = keysOf(context, asset, (solved.rmsePercent / 100) * diagonal, diagonal);
  const bytes = await context.finish('write', async () =>
    placeRoot(context, await writeGlb(asset, { kind: 'skin', model: solved.model, keys }, context.storing)),
  );
  const written = await context.finish('measure', async () =>
    measureFor(await readWritten(bytes), played, {
      ...{ player: 'runtime', up: asset.up, compute: await context.compute(), ...context.measuring },
    }),
  );
  return { bytes, written, keys, size: undefined };
}

/** The file with its motion on the ground in a root bone, where that is asked for. */
async function placeRoot(context: Context, bytes: Uint8Array): Promise<Uint8Array> {
  const { rootMotion = 'keep' } = context.options;
  if (rootMotion === 'keep') return bytes;
  const moved = await moveRoot(await readWritten(bytes), rootMotion, (text) => context.note(text));
  return writeGlb(moved, { kind: 'clip' }, context.storing);
}

/** The tolerance of --keys, file units; 0: all keys are kept. */
function keysOf(context: Context, asset: Asset, rms: number, diagonal: number): number {
  const { keys } = context.options;
  if (keys === undefined) return 0;
  return keys === true ? keyTolerance(rms, diagonal) : context.lengthOf(keys, asset);
}

/** The facts of the solve and of the file. */
function describeResult({ method }: Options, solved: ExtractResult, { size, written, keys }: MadeFile) {
  const { model: _model, seconds: _seconds, ...facts } = solved;
  return {
    ...{ method, ...size, ...facts, ...reportWritten(written), bones: facts.joints + facts.bodies },
    ...{ rmsePercentSolved: solved.rmsePercent, keys },
  };
}

function describeTree({ model }: ExtractResult) {
  const { names, parents } = model.skeleton;
  return { roots: names.filter((_, j) => parents[j] < 0), skeleton: { names, parents: [...parents] } };
}

/** BVH has no translations of joints. */
function jointsOf({ bvh, joints }: Options): Options['joints'] {
  return bvh !== undefined && joints === 'auto' ? 'exact' : joints;
}

/** One file, or out-1.bvh, out-2.bvh … */
function listBvhPaths(path: string, clipCount: number): string[] {
  if (clipCount === 1) return [path];
  return Array.from({ length: clipCount }, (_, n) => path.replace(/\.bvh$/i, `-${n + 1}$&`));
}

function noteOutcome(context: Context, solved: ExtractResult, clips: readonly Clip[]): void {
  const frames = clips.reduce((sum, clip) => sum + clip.times.length, 0);
  const { bodies, rigidBodies, stillBodies, model, joints } = solved;
  const bones = joints + bodies;
  warnStopped(context, solved.status);
  const note = (text: string) => context.note(text);
  if (bodies > 1) {
    const roots = model.skeleton.names.filter((_, j) => model.skeleton.parents[j] < 0);
    note(`the mesh has ${bodies} separate bodies; each has its own root: ${roots.join(', ')}`);
  }
  if (stillBodies > 0)
    note(
      stillBodies === bodies
        ? 'nothing moves; writing one bone and no joint'
        : `${formatCount(stillBodies, 'body does', 'bodies do')} not move and got one bone each`,
    );
  else if (rigidBodies > 0)
    note(
      rigidBodies === bodies
        ? 'the mesh moves as a whole and does not bend; writing one bone and no joint'
        : `${formatCount(rigidBodies, 'body moves', 'bodies move')} as a whole and got one bone each`,
    );
  else if (frames === 1) note('there is only one frame; more frames would place the joints better');
  const { bones: wanted } = context.options;
  if (wanted !== undefined && bones < wanted && rigidBodies === 0)
    note(`the input supports only ${formatCount(bones, 'bone')}; using ${bones} instead of ${wanted}`);
}

function describeSkeleton(report: Report) {
  const { result } = report;
  const roots = Number(result.bodies) > 1 ? `, ${result.bodies} roots` : '';
  const outside = Number(result.outside);
  const placed = Number(result.outsideBefore) - outside;
  const inside = placed > 0 ? `, ${placed} moved inside` : '';
  return describeModel(report, {
    before: '',
    after: `${formatCount(result.bones ?? 0, 'bone')}${roots}, ${describeInfluences(result)}`,
    errors: animationRows(report, ''),
    more: [
      `${formatCount(Number(result.joints), 'joint')}, ${outside} outside the body${inside}`,
      ...describeSliding(result.sliding as string[]),
      ...describePlayers(report),
      formatTree(result.skeleton as { names: string[]; parents: number[] }),
    ],
  });
}

function describeSliding(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const list = names
    .slice(0, MAX_NAMES)
    .map((name) => shortName(name))
    .join(', ');
  const more = names.length > MAX_NAMES ? ' …' : '';
  return [
    `${formatCount(names.length, 'joint slides', 'joints slide')}: ${list}${more} (the motion translates these bones against their parents; --joints connected connects them, at a larger error)`,
  ];
}
