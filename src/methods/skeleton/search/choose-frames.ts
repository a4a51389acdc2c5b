// SPDX-License-Identifier: MIT
// Representative frames of a long clip, for a search of structure. Poses of a rig repeat: most frames of a long clip are close to combinations of others. Frames are chosen
// by a Cholesky factorization of their Gram matrix with pivoting: with xₖ the displacements of the points from the rest pose, after the rigid motion of the whole body
// is removed, G = XXᵀ; the next frame is the one with the largest part outside the span of those chosen before,
//   dₖ = |xₖ|² − Σₙ lₖₙ²,   lₖₙ = (xₖ·xₚ − Σ_{m<n} lₖₘ lₚₘ) / √dₚ   for the n-th pivot p.
// So large motions are chosen first, and small ones as soon as the large ones are explained. The sum of dₖ is what the chosen frames do not span.
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { nearestRotationInto } from '../../../core/math/rotation.ts';

/** Approximate number of points whose displacements are compared. */
const POINTS = 300;
/** A frame whose part outside the span is below this ratio of the rest pose equals a combination of others. Rounding of 32-bit positions is below it. */
const MIN_PART = 1e-6;

/** Indices of at most count frames, ascending. Ties go to the earlier frame. */
export function chooseFrames(trajectories: Trajectories, count: number): Uint32Array {
  const { frameCount } = trajectories;
  if (frameCount <= count) return Uint32Array.from({ length: frameCount }, (_, k) => k);
  const rows = listDisplacements(trajectories);
  const width = rows.length / frameCount;
  const left = new Float64Array(frameCount);
  for (let k = 0; k < frameCount; k++) left[k] = dot(rows, k, k, width);
  const limit = MIN_PART ** 2 * measureRest(trajectories, width / 3);
  /** count x frameCount: columns of the factor */
  const factor = new Float64Array(count * frameCount);
  const chosen: number[] = [];
  for (let n = 0; n < count; n++) {
    let p = 0;
    for (let k = 1; k < frameCount; k++) if (left[k] > left[p]) p = k;
    if (!(left[p] > limit)) break;
    chosen.push(p);
    const pivot = Math.sqrt(left[p]);
    for (let k = 0; k < frameCount; k++) {
      let x = dot(rows, k, p, width);
      for (let m = 0; m < n; m++) x -= factor[m * frameCount + k] * factor[m * frameCount + p];
      factor[n * frameCount + k] = x / pivot;
      left[k] -= (x / pivot) ** 2;
    }
    left[p] = 0;
  }
  return chosen.length === 0 ? Uint32Array.of(0) : Uint32Array.from(chosen).sort();
}

/** frameCount x (3 points): displacements of points from the rest pose in the frame of the body. Points are in the order of the shape, so a regular subset is spread evenly. */
function listDisplacements({ vertexCount, frameCount, rest: restRows, posed }: Trajectories): Float64Array {
  const step = Math.max(1, Math.floor(vertexCount / POINTS));
  const count = Math.ceil(vertexCount / step);
  const [rest, moved] = [restRows.view(), posed.view()];
  const out = new Float64Array(3 * count * frameCount);
  const m = new Float64Array(9);
  for (let k = 0; k < frameCount; k++) {
    // R nearest to Σ v uᵀ; rest and frames are centered
    m.fill(0);
    for (let i = 0; i < vertexCount; i += step) {
      for (let r = 0; r < 3; r++)
        for (let c = 0; c < 3; c++) m[3 * c + r] += moved[3 * (i * frameCount + k) + r] * rest[3 * i + c];
    }
    nearestRotationInto(m, m);
    for (let n = 0; n < count; n++) {
      const [i, o] = [3 * n * step, 3 * (n * step * frameCount + k)];
      for (let c = 0; c < 3; c++) {
        const back = m[3 * c] * moved[o] + m[3 * c + 1] * moved[o + 1] + m[3 * c + 2] * moved[o + 2];
        out[3 * (k * count + n) + c] = back - rest[i + c];
      }
    }
  }
  return out;
}

/** Σ|u|² of that many points of the rest pose: the mean over all points, times their number. */
function measureRest({ rest, vertexCount }: Trajectories, count: number): number {
  let sum = 0;
  for (const x of rest.view()) sum += x * x;
  return (sum * count) / vertexCount;
}

function dot(rows: Float64Array, a: number, b: number, width: number): number {
  let sum = 0;
  for (let e = 0; e < width; e++) sum += rows[a * width + e] * rows[b * width + e];
  return sum;
}
