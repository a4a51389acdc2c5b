// SPDX-License-Identifier: MIT
// Clusters of rigid motion (Course 2014, §1.4): the first bones of a decomposition.
//
// Seeds are chosen one by one: of some points drawn with probability proportional to their present error, the one whose patch gives the lowest total error
// with the best single bone per point. A few Lloyd iterations follow (each point to its best bone, each bone refitted to its points); an empty cluster is seeded
// again at the point of largest error. The result always has the given number of bones.
import { callBoneErrors } from '../../core/kernels/bones/bone-errors.ts';
import { callBoneProducts, reserveBoneProducts, widthOf } from '../../core/kernels/bones/bone-products.ts';
import { callBoneSweep } from '../../core/kernels/bones/bone-sweep.ts';
import { callSkinMoments, reserveSkinMoments } from '../../core/kernels/bones/skin-moments.ts';
import type { Compute, Resident } from '../../core/kernels/compute.ts';
import type { Trajectories } from '../../core/kernels/matrices/trajectories.ts';
import { PatchBones } from '../../core/kernels/patches/patch-bones.ts';
import type { Random } from '../../core/math/random.ts';
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
  const patches = new PatchBones(compute, trajectories, TRIES);
  const sizes = new Array<number>(TRIES).fill(patchSizeOf(vertexCount, boneCount));
  const present = new Float64Array(vertexCount).fill(1); // error under the best bone so far; initially equal
  const tried = compute.float64(12 * frameCount * TRIES);
  const strides = { row: 4 * TRIES, number: 1, bone: 4 };
  const products = reserveBoneProducts(compute, TRIES);
  const errors = compute.float64(vertexCount * TRIES);
  const measure = [
    callBoneProducts(tried, TRIES, products),
    callBoneErrors(compute, trajectories, tried, TRIES, products, errors),
  ];
  for (let j = 0; j < boneCount; j++) {
    const seeds = sizes.map(() => drawByValue(present, random.next()));
    await compute.runAll([patches.call(seeds, sizes, tried, strides), ...measure]);
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
    copyBone(tried.view(), best, TRIES, bones.view(), j, boneCount);
  }
}

/** Copies a bone between arrays of rows x 4 boneCount. */
function copyBone(
  from: Float64Array,
  fromBone: number,
  fromCount: number,
  to: Float64Array,
  bone: number,
  count: number,
): void {
  for (let o = 4 * bone, p = 4 * fromBone; o < to.length; o += 4 * count, p += 4 * fromCount)
    to.set(from.subarray(p, p + 4), o);
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
  const measure = [
    callBoneProducts(bones, boneCount, products),
    callBoneErrors(compute, trajectories, bones, boneCount, products, errors),
  ];
  const refit = [
    ...callSkinMoments(compute, trajectories, ids, ones, boneCount, moments),
    callBoneSweep(compute, bones, boneCount, moments, { sweeps: 1, kind: 'rigid', axes }),
  ];
  let reseeds = 0;
  for (let iteration = 0; iteration < LLOYD_ITERATIONS; iteration++) {
    await compute.runAll(measure);
    const lowest = assign(errors.view(), width, boneCount, labels);
    ids.view().set(labels);
    await compute.runAll(refit);
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
