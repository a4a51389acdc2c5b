// SPDX-License-Identifier: MIT
// The moments of a group of vertices (sums of u, v, v uᵀ per frame) give its rigid motion, the exact error of that motion, and the error under any other motion, without
// visiting vertices: per frame
//   E = Σ|v − v̄|² + Σ|u − ū|² − 2 tr(RᵀM),  M = Σ(v − v̄)(u − ū)ᵀ,  R the rotation nearest to M.
import { nearestRotationInto } from '../../../core/math/rotation.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';

/** Sums per frame: v, v uᵀ (column-major), |v|². */
const SUMS = 13;

/** Maximum number of frames for screening, evenly spaced. Not tuned. */
export const SCREEN_FRAMES = 16;

/** Relative to the first vertex of the clip, which removes the large common part of sums whose differences matter. */
export interface Moments {
  count: number;
  /** Σu, and Σ|u|² */
  rest: Float64Array;
  /** frameCount x 13 */
  posed: Float64Array;
}

/** Pieces that move together. */
export interface Group {
  pieces: number[];
  moments: Moments;
  /** frameCount x 12: R (column-major) and t, relative to the centers */
  motion: Float64Array;
  error: number;
  isAlive: boolean;
  /** Live pairs of this group in the queue. */
  pairs: number;
}

/** The moments of some vertices. */
export function measureMoments({ mesh, positions, times }: Clip, vertices: Uint32Array): Moments {
  const stride = mesh.positions.length;
  const u0 = mesh.positions;
  const rest = new Float64Array(4);
  const posed = new Float64Array(SUMS * times.length);
  for (const i of vertices) {
    const u = [0, 1, 2].map((r) => u0[3 * i + r] - u0[r]);
    for (let r = 0; r < 3; r++) {
      rest[r] += u[r];
      rest[3] += u[r] * u[r];
    }
    for (let k = 0; k < times.length; k++) {
      for (let r = 0; r < 3; r++) {
        const v = positions[k * stride + 3 * i + r] - positions[k * stride + r];
        posed[SUMS * k + r] += v;
        posed[SUMS * k + 3 + r] += v * u[0];
        posed[SUMS * k + 6 + r] += v * u[1];
        posed[SUMS * k + 9 + r] += v * u[2];
        posed[SUMS * k + 12] += v * v;
      }
    }
  }
  return { count: vertices.length, rest, posed };
}

export function addMoments(a: Moments, b: Moments): Moments {
  const add = (p: Float64Array, q: Float64Array) => p.map((value, n) => value + q[n]);
  return { count: a.count + b.count, rest: add(a.rest, b.rest), posed: add(a.posed, b.posed) };
}

/** The moments of several groups together. */
export function sumMoments(list: readonly Moments[]): Moments {
  const rest = new Float64Array(4);
  const posed = new Float64Array(list[0].posed.length);
  let count = 0;
  for (const one of list) {
    count += one.count;
    for (let n = 0; n < 4; n++) rest[n] += one.rest[n];
    for (let n = 0; n < posed.length; n++) posed[n] += one.posed[n];
  }
  return { count, rest, posed };
}

/** Fills the rotation of a frame; returns the squared error of the motion there. */
function fitFrameInto(
  { count, rest, posed }: Moments,
  o: number,
  m: Float64Array,
  motion: Float64Array,
  place: number,
): number {
  let spread = rest[3] + posed[o + 12];
  for (let r = 0; r < 3; r++) {
    spread -= (rest[r] * rest[r] + posed[o + r] * posed[o + r]) / count;
    for (let c = 0; c < 3; c++) m[3 * c + r] = posed[o + 3 + 3 * c + r] - (posed[o + r] * rest[c]) / count;
  }
  nearestRotationInto(m, motion, 0, place);
  for (let e = 0; e < 9; e++) spread -= 2 * m[e] * motion[place + e];
  return Math.max(0, spread);
}

/** The squared error of two groups with one rigid motion. */
export function measureJoined(a: Moments, b: Moments): number {
  const frameCount = a.posed.length / SUMS;
  const joined = { count: a.count + b.count, rest: new Float64Array(4), posed: new Float64Array(SUMS) };
  for (let n = 0; n < 4; n++) joined.rest[n] = a.rest[n] + b.rest[n];
  const [m, rotation] = [new Float64Array(9), new Float64Array(9)];
  let error = 0;
  for (let k = 0; k < frameCount; k++) {
    for (let n = 0; n < SUMS; n++) joined.posed[n] = a.posed[SUMS * k + n] + b.posed[SUMS * k + n];
    error += fitFrameInto(joined, 0, m, rotation, 0);
  }
  return error;
}

/** The rigid motion of a group and its squared error. */
export function makeGroup(pieces: number[], moments: Moments): Group {
  const { count, rest, posed } = moments;
  const frameCount = posed.length / SUMS;
  const motion = new Float64Array(12 * frameCount);
  const m = new Float64Array(9);
  let error = 0;
  for (let k = 0; k < frameCount; k++) {
    const o = SUMS * k;
    error += fitFrameInto(moments, o, m, motion, 12 * k);
    for (let r = 0; r < 3; r++) {
      let t = posed[o + r];
      for (let c = 0; c < 3; c++) t -= motion[12 * k + 3 * c + r] * rest[c];
      motion[12 * k + 9 + r] = t / count;
    }
  }
  return { pieces, moments, motion, error, isAlive: true, pairs: 0 };
}

/** The squared error of vertices under a motion, over all frames or some of them; infinity once it exceeds a limit. */
export function measureUnder(
  moments: Moments,
  motion: Float64Array,
  limit = Number.POSITIVE_INFINITY,
  frames?: readonly number[],
): number {
  const count = frames ? frames.length : moments.posed.length / SUMS;
  let error = 0;
  for (let n = 0; n < count; n++) {
    error = addFrameUnder(error, moments, motion, frames ? frames[n] : n);
    if (error > limit) return Number.POSITIVE_INFINITY;
  }
  return error;
}

/** Σ|R u + t − v|² = Σ|u|² + Σ|v|² + n|t|² + 2 tᵀ(R Σu − Σv) − 2 tr(Rᵀ Σv uᵀ) in a frame, added to a sum. */
export function addFrameUnder(sum: number, { count, rest, posed }: Moments, motion: Float64Array, k: number): number {
  const o = SUMS * k;
  const q = 12 * k;
  let error = sum + (rest[3] + posed[o + 12]);
  for (let r = 0; r < 3; r++) {
    const t = motion[q + 9 + r];
    const turned = motion[q + r] * rest[0] + motion[q + 3 + r] * rest[1] + motion[q + 6 + r] * rest[2];
    error += t * (count * t + 2 * (turned - posed[o + r]));
  }
  for (let e = 0; e < 9; e++) error -= 2 * motion[q + e] * posed[o + 3 + e];
  return error;
}

/** Σ|v − u|² in a frame. */
export function squaredMotion({ rest, posed }: Moments, k: number): number {
  const o = SUMS * k;
  return rest[3] + posed[o + 12] - 2 * (posed[o + 3] + posed[o + 7] + posed[o + 11]);
}

/** The mean of |u|² + |v|² in a frame. */
export function meanSquare({ count, rest, posed }: Moments, k: number): number {
  return (rest[3] + posed[SUMS * k + 12]) / count;
}

/** Evenly spaced frames for screening. */
export function listScreenFrames(frameCount: number): number[] {
  const taken = Math.min(SCREEN_FRAMES, frameCount);
  return Array.from({ length: taken }, (_, n) => Math.floor((n * frameCount) / taken));
}
