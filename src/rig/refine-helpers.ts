// SPDX-License-Identifier: MIT
// From free helpers to helpers that follow their controllers. Not in the paper, where controllers are regressed once on the M poses of every joint, and weights
// stay those of the free helpers:
// - controllers learn from all rotations of the first pass for the joints that they read (M poses are too few for more than a quadric in three angles),
// - weights are solved for the bones that controllers make, helpers for these weights, controllers for these helpers, and again; the best state is kept.
// Only points that follow a helper take part. docs/helper-bones.md has what each of it brings.
import { type NormalizedClip, normalizeBones, normalizeClip } from '../fit/normalize-clip.ts';
import type { Watch } from '../fit/watch.ts';
import { freeTrajectories } from '../kernels/trajectories.ts';
import { makeTimes } from '../model/clip.ts';
import { makeMesh } from '../model/mesh.ts';
import type { RigSource } from '../model/rig-source.ts';
import type { SettledConvertOptions } from './convert-options.ts';
import { HelperFit, weighTrajectories } from './helper-fit.ts';
import { type LearnedHelpers, learnControllers, predictInto } from './learn-controllers.ts';
import type { TrainingSet } from './sample-poses.ts';

/** Times that weights, helpers and controllers are fitted to one another. */
const ROUNDS = 8;
/** Sweeps over helpers in each. */
const SWEEPS = 4;
/** A round must lower the error by this part for another to follow. */
const LEAST_GAIN = 0.005;

/**
 * Fits controllers to the helpers of a fit, and leaves in it the weights that go with them.
 * @param enlarge the training poses with more rotations of some joints
 */
export async function refineHelpers(
  fit: HelperFit,
  normalized: NormalizedClip,
  source: Pick<RigSource, 'skeleton' | 'mesh'>,
  set: TrainingSet,
  o: SettledConvertOptions,
  watch: Watch,
  enlarge?: (joints: readonly number[]) => Promise<TrainingSet>,
): Promise<LearnedHelpers> {
  const { skeleton } = source;
  const dense = { order: o.order, beta: o.beta, joints: o.joints, isSparse: false };
  const first = learnControllers(fit, normalized, skeleton, set, dense);
  const read = [...new Set(first.controllers.flatMap(({ joints }) => [...joints]))].sort((a, b) => a - b);
  const wide = enlarge && read.length > 0 ? await enlarge(read) : set;

  const region = listRegion(fit);
  const own = normalizeClip(fit.compute, clipOf(source, wide, region, normalized));
  const joints = normalizeBones(own, wide.bones, fit.jointCount);
  const roots = weighTrajectories(own.trajectories, wide.weights);
  const part = new HelperFit(fit.compute, own.trajectories, roots, joints, fit.helperCount, fit.options);
  part.axes.view().set(fit.axes.view());
  copyWeights(fit, part, (i) => region[own.weld.vertexOfPoint[i]]);
  predictInto(part, own, skeleton, wide, first);

  let best: { learned: LearnedHelpers; state: ReturnType<HelperFit['save']> } | undefined;
  const settle = async (isSparse: boolean): Promise<void> => {
    await part.solveBones(SWEEPS);
    const parents = isSparse ? best?.learned.facts.map(({ parent }) => parent) : undefined;
    const learned = learnControllers(part, own, skeleton, wide, { ...dense, isSparse }, parents);
    await part.solveWeights('both');
    const before = best?.state.error ?? Number.POSITIVE_INFINITY;
    if (isSparse || part.error < before) best = { learned, state: part.save() };
    else part.restore(best!.state);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const before = best?.state.error ?? Number.POSITIVE_INFINITY;
    await settle(false);
    const stopped = await watch.tick((round + 1) / (ROUNDS + 1), part.eRms);
    if (stopped || part.error > (1 - LEAST_GAIN) * before) break;
  }
  await settle(true);
  copyBack(part, fit, own, region);
  part.free();
  freeTrajectories(own.trajectories);
  return best!.learned;
}

/** Points that follow a helper, rising. */
function listRegion(fit: HelperFit): Uint32Array {
  const [ids, weights] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const most = fit.weights.influences;
  const region: number[] = [];
  for (let i = 0; i < fit.trajectories.vertexCount; i++) {
    let follows = false;
    for (let e = i * most; e < (i + 1) * most; e++) follows ||= ids[e] >= fit.jointCount && weights[e] > 0;
    if (follows) region.push(i);
  }
  // a helper that nothing follows is still a helper
  return Uint32Array.from(region.length > 0 ? region : [0]);
}

/** The points of a region as a clip of their own. */
function clipOf(
  { mesh }: Pick<RigSource, 'mesh'>,
  set: TrainingSet,
  region: Uint32Array,
  { weld }: NormalizedClip,
): Parameters<typeof normalizeClip>[1] {
  const stride = mesh.positions.length;
  const pick = (from: Float32Array, offset: number, to: Float32Array, at: number): void => {
    for (let n = 0; n < region.length; n++)
      for (let c = 0; c < 3; c++) to[at + 3 * n + c] = from[offset + 3 * weld.vertexOfPoint[region[n]] + c];
  };
  const rest = new Float32Array(3 * region.length);
  pick(mesh.positions, 0, rest, 0);
  const positions = new Float32Array(set.frameCount * rest.length);
  for (let k = 0; k < set.frameCount; k++) pick(set.positions, k * stride, positions, k * rest.length);
  return { name: 'region', mesh: makeMesh(rest, new Uint32Array(0)), positions, times: makeTimes(set.frameCount, 1) };
}

/** Weights of other points, each from the point of the first fit that it is. */
function copyWeights(from: HelperFit, to: HelperFit, pointOf: (i: number) => number): void {
  const most = from.weights.influences;
  const [ids, weights] = [from.weights.bones.view(), from.weights.weights.view()];
  const [toIds, toWeights] = [to.weights.bones.view(), to.weights.weights.view()];
  for (let i = 0; i < to.trajectories.vertexCount; i++) {
    const p = pointOf(i) * most;
    for (let a = 0; a < most; a++) {
      toIds[i * most + a] = ids[p + a];
      toWeights[i * most + a] = weights[p + a];
    }
  }
}

function copyBack(from: HelperFit, to: HelperFit, { weld }: NormalizedClip, region: Uint32Array): void {
  const most = from.weights.influences;
  const [ids, weights] = [from.weights.bones.view(), from.weights.weights.view()];
  const [toIds, toWeights] = [to.weights.bones.view(), to.weights.weights.view()];
  for (let n = 0; n < region.length; n++) {
    const i = weld.pointOfVertex[n] * most;
    for (let a = 0; a < most; a++) {
      toIds[region[n] * most + a] = ids[i + a];
      toWeights[region[n] * most + a] = weights[i + a];
    }
  }
}
