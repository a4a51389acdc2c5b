// SPDX-License-Identifier: MIT
// The root of a skeleton. Any bone may be the root of the same motion (joint-tree.ts), so the choice is for people and for retargeting: a bone of the trunk, as the hips of a rig. Without a bone, the tree falls apart
// into branches; a bone of the trunk has a large part of the body on both sides, and its largest branch is small. The course takes the joint nearest to the centroid (§2.2.1), which is in a foreleg of a crouching cat.
// Of the bones of the trunk, the root is the one that rotates least: rotations of a rig accumulate from the root outwards. If the body stands on legs, the root is the bone of the hips (find-hips.ts).
//
// Parts of the body are measured by volume, since vertices are dense in heads and hands: on a tube, half the area times the radius.

import { eigenValues } from '../../../core/algebra/eigen-symmetric.ts';
import type { SkinFit } from '../../../fit/skin/index.ts';
import { type JointTree, listJointEdges } from '../joints/joint-tree.ts';
import { listFollowed } from '../place/list-followed.ts';
import { findHips } from './find-hips.ts';

/** A bone is in the trunk if its largest branch is at most this part of the volume larger than the smallest of all bones. Chosen by hand between measured values. */
const TRUNK = 0.15;

/**
 * The root bone of a solved skeleton.
 * @param triangles triangleCount x 3 point indices
 */
export function findRoot(fit: SkinFit, tree: JointTree, triangles: Uint32Array): number {
  const { boneCount } = fit;
  if (boneCount < 3) return tree.order[0];
  const hips = findHips(fit, tree, triangles);
  if (hips !== undefined) return hips;
  const volumes = measureVolumes(fit, measureAreas(fit.trajectories.rest.view(), triangles));
  const total = volumes.reduce((sum, volume) => sum + volume, 0);
  const largest = measureLargestBranches(tree, volumes, total);
  const limit = largest.reduce((min, branch) => Math.min(min, branch)) + TRUNK * total;
  const isFollowed = listFollowed(fit);
  let best = -1;
  let lowest = Number.POSITIVE_INFINITY;
  for (let j = 0; j < boneCount; j++) {
    if (!(largest[j] <= limit) || !isFollowed[j]) continue;
    const rotation = measureRotation(fit, j);
    if (rotation < lowest) {
      lowest = rotation;
      best = j;
    }
  }
  return best < 0 ? tree.order[0] : best;
}

/** pointCount: a third of the area of the triangles at each point; one per point without triangles */
function measureAreas(rest: Float64Array, triangles: Uint32Array): Float64Array {
  const areas = new Float64Array(rest.length / 3);
  for (let f = 0; f < triangles.length; f += 3) {
    const a = 3 * triangles[f];
    const b = 3 * triangles[f + 1];
    const c = 3 * triangles[f + 2];
    const ux = rest[b] - rest[a];
    const uy = rest[b + 1] - rest[a + 1];
    const uz = rest[b + 2] - rest[a + 2];
    const vx = rest[c] - rest[a];
    const vy = rest[c + 1] - rest[a + 1];
    const vz = rest[c + 2] - rest[a + 2];
    const area = Math.sqrt((uy * vz - uz * vy) ** 2 + (uz * vx - ux * vz) ** 2 + (ux * vy - uy * vx) ** 2) / 6;
    for (let e = f; e < f + 3; e++) areas[triangles[e]] += area;
  }
  return triangles.length > 0 ? areas : areas.fill(1);
}

/** boneCount: half the area times the radius, √(λ₂ + λ₃) of the covariance over the surface */
function measureVolumes({ weights, trajectories, boneCount }: SkinFit, areas: Float64Array): Float64Array {
  const rest = trajectories.rest.view();
  const [ids, values] = [weights.bones.view(), weights.weights.view()];
  const sums = new Float64Array(boneCount);
  const firsts = new Float64Array(3 * boneCount);
  const seconds = new Float64Array(9 * boneCount);
  for (let e = 0; e < values.length; e++) {
    const [i, j] = [Math.floor(e / weights.influences), ids[e]];
    const w = values[e] * areas[i];
    sums[j] += w;
    for (let r = 0; r < 3; r++) {
      firsts[3 * j + r] += w * rest[3 * i + r];
      for (let c = 0; c < 3; c++) seconds[9 * j + 3 * r + c] += w * rest[3 * i + r] * rest[3 * i + c];
    }
  }
  return sums.map((sum, j) => {
    if (!(sum > 0)) return 0;
    const spread = new Float64Array(9);
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++)
        spread[3 * r + c] = seconds[9 * j + 3 * r + c] / sum - (firsts[3 * j + r] * firsts[3 * j + c]) / sum ** 2;
    const variances = eigenValues(spread, 3);
    return 0.5 * sum * Math.sqrt(Math.max(0, variances[1]) + Math.max(0, variances[2]));
  });
}

/** boneCount: the volume of the largest branch that remains without the bone */
function measureLargestBranches(tree: JointTree, volumes: Float64Array, total: number): Float64Array {
  const { parents, order } = tree;
  const below = volumes.slice();
  for (let n = order.length - 1; n > 0; n--) below[parents[order[n]]] += below[order[n]];
  const largest = below.map((volume) => total - volume);
  for (const { a, b } of listJointEdges(tree)) largest[a] = Math.max(largest[a], below[b]);
  return largest;
}

/** Σₖ |Rₖ − R̄|² of a bone */
function measureRotation({ bones, boneCount, trajectories: { frameCount } }: SkinFit, bone: number): number {
  const rows = bones.view();
  let total = 0;
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      let [sum, square] = [0, 0];
      for (let k = 0; k < frameCount; k++) {
        const value = rows[((3 * k + r) * boneCount + bone) * 4 + c];
        sum += value;
        square += value * value;
      }
      total += square - sum ** 2 / frameCount;
    }
  }
  return total;
}
