// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning mesh animations", SIGGRAPH 2005, §7: η, the ratio of triangles that move with a bone, predicts whether bones can replace a motion. Below 0.5 the
// clip is a poor candidate. This estimates η from samples, in less than a second for any clip: mean shift (methods/decompose/sma/mean-shift.ts) over the rotations of a few triangles in a few frames.
// The bandwidth is a mean over frames, so fewer frames change it little. A sample of a continuous motion (cloth) falls into many small clusters that the whole does not have, so only the largest
// modes count. Estimated and by sma: horse-gallop 0.70, 0.83; samba 0.52, 0.74; horse-collapse 0.14, 0.19; the sample sheet 0.46, 0.34.
import { makeRandom } from '../../../core/math/random.ts';
import { listRigidPieces } from '../../../core/mesh/topology/list-rigid-pieces.ts';
import { type Clip, frameCountOf, frameOf } from '../../../core/model/clip/clip.ts';
import { triangleRotations } from './triangle-rotations.ts';

export interface EstimateEtaOptions {
  /** Tolerance on the elements of triangle rotations within a bone, as in sma. */
  epsilon?: number;
  /** Maximum number of triangles. */
  triangles?: number;
  /** Maximum number of frames, evenly spaced. */
  frames?: number;
  /** Random seed. */
  seed?: number;
}

export const ESTIMATE_ETA_DEFAULTS: Required<EstimateEtaOptions> = {
  epsilon: 0.05,
  triangles: 900,
  frames: 16,
  seed: 0,
};

/** Clips with a smaller η are poor candidates for skinning (§7). */
export const POOR_ETA = 0.5;

/** Triangles whose limit is closer to a mode than this ratio of the bandwidth move with its bone. */
const CORE = 1 / 4;
/** Limits closer than this ratio of the bandwidth are one mode. */
const SAME_MODE = 1 / 2;
/** A place this close to a known limit, relative to the bandwidth, has the same limit. */
const ARRIVED = 1 / 32;
/** Tolerance on the step length, relative to the bandwidth. */
const STILL = 0.01;
const MAX_STEPS = 40;
/** Minimum number of triangles of a mode, and maximum number of modes. */
const SUPPORT = 3;
const MAX_MODES = 20;
/** Numbers between two comparisons with the limit of a distance. */
const BLOCK = 18;

/** Estimates η of a clip, 0 to 1; 1 for a clip without triangles. Parts that move rigidly to the precision of the file count as bones. */
export function estimateEta(clip: Clip, options: EstimateEtaOptions = {}): number {
  const o = { ...ESTIMATE_ETA_DEFAULTS, ...options };
  const { triangles } = clip.mesh;
  const isRigid = new Uint8Array(clip.mesh.positions.length / 3);
  for (const { vertices } of listRigidPieces(clip)) for (const v of vertices) isRigid[v] = 1;
  const soft: number[] = [];
  for (let f = 0; f < triangles.length / 3; f++) if (!isRigid[triangles[3 * f]]) soft.push(f);
  const total = triangles.length / 3;
  if (total === 0 || soft.length === 0 || frameCountOf(clip) === 0) return 1;
  const sampled = sampleClip(clip, soft, o);
  const { rotations, triangles: kept } = triangleRotations(sampled);
  const width = 9 * frameCountOf(sampled);
  const sampleCount = sampled.mesh.triangles.length / 3;
  const core = countCore(rotations, width, kept.length, width * o.epsilon);
  return (total - soft.length + (soft.length * core) / sampleCount) / total;
}

