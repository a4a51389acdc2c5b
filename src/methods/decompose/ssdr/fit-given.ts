// SPDX-License-Identifier: MIT
// Decomposition with given parts: bones with their motion (weights are solved, except locked ones), or weights (motion is solved), or weights of which only
// some are locked (both are solved, locked ones are kept).

import type { Compute } from '../../../core/kernels/compute.ts';
import { type Clip, frameCountOf } from '../../../core/model/clip/clip.ts';
import { boneCountOfMotion } from '../../../core/model/clip/motion.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { maxInfluencesOf, type Skin } from '../../../core/model/skin/skin.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { refineNorm } from '../../../fit/norm/index.ts';
import { correctRest } from '../../../fit/rest/index.ts';
import {
  makeSkinnedModel,
  type NormalizedClip,
  normalizeBones,
  normalizeClip,
  SkinFit,
} from '../../../fit/skin/index.ts';
import type { GivenParts } from '../given-parts.ts';
import type { SsdrOptions, SsdrSettings } from './options.ts';
import { fitOptionsOf, type SsdrResult, settleSsdrOptions } from './ssdr.ts';

/** Sweeps over bones per iteration if weights are given: they cost little, and only bones are solved. */
const SWEEPS = 10;

/** Solves the parts that are not given. */
export async function fitGiven(
  compute: Compute,
  clip: Clip,
  given: GivenParts,
  options: SsdrOptions = {},
): Promise<SsdrResult> {
  return solveGiven(compute, clip, given, settleSsdrOptions(options));
}

/** The same with all options. */
export async function solveGiven(
  compute: Compute,
  clip: Clip,
  given: GivenParts,
  options: SsdrSettings,
): Promise<SsdrResult> {
  const { skin, motion, skeleton } = given;
  if (skin && motion && !given.locked)
    throw new InputError('decompose', 'motion and weights are both given; omit one of them');
  if (!skin && !motion) throw new InputError('decompose', 'motion or weights must be given');
  const boneCount = motion ? boneCountOfMotion(motion) : countBones(skin, skeleton);
  checkGiven(clip, given, boneCount);
  const monitor = new SolveMonitor(options);
  return compute.scope(async (memory) => {
    const normalized = normalizeClip(memory, clip);
    const fit = openFit(memory, normalized, given, boneCount, options);
    const { norm } = options;
    if (skin) putSkin(fit, skin, normalized.weld.vertexOfPoint);
    const { iterations, status } = motion
      ? await solveForMotion(fit, normalizeBones(normalized, motion.matrices, boneCount), options, monitor)
      : await solveBoth(fit, startOf(normalized, given, boneCount), options, monitor);
    if (norm !== 2 && !monitor.isStopped) {
      const onIteration = () => monitor.tick(1, fit.eRms);
      await refineNorm(fit, { norm, keepRest: true, keepBones: motion !== undefined, onIteration });
    }
    const eRmsBeforeRest = fit.eRms;
    const newRest = options.keepRest === false;
    if (newRest) {
      correctRest(fit);
      await fit.solveWeights('warm');
    }
    const model = makeSkinnedModel(clip, normalized, fit, newRest);
    return {
      model: { ...model, skeleton: skeleton ?? model.skeleton },
      eRms: fit.eRms,
      eRmsBeforeRest,
      iterations,
      relocations: 0,
      reseeds: 0,
      status: monitor.isStopped ? 'stopped' : status,
    };
  });
}

/** A fit whose given weights are locked. */
function openFit(
  memory: Compute,
  { trajectories: points, weld }: NormalizedClip,
  { skin, locked: isLocked }: GivenParts,
  boneCount: number,
  options: SsdrSettings,
): SkinFit {
  const influences = Math.min(boneCount, Math.max(options.influences, skin ? maxInfluencesOf(skin) : 1));
  const usual = fitOptionsOf(options);
  const locked = memory.uint32(points.vertexCount);
  if (skin) {
    const view = locked.view();
    for (let i = 0; i < view.length; i++) view[i] = isLocked ? isLocked[weld.vertexOfPoint[i]] : 1;
  }
  const fitOptions = { ...usual, influences, sweeps: skin ? SWEEPS : usual.sweeps };
  return new SkinFit(memory, points, boneCount, fitOptions, locked);
}

