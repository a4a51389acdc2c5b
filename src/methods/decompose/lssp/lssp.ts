// SPDX-License-Identifier: MIT
// N. Hasler, T. Thormählen, B. Rosenhahn, H.-P. Seidel, "Learning skeletons for shape and pose", I3D 2010, its decomposition; SIGGRAPH course 2014, §2.2. A clip becomes rigid
// bones, their motion and softly sparse weights:
// 1. near-rigid parts by self-tuning spectral clustering (methods/decompose/lssp/nystrom-clusters.ts; with landmarks, where the original uses a matrix over all pairs of points);
// 2. ten iterations of weights by L1 minimization (lssp-weights.ts) and rigid bones by Levenberg–Marquardt (lssp-bones.ts); weights are not negative, but neither
//    their sum nor their number is constrained;
// 3. weights scaled to sum to one. `influences` then keeps the largest ones, and both errors are in the result.
//
// symbol  here                          shape
// w       weights                        points x bones
// M       SkinFit.bones                  3 frames x 4 bones
// β       penalty                        relative to the penalty at which a vertex has no weights

import { reserveSkinMoments, skinMomentsInto } from '../../../core/kernels/bones/skin-moments.ts';
import { type Compute, uploadFloat64, uploadUint32 } from '../../../core/kernels/compute.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { type Clip, frameCountOf } from '../../../core/model/clip/clip.ts';
import { InputError } from '../../../core/model/errors.ts';
import { fillDefaults } from '../../../core/options/fill-defaults.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { makeSkinnedModel, normalizeClip, SkinFit } from '../../../fit/skin/index.ts';
import type { Decomposition } from '../decomposition.ts';
import { piecesFirst } from '../pieces/pieces-first.ts';
import { lsspBonesInto } from './lssp-bones.ts';
import { lsspWeightsInto } from './lssp-weights.ts';
import { nystromClusters } from './nystrom-clusters.ts';
import { checkLsspOptions, LSSP_OPTIONS, type LsspOptions, type LsspSettings } from './options.ts';

/** Result of lssp. */
export interface LsspResult extends Decomposition {
  /** Error with all weights of the method, scaled to sum to one. */
  eRmsSoft: number;
  /** Maximum number of weights per vertex, before influences were limited. */
  influencesSoft: number;
  /** Mean number of weights per vertex, before influences were limited. */
  blendsSoft: number;
  /** Iterations over weights and bones. */
  iterations: number;
}

/** Maximum number of steps per frame and iteration. Not tuned. */
const STEPS = 3;
/** Minimum relative error reduction of an iteration. Not tuned. */
const MIN_FALL = 1e-4;
/** Weights below this ratio of the largest count as zero. */
const NEGLIGIBLE = 1e-6;

/** Decomposes a clip. Same clip, options and seed give the same bytes for any number of threads. */
export async function lssp(compute: Compute, clip: Clip, options: LsspOptions = {}): Promise<LsspResult> {
  const { signal, onProgress, ...own } = options;
  const settled = fillDefaults(LSSP_OPTIONS, own);
  checkLsspOptions(settled);
  return solveLssp(compute, clip, { ...settled, signal, onProgress });
}

/** The same with all options. */
export async function solveLssp(compute: Compute, clip: Clip, o: LsspSettings): Promise<LsspResult> {
  if (frameCountOf(clip) < 1) throw new InputError('lssp', 'the clip has no frames');
  return piecesFirst(clip, o, {
    bones: o.bones,
    exact: () => ({ eRmsSoft: 0, influencesSoft: 1, blendsSoft: 1, iterations: 0 }),
    solve: (part, own) => solve(compute, part, own),
  });
}

async function solve(compute: Compute, clip: Clip, o: LsspSettings): Promise<LsspResult> {
  const monitor = new SolveMonitor(o);
  return compute.scope(async (memory) => {
    const normalized = normalizeClip(memory, clip);
    const all = normalized.trajectories;
    const boneCount = Math.min(o.bones, all.vertexCount);
    monitor.enter('cluster', 0, 0.2);
    await monitor.tick(0);
    const labels = nystromClusters(all, boneCount, makeRandom(o.seed));
    const weights = new Float64Array(all.vertexCount * boneCount);
    labels.forEach((label, i) => {
      weights[i * boneCount + label] = 1;
    });
    const bones = await fitClusters(memory, all, labels, boneCount);

    monitor.enter('alternate', 0.2, 0.95);
    const squares = measureFrames(all);
    let iterations = 0;
    let status: LsspResult['status'] = 'max-iterations';
    let before = Number.POSITIVE_INFINITY;
    const eRmsOf = (error: number) => 1000 * Math.sqrt(error / (3 * all.vertexCount * all.frameCount));
    for (; iterations < o.iterations && !monitor.isStopped; iterations++) {
      const iteration = iterations;
      const known = Number.isFinite(before) ? eRmsOf(before) : undefined;
      await lsspWeightsInto(memory, all, bones, o.penalty, weights, (part) =>
        monitor.tick((iteration + part) / o.iterations, known),
      );
      const error = await fitBones(memory, all, bones, boneCount, weights, squares);
      await monitor.tick((iteration + 1) / o.iterations, eRmsOf(error));
      if (error > before * (1 - MIN_FALL)) status = 'converged';
      before = error;
    }
    monitor.enter('normalize', 0.95, 1);
    const soft = await limitWeights(memory, all, bones.view(), boneCount, weights, boneCount);
    const hasLimit = o.influences > 0 && o.influences < soft.influencesFound;
    const result = hasLimit ? await limitWeights(memory, all, bones.view(), boneCount, weights, o.influences) : soft;
    await monitor.tick(1, result.fit.eRms);
    return {
      model: makeSkinnedModel(clip, normalized, result.fit, false),
      eRms: result.fit.eRms,
      eRmsSoft: soft.fit.eRms,
      influencesSoft: soft.influencesFound,
      blendsSoft: soft.total / all.vertexCount,
      iterations,
      status: monitor.isStopped ? 'stopped' : status,
    };
  });
}

