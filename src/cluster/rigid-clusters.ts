// SPDX-License-Identifier: MIT
// Clusters of rigid motion (Course 2014, §1.4): the first bones of a decomposition.
//
// Seeds are chosen one by one: of some points drawn with probability proportional to their present error, the one whose patch gives the lowest total error
// with the best single bone per point. A few Lloyd iterations follow (each point to its best bone, each bone refitted to its points); an empty cluster is seeded
// again at the point of largest error. The result always has the given number of bones.
import { boneErrorsInto } from '../kernels/bone-errors.ts';
import { boneProductsInto, reserveBoneProducts, widthOf } from '../kernels/bone-products.ts';
import { boneSweep } from '../kernels/bone-sweep.ts';
import type { Compute, Resident } from '../kernels/compute.ts';
import { reserveSkinMoments, skinMomentsInto } from '../kernels/skin-moments.ts';
import type { Trajectories } from '../kernels/trajectories.ts';
import type { Random } from '../math/random.ts';
import { drawByValue, placeBone, RigidPatches } from './rigid-patches.ts';

/** Candidates per seed; even, so that kernel rows need no padding. */
const TRIES = 6;
const LLOYD_ITERATIONS = 5;
/** Size of a patch relative to an average cluster, and the minimum number of points (if there are enough per bone). */
const PATCH_PART = 0.25;
const MIN_PATCH = 8;

/** Number of points of a seed's patch; one if there are as many bones as points. */
function patchSizeOf(vertexCount: number, boneCount: number): number {
  const average = vertexCount / boneCount;
  return Math.max(1, Math.round(PATCH_PART * average), Math.min(MIN_PATCH, Math.floor(average)));
}

export interface RigidClusters {
  /** vertexCount: the bone of each point */
  labels: Uint32Array;
  /** Empty clusters that were seeded again. */
  reseeds: number;
}

/**
 * Fills bones (rows x 4 boneCount) with rigid motions of clusters.
 * @param seeds first motions, rows x 4 boneCount. Default: chosen by error
 */
export async function rigidClusters(
  compute: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  boneCount: number,
  random: Random,
  seeds?: Float64Array,
): Promise<RigidClusters> {
  if (seeds) bones.view().set(seeds);
  else await compute.scope((memory) => seedBones(memory, trajectories, bones, boneCount, random));
  const labels = new Uint32Array(trajectories.vertexCount);
  const reseeds = await compute.scope((memory) => refineClusters(memory, trajectories, bones, boneCount, labels));
  return { labels, reseeds };
}

async function seedBones(
  compute: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  boneCount: number,
  random: Random,
): Promise<void> {
  const { vertexCount, frameCount } = trajectories;
  const patches = new RigidPatches(trajectories);
  const size = patchSizeOf(vertexCount, boneCount);
  const present = new Float64Array(vertexCount).fill(1); // error under the best bone so far; initially equal
  const fresh = new Float64Array(12 * frameCount * TRIES);
  const tried = compute.float64(fresh.length);
  const products = reserveBoneProducts(compute, TRIES);
  const errors = compute.float64(vertexCount * TRIES);
  for (let j = 0; j < boneCount; j++) {
    for (let n = 0; n < TRIES; n++)
      patches.fitInto(patches.listNearest(drawByValue(present, random.next()), size), fresh, n, TRIES);
    for (let n = 0; n < TRIES; n++) placeBone(fresh, n, TRIES, tried.view(), n, TRIES);
    await boneProductsInto(compute, tried, TRIES, products);
    await boneErrorsInto(compute, trajectories, tried, TRIES, products, errors);
    const view = errors.view();
    let best = 0;
    let lowest = Number.POSITIVE_INFINITY;
    for (let n = 0; n < TRIES; n++) {
      let total = 0;
      for (let i = 0; i < vertexCount; i++)
        total += j === 0 ? view[i * TRIES + n] : Math.min(present[i], view[i * TRIES + n]);
      if (total < lowest) {
        lowest = total;
        best = n;
      }
    }
    for (let i = 0; i < vertexCount; i++)
      present[i] = j === 0 ? view[i * TRIES + best] : Math.min(present[i], view[i * TRIES + best]);
    placeBone(fresh, best, TRIES, bones.view(), j, boneCount);
  }
}

/** Lloyd iterations; returns the number of clusters that were seeded again. */
async function refineClusters(
  compute: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  boneCount: number,
  labels: Uint32Array,
): Promise<number> {
  const { vertexCount, frameCount } = trajectories;
  const width = widthOf(boneCount);
  const products = reserveBoneProducts(compute, boneCount);
  const errors = compute.float64(vertexCount * width);
  const ids = compute.uint32(vertexCount);
  const ones = compute.float64(vertexCount);
  ones.view().fill(1);
  const moments = reserveSkinMoments(compute, boneCount, frameCount);
  const axes = compute.float64(9 * boneCount);
  const patches = new RigidPatches(trajectories);
  const fresh = new Float64Array(12 * frameCount);
  let reseeds = 0;
  for (let iteration = 0; iteration < LLOYD_ITERATIONS; iteration++) {
    await boneProductsInto(compute, bones, boneCount, products);
    await boneErrorsInto(compute, trajectories, bones, boneCount, products, errors);
    const lowest = assign(errors.view(), width, boneCount, labels);
    ids.view().set(labels);
    await skinMomentsInto(compute, trajectories, ids, ones, boneCount, moments);
    await boneSweep(compute, bones, boneCount, moments, { sweeps: 1, kind: 'rigid', axes });
    for (const bone of listDead(labels, boneCount)) {
      let worst = 0;
      for (let i = 1; i < vertexCount; i++) if (lowest[i] > lowest[worst]) worst = i;
      patches.fitInto(patches.listNearest(worst, patchSizeOf(vertexCount, boneCount)), fresh, 0, 1);
      placeBone(fresh, 0, 1, bones.view(), bone, boneCount);
      labels[worst] = bone;
      lowest[worst] = 0;
      reseeds++;
    }
  }
  return reseeds;
}

/** Labels every point by its best bone; returns the errors. */
function assign(errors: Float64Array, width: number, boneCount: number, labels: Uint32Array): Float64Array {
  const lowest = new Float64Array(labels.length);
  for (let i = 0; i < labels.length; i++) {
    let best = 0;
    for (let j = 1; j < boneCount; j++) if (errors[i * width + j] < errors[i * width + best]) best = j;
    labels[i] = best;
    lowest[i] = errors[i * width + best];
  }
  return lowest;
}

function listDead(labels: Uint32Array, boneCount: number): number[] {
  const alive = new Uint8Array(boneCount);
  for (const label of labels) alive[label] = 1;
  return Array.from({ length: boneCount }, (_, j) => j).filter((j) => !alive[j]);
}
