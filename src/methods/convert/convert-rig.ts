// SPDX-License-Identifier: MIT
// T. Mukai, "Sampling-based rig conversion into non-rigid helper bones", I3D 2018, doi:10.1145/3203190. Any skeleton-driven deformer, as a black box, is converted to
// linear blend skinning with helper bones, and controllers that compute the helper bones from the joints.
//
// step                      paper           here
// training poses            §4.2–4.4        sample-poses.ts
// weights of joints         §4.1, Eq. 3–6   HelperFit without helpers (core/kernels/weights/convex-weights.ts)
// helper insertion          §5.2            search-helpers.ts, insert-helpers.ts
// decomposition             §5.1, §5.3      helper-fit.ts
// controllers               §5.4            fit-controller.ts
//
// refinement                none            refine-helpers.ts
//
// A fit to training poses, of a rig or of a clip: fit-set.ts

import { InputError, UsageError } from '../../core/model/errors.ts';
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { JointRange } from '../../fit/poses/index.ts';
import { fitHelpers, type HelperGoal } from './fit-goal.ts';
import { type FittedSet, fitSet } from './fit-set.ts';
import {
  type ConvertRigResult,
  type ConvertRun,
  checkAround,
  type HelperSettings,
  type RigInput,
} from './helper-input.ts';
import { keepOwnSkin, measureOwnSkin } from './keep-own-skin.ts';
import { hopfGrid } from './sample/hopf-grid.ts';
import { listJointRotations } from './sample/joint-rotations.ts';
import { enlargePoses, samplePoses } from './sample/sample-poses.ts';
import type { TrainingSet } from './sample/shape-set.ts';
import { SourceProbe } from './sample/source-probe.ts';

/** Root mean square error relative to the size that is due to single precision. */
const EXACT = 1e-6;

/**
 * Converts a source. Same source, options and seed give the same bytes, for any number of threads.
 * @param goal a maximum error, instead of a number of helpers
 */
export async function convertRig(
  run: ConvertRun,
  input: RigInput,
  settings: HelperSettings,
  goal?: HelperGoal,
): Promise<ConvertRigResult> {
  const { source, ranges } = input;
  const { fit } = settings;
  const { names } = source.skeleton;
  if (ranges && ranges.length !== names.length)
    throw new InputError('convert', `${ranges.length} ranges for ${names.length} joints`);
  checkAround(fit, source.skeleton);
  if (fit.delay === 'auto')
    throw new UsageError(
      'convert',
      "delay 'auto' requires a clip, whose frames show the lag; for a rig without one, give seconds",
    );
  return run.compute.scope((memory) => fitProbed(run, input, settings, new SourceProbe(source, memory), goal));
}

async function fitProbed(
  { compute, monitor }: ConvertRun,
  { source, ranges, edited }: RigInput,
  { poses, fit }: HelperSettings,
  probe: SourceProbe,
  goal?: HelperGoal,
): Promise<ConvertRigResult> {
  const { names } = source.skeleton;
  const rotations = listRotations(source, ranges);
  const onJoint = (part: number) => monitor.tick(part);
  monitor.enter('sample', 0, 0.4);
  const set = await samplePoses(probe, rotations, { ...poses, onJoint });
  if (monitor.isStopped && source.skin)
    return { ...keepOwnSkin(source, source.skin, fit.influences), evaluations: probe.evaluations, rotations };
  if (set.frameCount === 0)
    throw new InputError(
      'convert',
      `no joint of "${source.name}" that can rotate moves a vertex; check the weights and the joint ranges`,
    );
  const kept = await keepExact(probe, set, { poses, fit }, edited === undefined, goal);
  if (kept) return { ...kept, evaluations: probe.evaluations, idle: set.idle.map((j) => names[j]), rotations };
  const enlarge = (joints: readonly number[]): Promise<TrainingSet> =>
    enlargePoses(probe, rotations, set, joints, onJoint);
  let normals: Float32Array | undefined;
  const problem = {
    ...{ source, set, edited },
    normalsOf: () => (normals ??= probe.listNormals(set.rotations)),
    enlarge: poses.sampling === 'importance' ? enlarge : undefined,
  };
  const fitted = await fitHelpers(
    (helpers, own, from?: FittedSet) => fitSet({ compute, monitor: own }, problem, { ...fit, helpers }, from?.search),
    { helpers: fit.helpers, goal, monitor },
  );
  return { ...fitted, evaluations: probe.evaluations, idle: set.idle.map((j) => names[j]), rotations };
}

/** The own skin of a source that is plain linear blend skinning with few enough weights; undefined of others. */
async function keepExact(
  { source, memory, size }: SourceProbe,
  set: TrainingSet,
  { fit }: HelperSettings,
  isFree: boolean,
  goal?: HelperGoal,
): Promise<Omit<ConvertRigResult, 'evaluations' | 'rotations'> | undefined> {
  if (!source.skin || !isFree || fit.target !== 'linear' || fit.normalWeights) return undefined;
  const own = keepOwnSkin(source, source.skin, fit.influences);
  const rmse = await measureOwnSkin(memory, source, own.model.skin, set);
  if (!(rmse <= EXACT * size)) return undefined;
  const tried = goal ? [{ helpers: 0, max: await goal.measure(own.model) }] : [];
  return { ...own, poses: set.frameCount, rmse: { joints: rmse, helpers: rmse }, status: 'converged', tried };
}

/** The candidate rotations of every joint. */
export function listRotations({ skeleton }: RigSource, given?: readonly JointRange[]): Float64Array[] {
  const grid = hopfGrid(1);
  const ranges = given ?? defaultRanges(skeleton);
  return listTurned(skeleton).map((turns, j) => (turns ? listJointRotations(grid, ranges[j]) : new Float64Array(0)));
}

/** ±90° about each axis for every joint. */
function defaultRanges(skeleton: Skeleton): JointRange[] {
  const half = [-Math.PI / 2, Math.PI / 2] as const;
  const none = [0, 0] as const;
  return skeleton.names.map(() => ({ rotation: [half, half, half], translation: [none, none, none] }));
}

/**
 * The joints that poses rotate: all except the root. If there are several roots, those without children are rotated too (a flat list of bones has no fixed root).
 */
function listTurned({ parents }: Skeleton): boolean[] {
  const roots = parents.reduce((count, parent) => count + Number(parent < 0), 0);
  const hasChild = new Uint8Array(parents.length);
  for (const parent of parents) if (parent >= 0) hasChild[parent] = 1;
  return Array.from(parents, (parent, j) => parent >= 0 || (roots > 1 && !hasChild[j]));
}