/** The bones from which a solve for the motion starts: given ones, or the rest pose in every frame. */
function startOf(normalized: NormalizedClip, { start }: GivenParts, boneCount: number): Float64Array {
  if (start) return normalizeBones(normalized, start.matrices, boneCount);
  const bones = new Float64Array(12 * boneCount * normalized.trajectories.frameCount);
  putIdentity(bones, boneCount);
  return bones;
}

type Settled = Pick<SsdrResult, 'iterations' | 'status'>;

/** Solves bones and weights that are not locked. With fixed weights only bones are solved: sweeps are repeated until convergence. */
async function solveBoth(
  fit: SkinFit,
  start: Float64Array,
  { iterations: most, tolerance }: SsdrSettings,
  monitor: SolveMonitor,
): Promise<Settled> {
  let iterations = 0;
  let status: SsdrResult['status'] = 'max-iterations';
  fit.bones.view().set(start);
  monitor.enter('alternate', 0, 1);
  await fit.solveWeights('warm');
  let before = Number.POSITIVE_INFINITY;
  await fit.alternate(most, async () => {
    iterations++;
    const done = fit.eRms > before * (1 - tolerance);
    before = fit.eRms;
    if (done) status = 'converged';
    return (await monitor.tick(iterations / most, fit.eRms)) || done;
  });
  return { iterations, status };
}

/** Solves the weights for given bones. */
async function solveForMotion(
  fit: SkinFit,
  bones: Float64Array,
  { iterations: most, tolerance }: SsdrSettings,
  monitor: SolveMonitor,
): Promise<Settled> {
  let iterations = 0;
  fit.bones.view().set(bones);
  monitor.enter('weights', 0, 1);
  await fit.solveWeights('cold');
  for (; iterations < most && !(await monitor.tick(iterations / most, fit.eRms)); iterations++) {
    const before = fit.error;
    await fit.solveWeights('both');
    if (fit.error > before * (1 - tolerance)) break;
  }
  return { iterations, status: 'converged' };
}

function countBones(skin: Skin | undefined, skeleton: Skeleton | undefined): number {
  let count = skeleton?.names.length ?? 0;
  for (const bone of skin?.boneIndices ?? []) count = Math.max(count, bone + 1);
  return count;
}

/** Throws an InputError unless the given parts fit the clip. */
export function checkGiven(clip: Clip, given: GivenParts, boneCount: number): void {
  const vertexCount = clip.mesh.positions.length / 3;
  if (boneCount < 1) throw new InputError('decompose', 'the given skeleton, motion or weights have no bones');
  if (given.skin && given.skin.rowStart.length - 1 !== vertexCount) {
    throw new InputError(
      'decompose',
      `the given weights are for ${given.skin.rowStart.length - 1} vertices, the clip has ${vertexCount}`,
    );
  }
  if (given.motion && given.motion.times.length !== frameCountOf(clip)) {
    throw new InputError(
      'decompose',
      `the given motion has ${given.motion.times.length} frames, the clip has ${frameCountOf(clip)}`,
    );
  }
  if (given.skeleton && given.skeleton.names.length !== boneCount) {
    throw new InputError(
      'decompose',
      `the given skeleton has ${given.skeleton.names.length} bones, its motion or weights ${boneCount}`,
    );
  }
}

function putSkin(fit: SkinFit, skin: Skin, vertexOfPoint: Uint32Array): void {
  const ids = fit.weights.bones.view();
  const weights = fit.weights.weights.view();
  const most = fit.weights.influences;
  for (let i = 0; i < vertexOfPoint.length; i++) {
    const row = skin.rowStart[vertexOfPoint[i]];
    const count = skin.rowStart[vertexOfPoint[i] + 1] - row;
    let sum = 0;
    for (let e = 0; e < count; e++) sum += skin.weights[row + e];
    for (let e = 0; e < most; e++) {
      ids[i * most + e] = e < count ? skin.boneIndices[row + e] : 0;
      weights[i * most + e] = e < count ? skin.weights[row + e] / sum : 0;
    }
  }
}

function putIdentity(bones: Float64Array, boneCount: number): void {
  for (let row = 0; row < bones.length / (4 * boneCount); row++) {
    for (let j = 0; j < boneCount; j++) bones[row * 4 * boneCount + 4 * j + (row % 3)] = 1;
  }
}