/** Rigid bones of clusters: (3 frameCount) x 4 boneCount. */
async function fitClusters(compute: Compute, all: Trajectories, labels: Uint32Array, boneCount: number) {
  const bones = compute.float64(12 * all.frameCount * boneCount);
  await compute.scope(async (memory) => {
    const fit = new SkinFit(memory, all, boneCount, {
      ...{ influences: 1, transforms: 'rigid', ridge: 0, sweeps: 1, support: 'exchange' },
    });
    // an empty cluster gets the identity rotation
    const start = fit.bones.view();
    for (let row = 0; row < 3 * all.frameCount; row++)
      for (let j = 0; j < boneCount; j++) start[(row * boneCount + j) * 4 + (row % 3)] = 1;
    fit.weights.bones.view().set(labels);
    fit.weights.weights.view().fill(1);
    await fit.solveBones();
    bones.view().set(fit.bones.view());
  });
  return bones;
}

async function fitBones(
  compute: Compute,
  all: Trajectories,
  bones: Awaited<ReturnType<typeof fitClusters>>,
  boneCount: number,
  weights: Float64Array,
  squares: Float64Array,
): Promise<number> {
  const packed = packWeights(weights, boneCount, boneCount);
  return compute.scope(async (memory) => {
    const ids = uploadUint32(memory, packed.ids);
    const weightsOfIds = uploadFloat64(memory, packed.weights);
    const moments = reserveSkinMoments(memory, boneCount, all.frameCount);
    await skinMomentsInto(memory, all, ids, weightsOfIds, boneCount, moments);
    return lsspBonesInto(bones.view(), boneCount, moments, squares, STEPS);
  });
}

/** Rows of a fixed width with the largest weights first, ties by bone; the width is at most limit, and the smallest that suffices. */
function packWeights(weights: Float64Array, boneCount: number, limit: number) {
  const vertexCount = weights.length / boneCount;
  const rows: number[][] = [];
  let influencesFound = 1;
  let total = 0;
  for (let i = 0; i < vertexCount; i++) {
    const o = i * boneCount;
    let largest = 0;
    for (let j = 0; j < boneCount; j++) largest = Math.max(largest, weights[o + j]);
    const row: number[] = [];
    for (let j = 0; j < boneCount; j++) if (weights[o + j] > NEGLIGIBLE * largest) row.push(j);
    row.sort((a, b) => weights[o + b] - weights[o + a] || a - b);
    row.length = Math.min(row.length, limit);
    influencesFound = Math.max(influencesFound, row.length);
    total += row.length;
    rows.push(row);
  }
  const ids = new Uint32Array(vertexCount * influencesFound);
  const packed = new Float64Array(vertexCount * influencesFound);
  rows.forEach((row, i) => {
    row.forEach((j, n) => {
      ids[i * influencesFound + n] = j;
      packed[i * influencesFound + n] = weights[i * boneCount + j];
    });
  });
  return { ids, weights: packed, influencesFound, total };
}

/** A fit with the largest weights of every vertex, scaled to sum to one, and its error. */
async function limitWeights(
  compute: Compute,
  all: Trajectories,
  bones: Float64Array,
  boneCount: number,
  weights: Float64Array,
  limit: number,
): Promise<{ fit: SkinFit; influencesFound: number; total: number }> {
  const { ids, weights: packed, influencesFound, total } = packWeights(weights, boneCount, limit);
  for (let o = 0; o < packed.length; o += influencesFound) {
    let sum = 0;
    for (let e = o; e < o + influencesFound; e++) sum += packed[e];
    for (let e = o; e < o + influencesFound; e++) packed[e] /= sum;
  }
  const kept = bones.slice();
  const locked = compute.uint32(all.vertexCount);
  locked.view().fill(1);
  const fit = new SkinFit(
    compute,
    all,
    boneCount,
    { influences: influencesFound, transforms: 'rigid', ridge: 0, sweeps: 1, support: 'exchange' },
    locked,
  );
  fit.bones.view().set(kept);
  fit.weights.bones.view().set(ids);
  fit.weights.weights.view().set(packed);
  // all weights are locked: this only measures
  await fit.solveWeights('warm');
  return { fit, influencesFound, total };
}

/** frameCount: Σ|v|² */
function measureFrames({ posed, vertexCount, frameCount }: Trajectories): Float64Array {
  const squares = new Float64Array(frameCount);
  const view = posed.view();
  for (let i = 0; i < vertexCount; i++) {
    for (let k = 0; k < frameCount; k++) {
      const o = 3 * (i * frameCount + k);
      squares[k] += view[o] * view[o] + view[o + 1] * view[o + 1] + view[o + 2] * view[o + 2];
    }
  }
  return squares;
}
