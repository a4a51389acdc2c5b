// SPDX-License-Identifier: MIT
import { nearestRotationInto } from '../../core/math/rotation.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';

/** Points and frames that are compared. */
const COMPARED_POINTS = 300;
const COMPARED_FRAMES = 64;

/**
 * The frame of a clip without a rest pose that is least distorted against all others: the smallest sum of squared distances after rigid alignment; the earliest of equal ones.
 * @param vertexOfPoint a vertex of every welded point
 */
export function chooseRest(clip: Clip, vertexOfPoint: Uint32Array): number {
  const frames = spreadFrames(frameCountOf(clip), COMPARED_FRAMES);
  const step = Math.max(1, vertexOfPoint.length / COMPARED_POINTS);
  const count = Math.floor(vertexOfPoint.length / step);
  const stride = clip.mesh.positions.length;
  const shapes = frames.map((k) => {
    const shape = new Float64Array(3 * count);
    for (let n = 0; n < count; n++)
      for (let r = 0; r < 3; r++)
        shape[3 * n + r] = clip.positions[k * stride + 3 * vertexOfPoint[Math.floor(n * step)] + r];
    for (let r = 0; r < 3; r++) {
      let mean = 0;
      for (let n = 0; n < count; n++) mean += shape[3 * n + r] / count;
      for (let n = 0; n < count; n++) shape[3 * n + r] -= mean;
    }
    return shape;
  });
  const sums = new Float64Array(frames.length);
  for (let a = 0; a < frames.length; a++) {
    for (let b = a + 1; b < frames.length; b++) {
      const apart = measureApart(shapes[a], shapes[b]);
      sums[a] += apart;
      sums[b] += apart;
    }
  }
  let best = 0;
  for (let a = 1; a < frames.length; a++) if (sums[a] < sums[best]) best = a;
  return frames[best];
}

/** Sum of squared distances of two centered shapes after rigid alignment. */
function measureApart(a: Float64Array, b: Float64Array): number {
  const m = new Float64Array(9);
  const turn = new Float64Array(9);
  let sum = 0;
  for (let n = 0; n < a.length; n += 3) {
    for (let r = 0; r < 3; r++) {
      sum += a[n + r] ** 2 + b[n + r] ** 2;
      for (let c = 0; c < 3; c++) m[3 * c + r] += a[n + r] * b[n + c];
    }
  }
  nearestRotationInto(m, turn);
  for (let e = 0; e < 9; e++) sum -= 2 * m[e] * turn[e];
  return sum;
}

/** At most count frames, evenly spaced. */
export function spreadFrames(frameCount: number, count: number): number[] {
  const used = Math.min(frameCount, count);
  return Array.from({ length: used }, (_, n) => Math.floor((n * frameCount) / used));
}
