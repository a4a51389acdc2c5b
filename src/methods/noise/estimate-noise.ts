// SPDX-License-Identifier: MIT
// The noise of a clip: the part of its motion in which every vertex moves independently of its neighbours, as in scanned or generated frames. No rest pose is needed.
//
// The positions of a small patch of the surface, relative to their mean, are a matrix of points x (3 frames). If the patch moves rigidly, or by any linear map, its rank is 3; a patch that bends has
// a few more directions, which are smooth over the patch. Noise has the same variance in all directions. So the smallest eigenvalues of the Gram matrix of the points are those of noise alone.
// The smallest eigenvalues of pure noise are smaller than its variance; the factor depends on the numbers of points and frames only, and is measured on random numbers.
// A coarse mesh that bends has large eigenvalues too, but it moves smoothly, and noise does not: the same is computed of fourth differences of five frames in a row, scaled so that noise keeps its
// variance. If these are far smaller, there is no noise. The result is the median over patches. Smooth motions have almost none: docs/benchmarks/noise.md has the values of clean clips.

import { eigenValues } from '../../core/algebra/eigen-symmetric.ts';
import { makeRandom } from '../../core/math/random.ts';
import { makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import { RingPatch } from '../../core/mesh/topology/ring-patch.ts';
import { pointTriangles, weldClip } from '../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';

/** Number of points of a patch, and of its smallest eigenvalues that are used. With 12 points, linear and quadratic deformations of a surface take 5 of the 11 directions. */
const PATCH_POINTS = 12;
const SMALLEST = 3;
/** Maximum number of patches and of frames. */
const PATCHES = 300;
const MAX_FRAMES = 64;
/** Minimum number of frames: the Gram matrix of fewer is singular. */
export const MIN_NOISE_FRAMES = 6;
/** Number of random matrices for the factor. */
const DRAWS = 100;
/** A fourth difference of five frames keeps the variance of noise. */
const FOURTH_DIFFERENCE = [1, -4, 6, -4, 1].map((factor) => factor / Math.sqrt(70));
/** Minimum number of differences: neighbours share frames, so that few of them hide noise. */
const MIN_WINDOWS = 8;
/**
 * Below this ratio of both estimates, most of what looks like noise is motion. Noise of 0.1 and 0.5 % on samples of 12 to 80 frames has 0.5 to 0.87, clean deformations have 0.007 (Bone_Anim.abc), 0.05 (MVPCloth.abc) and 0.19
 * (deformingSubdTest.abc, 98 vertices in fast waves).
 */
const SMOOTH = 0.35;

/** The standard deviation of the noise per coordinate, file units; 0 if the clip has fewer than six frames or no patch of 12 points. */
export function estimateNoise(clip: Clip): number {
  const all = frameCountOf(clip);
  if (all < MIN_NOISE_FRAMES) return 0;
  const frameCount = Math.min(all, MAX_FRAMES);
  const frames = Array.from({ length: frameCount }, (_, n) => [[Math.floor((n * all) / frameCount), 1]] as const);
  const inSpace = estimateFrom(clip, frames);
  if (inSpace === 0) return 0;
  const starts = all - FOURTH_DIFFERENCE.length + 1;
  if (starts < MIN_WINDOWS) return inSpace;
  const count = Math.min(starts, MAX_FRAMES);
  const windows = Array.from({ length: count }, (_, n) => {
    const k = Math.floor((n * starts) / count);
    return FOURTH_DIFFERENCE.map((factor, e) => [k + e, factor] as const);
  });
  return estimateFrom(clip, windows) < SMOOTH * inSpace ? 0 : inSpace;
}

/** A sum of frames: their numbers and factors. */
type FrameSum = readonly (readonly [frame: number, factor: number])[];

/** The noise of sums of frames: the median over patches. */
function estimateFrom(clip: Clip, sums: readonly FrameSum[]): number {
  const weld = weldClip(clip);
  const patches = new RingPatch(makeAdjacency(weld.pointCount, pointTriangles(clip.mesh.triangles, weld)));
  const frameCount = sums.length;
  const step = Math.max(1, weld.pointCount / PATCHES);
  const found: number[] = [];
  const rows = new Float64Array(PATCH_POINTS * 3 * frameCount);
  const stride = clip.mesh.positions.length;
  for (let at = 0; at < weld.pointCount; at += step) {
    const patch = patches.list(Math.floor(at), PATCH_POINTS);
    if (patch.length < PATCH_POINTS) continue;
    for (let p = 0; p < PATCH_POINTS; p++) {
      const v = 3 * weld.vertexOfPoint[patch[p]];
      for (let n = 0; n < frameCount; n++)
        for (let r = 0; r < 3; r++) {
          let sum = 0;
          for (const [frame, factor] of sums[n]) sum += factor * clip.positions[frame * stride + v + r];
          rows[3 * (p * frameCount + n) + r] = sum;
        }
    }
    found.push(sumSmallest(rows, 3 * frameCount));
  }
  if (found.length === 0) return 0;
  found.sort((a, b) => a - b);
  return Math.sqrt(found[found.length >> 1] / measureFactor(3 * frameCount));
}

/**
 * The sum of the smallest eigenvalues of the Gram matrix of a patch about its mean. The smallest one of all belongs to the mean and is zero.
 * @param rows PATCH_POINTS x width, changed
 */
function sumSmallest(rows: Float64Array, width: number): number {
  for (let c = 0; c < width; c++) {
    let mean = 0;
    for (let p = 0; p < PATCH_POINTS; p++) mean += rows[p * width + c] / PATCH_POINTS;
    for (let p = 0; p < PATCH_POINTS; p++) rows[p * width + c] -= mean;
  }
  const gram = new Float64Array(PATCH_POINTS * PATCH_POINTS);
  for (let p = 0; p < PATCH_POINTS; p++) {
    for (let q = 0; q <= p; q++) {
      gram[p * PATCH_POINTS + q] = gram[q * PATCH_POINTS + p] = dotRows(rows, p * width, q * width, width);
    }
  }
  const values = eigenValues(gram, PATCH_POINTS);
  let sum = 0;
  for (let n = 0; n < SMALLEST; n++) sum += Math.max(0, values[PATCH_POINTS - 2 - n]);
  return sum;
}

function dotRows(rows: Float64Array, p: number, q: number, width: number): number {
  let sum = 0;
  for (let c = 0; c < width; c++) sum += rows[p + c] * rows[q + c];
  return sum;
}

/** The same sum for a patch that moves by linear maps, with noise of variance one: three of its directions are not noise. */
function measureFactor(width: number): number {
  const random = makeRandom(0);
  const rows = new Float64Array(PATCH_POINTS * width);
  let sum = 0;
  for (let n = 0; n < DRAWS; n++) {
    for (let c = 0; c < width; c++) {
      // linear maps of fixed shapes, large beside the noise: points on a bent strip
      const [x, y, z] = [random.normal(), random.normal(), random.normal()];
      for (let p = 0; p < PATCH_POINTS; p++)
        rows[p * width + c] = random.normal() + 1e3 * (x * (p % 4) + y * Math.floor(p / 4) + z * (p % 3) * (p % 2));
    }
    sum += sumSmallest(rows, width);
  }
  return sum / DRAWS;
}