/** A few triangles of a clip in a few frames: one triangle of each of equal parts of the list. */
function sampleClip(
  clip: Clip,
  soft: readonly number[],
  { triangles: most, frames, seed }: Required<EstimateEtaOptions>,
): Clip {
  const random = makeRandom(seed);
  const count = Math.min(soft.length, most);
  const chosen = Array.from({ length: count }, (_, n) =>
    count === soft.length ? soft[n] : soft[Math.floor(((n + random.next()) * soft.length) / count)],
  );
  const frameCount = frameCountOf(clip);
  const kept = Math.min(frameCount, frames);
  const stride = clip.mesh.positions.length;
  const positions = new Float32Array(kept * stride);
  const times = new Float64Array(kept);
  for (let n = 0; n < kept; n++) {
    const k = kept < 2 ? frameCount - 1 : Math.round((n * (frameCount - 1)) / (kept - 1));
    positions.set(frameOf(clip, k), n * stride);
    times[n] = clip.times[k];
  }
  const triangles = Uint32Array.from(chosen.flatMap((f) => [...clip.mesh.triangles.subarray(3 * f, 3 * f + 3)]));
  return { ...clip, mesh: { ...clip.mesh, triangles, parts: [] }, positions, times };
}

/** The number of points whose limits are near one of the largest modes. */
function countCore(rows: Float32Array, width: number, count: number, bandwidth: number): number {
  const ends: Float64Array[] = [];
  const endOf = Uint32Array.from({ length: count }, (_, i) => climb(rows, width, i, count, bandwidth, ends));
  const weights = new Float64Array(ends.length);
  for (let i = 0; i < count; i++) weights[endOf[i]]++;
  const modeOf = joinEnds(ends, weights, SAME_MODE * bandwidth);
  const members = new Float64Array(ends.length);
  const core = new Float64Array(ends.length);
  for (let e = 0; e < ends.length; e++) {
    members[modeOf[e]] += weights[e];
    const limit = CORE * bandwidth;
    if (distanceOf(ends[e], 0, ends[modeOf[e]], width, limit) < limit) core[modeOf[e]] += weights[e];
  }
  const sizes = Array.from(core).filter((_, e) => members[e] >= SUPPORT);
  return sizes
    .sort((a, b) => b - a)
    .slice(0, MAX_MODES)
    .reduce((sum, size) => sum + size, 0);
}

/** Moves from point i to the limit: the index of a known one nearby, or of a new one. */
function climb(
  rows: Float32Array,
  width: number,
  i: number,
  count: number,
  bandwidth: number,
  ends: Float64Array[],
): number {
  const here = Float64Array.from(rows.subarray(i * width, (i + 1) * width));
  const sum = new Float64Array(width);
  for (let step = 0; step < MAX_STEPS; step++) {
    const known = ends.findIndex((end) => distanceOf(end, 0, here, width, bandwidth) < ARRIVED * bandwidth);
    if (known >= 0) return known;
    sum.fill(0);
    let total = 0;
    for (let j = 0; j < count; j++) {
      const distance = distanceOf(rows, j * width, here, width, bandwidth);
      if (!(distance < bandwidth)) continue;
      const weight = (1 - distance / bandwidth) ** 2;
      total += weight;
      for (let c = 0; c < width; c++) sum[c] += weight * rows[j * width + c];
    }
    let way = 0;
    for (let c = 0; c < width; c++) {
      const next = sum[c] / total;
      way += Math.abs(next - here[c]);
      here[c] = next;
    }
    if (way < STILL * bandwidth) break;
  }
  return ends.push(here) - 1;
}

/** The L1 distance; may stop early with a partial sum above the limit. */
function distanceOf(
  x: Float32Array | Float64Array,
  offset: number,
  y: Float64Array,
  width: number,
  limit: number,
): number {
  let sum = 0;
  for (let c = 0; c < width; ) {
    for (const end = Math.min(width, c + BLOCK); c < end; c++) sum += Math.abs(x[offset + c] - y[c]);
    if (sum > limit) return sum;
  }
  return sum;
}

/** By limit, the heaviest limit within a radius: its mode. */
function joinEnds(ends: readonly Float64Array[], weights: Float64Array, radius: number): Uint32Array {
  const order = Array.from(weights.keys()).sort((a, b) => weights[b] - weights[a] || a - b);
  const modeOf = new Uint32Array(ends.length);
  const modes: number[] = [];
  for (const e of order) {
    const mode = modes.find((m) => distanceOf(ends[m], 0, ends[e], ends[e].length, radius) < radius);
    modeOf[e] = mode ?? e;
    if (mode === undefined) modes.push(e);
  }
  return modeOf;
}
