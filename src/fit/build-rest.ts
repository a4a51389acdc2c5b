// SPDX-License-Identifier: MIT
// A rest shape for a clip with noise and without a rest pose: the shape of one frame, with the noise averaged over all frames.
//
// The frame is the one that is least distorted against all others (choose-rest.ts). Every point is then carried from all frames to this one by the rigid motion of a
// small patch around it, and averaged. Where a patch bends between two frames the rigid motion does not fit, and the frame counts less (Geman and McClure's weights), and so does a frame in which
// the point itself jumped. After the skin is solved, the rest shape is solved once more with it (solve-noisy.ts); this one only has to be good enough to find the bones.
import { nearestRotationInto } from '../math/rotation.ts';
import { makeAdjacency } from '../mesh/adjacency.ts';
import { RingPatch } from '../mesh/ring-patch.ts';
import { pointTriangles, weldClip } from '../mesh/weld.ts';
import { type Clip, frameCountOf } from '../model/clip.ts';
import { chooseRest, spreadFrames } from './choose-rest.ts';
import { PATCH_PRODUCTS, PATCH_SQUARE, PATCH_SUMS, sumPatchInto } from './sum-patch.ts';

/** Number of points of a patch: with fewer the rotation is noise, more bend. Chosen on the fox and the spider. */
const PATCH_POINTS = 14;
/** Passes; each uses the rest shape of the one before it. */
const PASSES = 3;
/** Maximum number of frames that are averaged: more hardly lower the noise. */
const AVERAGED_FRAMES = 96;

/** A rest shape of a clip. */
export interface BuiltRest {
  /** vertexCount x 3 */
  positions: Float32Array;
  /** The frame whose pose it has; -1: that of the given shape. */
  frame: number;
}

/**
 * Builds a rest shape from the frames of a clip.
 * @param noise standard deviation of the noise per coordinate, file units
 * @param start vertexCount x 3: a shape whose pose it has, instead of the best frame
 */
export function buildRest(clip: Clip, noise: number, start?: Float32Array): BuiltRest {
  const weld = weldClip(clip);
  const { pointCount, vertexOfPoint } = weld;
  const triangles = pointTriangles(clip.mesh.triangles, weld);
  const frame = start ? -1 : chooseRest(clip, vertexOfPoint);
  const frames = spreadFrames(frameCountOf(clip), AVERAGED_FRAMES);
  const patches = new RingPatch(makeAdjacency(pointCount, triangles));
  const lists = Array.from({ length: pointCount }, (_, i) => patches.list(i, PATCH_POINTS));
  let rest: Float64Array = new Float64Array(3 * pointCount);
  const stride = clip.mesh.positions.length;
  const posed = new Float64Array(frames.length * 3 * pointCount);
  for (let i = 0; i < pointCount; i++) {
    for (let r = 0; r < 3; r++) {
      const v = 3 * vertexOfPoint[i] + r;
      rest[3 * i + r] = start ? start[v] : clip.positions[frame * stride + v];
      frames.forEach((k, n) => {
        posed[3 * (n * pointCount + i) + r] = clip.positions[k * stride + v];
      });
    }
  }
  for (let pass = 0; pass < PASSES; pass++) rest = averageFrames(rest, posed, frames.length, lists, noise, pass === 0);
  const positions = new Float32Array(stride);
  weld.pointOfVertex.forEach((i, v) => {
    for (let r = 0; r < 3; r++) positions[3 * v + r] = rest[3 * i + r];
  });
  return { positions, frame };
}

/**
 * The mean of every point over the frames, carried to the rest shape by the rigid motions of its patch.
 * @param posed frameCount x points x 3
 */
function averageFrames(
  rest: Float64Array,
  posed: Float64Array,
  frameCount: number,
  lists: readonly number[][],
  noise: number,
  isFirst: boolean,
): Float64Array {
  const out = new Float64Array(rest.length);
  const m = new Float64Array(9);
  const carried = new Float64Array(3 * frameCount);
  const misfits = new Float64Array(frameCount);
  const scale = 3 * noise ** 2 + Number.MIN_VALUE;
  const offsets = new Float64Array(3 * PATCH_POINTS);
  const sums = new Float64Array(PATCH_SUMS);
  for (const [i, patch] of lists.entries()) {
    const size = patch.length;
    let [ux, uy, uz, spread] = [0, 0, 0, 0];
    for (const p of patch) {
      ux += rest[3 * p] / size;
      uy += rest[3 * p + 1] / size;
      uz += rest[3 * p + 2] / size;
    }
    for (let n = 0; n < size; n++) {
      const p = 3 * patch[n];
      const [x, y, z] = [rest[p] - ux, rest[p + 1] - uy, rest[p + 2] - uz];
      offsets[3 * n] = x;
      offsets[3 * n + 1] = y;
      offsets[3 * n + 2] = z;
      spread += x * x + y * y + z * z;
    }
    for (let k = 0; k < frameCount; k++) {
      const base = k * rest.length;
      // R nearest to Σ u vᵀ turns the frame into the rest shape
      sumPatchInto(posed, base, 3, patch, offsets, sums);
      nearestRotationInto(sums, m, PATCH_PRODUCTS);
      let fit = 0;
      for (let e = 0; e < 9; e++) fit += sums[PATCH_PRODUCTS + e] * m[e];
      const vx = sums[0] / size;
      const vy = sums[1] / size;
      const vz = sums[2] / size;
      const moved = sums[PATCH_SQUARE] - size * (vx * vx + vy * vy + vz * vz);
      misfits[k] = Math.max(0, spread + moved - 2 * fit) / size;
      // the point itself is the first of its patch
      carried[3 * k] = ux - m[0] * vx - m[3] * vy - m[6] * vz;
      carried[3 * k + 1] = uy - m[1] * vx - m[4] * vy - m[7] * vz;
      carried[3 * k + 2] = uz - m[2] * vx - m[5] * vy - m[8] * vz;
    }
    // at first, a point that jumped in the frame of the rest shape fits no other frame: these must outweigh that one
    const bend = isFirst ? Math.max(scale, misfits.slice().sort()[frameCount >> 1]) : scale;
    // the second sum leaves out frames in which the point itself is far from the first mean
    const mean = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]];
    for (let turn = 0; turn < 2; turn++) {
      const sum = [0, 0, 0];
      let total = 0;
      for (let k = 0; k < frameCount; k++) {
        let away = 0;
        if (turn > 0) for (let r = 0; r < 3; r++) away += (carried[3 * k + r] - mean[r]) ** 2;
        const weight = 1 / ((1 + (misfits[k] / bend) ** 2) * (1 + (away / (4 * scale)) ** 2));
        total += weight;
        for (let r = 0; r < 3; r++) sum[r] += weight * carried[3 * k + r];
      }
      for (let r = 0; r < 3; r++) mean[r] = sum[r] / total;
    }
    out.set(mean, 3 * i);
  }
  return out;
}
