// SPDX-License-Identifier: MIT
// What a codec for skinned meshes would need for the content of a small GLB: its integers, coded with the range coder (nothing is decoded: all contexts use numbers that a decoder has).
// Positions are predicted by parallelograms, weights by those of the neighbours, animated values from earlier keys. What is in neither is counted with its Brotli size.
import { brotliCompressSync } from 'node:zlib';
import { codeTracks } from './code-tracks.ts';
import { encodeConnectivity } from './draco-connectivity.ts';
import { IntegerModel } from './integer-model.ts';
import { type MeshWalk, makeMeshWalk } from './mesh-walk.ts';
import { RangeEncoder } from './range-coder.ts';
import { readSmallGlb, type SmallMeshNumbers } from './read-small-glb.ts';
import { ScaledIntegerModel } from './scaled-integer-model.ts';

/** Bytes by what they hold. */
export interface SkinCodecEstimate {
  connectivity: number;
  positions: number;
  weights: number;
  motion: number;
  /** JSON, times and bind matrices, as Brotli. */
  rest: number;
  total: number;
}

/** @param positionStep grid of positions, file units */
export async function estimateSkinCodec(bytes: Uint8Array, positionStep: number): Promise<SkinCodecEstimate> {
  const { meshes, tracks, rest } = await readSmallGlb(bytes);
  let [connectivity, positions, weights] = [0, 0, 0];
  for (const mesh of meshes) {
    const stored = await encodeConnectivity(mesh.triangles, numberedPositions(mesh.vertexCount));
    connectivity += stored.bytes.length;
    const walk = makeMeshWalk(mesh.triangles, mesh.vertexCount);
    positions += codePositions(walk, mesh, positionStep);
    weights += codeWeights(walk, mesh);
  }
  const motion = codeTracks(tracks);
  const others = brotliCompressSync(rest).length;
  return {
    ...{ connectivity, positions, weights, motion, rest: others },
    total: connectivity + positions + weights + motion + others,
  };
}

/** Different places for all vertices; which ones does not matter to the triangles. */
function numberedPositions(vertexCount: number): Float32Array {
  const positions = new Float32Array(3 * vertexCount);
  for (let i = 0; i < vertexCount; i++) positions[3 * i] = i;
  return positions;
}

function codePositions(walk: MeshWalk, { positions, vertexCount }: SmallMeshNumbers, step: number): number {
  const grid = Int32Array.from(positions, (x) => Math.round(x / step));
  const encoder = new RangeEncoder();
  const models = [0, 1, 2].map(() => new ScaledIntegerModel());
  const residuals = new Float64Array(vertexCount);
  for (let place = 0; place < vertexCount; place++) {
    const v = walk.order[place];
    const [first, end] = [walk.beforeStart[place], walk.beforeStart[place + 1]];
    let activity = 0;
    for (let e = first; e < end; e++) activity += residuals[walk.before[e]] / (end - first);
    for (let r = 0; r < 3; r++) {
      let predicted = 0;
      for (let e = walk.start[place]; e < walk.start[place + 1]; e++)
        predicted += walk.factors[e] * grid[3 * walk.sources[e] + r];
      const residual = grid[3 * v + r] - Math.round(predicted);
      models[r].code(encoder, residual, activity);
      residuals[v] += Math.abs(residual) / 3;
    }
  }
  return encoder.finish().length;
}

/** Bones of the neighbours by falling mean weight, a residual each until the sum is one; then bones that no neighbour has. */
function codeWeights(walk: MeshWalk, { joints, weights, laneCount, vertexCount }: SmallMeshNumbers): number {
  const unit = weights.reduce((a, b) => gcd(a, b), 255) || 255;
  const steps = 255 / unit;
  const boneBits = Math.max(1, Math.ceil(Math.log2(1 + joints.reduce((a, b) => Math.max(a, b), 0))));
  const encoder = new RangeEncoder();
  const model = new IntegerModel(6 * 5);
  const newModel = new IntegerModel();
  for (let place = 0; place < vertexCount; place++) {
    const own = rowOf(walk.order[place]);
    const expected = new Map<number, number>();
    const [first, end] = [walk.beforeStart[place], walk.beforeStart[place + 1]];
    for (let e = first; e < end; e++)
      for (const [bone, weight] of rowOf(walk.before[e]))
        expected.set(bone, (expected.get(bone) ?? 0) + weight / (end - first));
    const candidates = [...expected].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    let left = steps;
    let expectedLeft = steps;
    for (const [rank, [bone, mean]] of candidates.entries()) {
      if (left === 0) break;
      const predicted = Math.min(left, Math.round((mean * left) / Math.max(mean, expectedLeft)));
      const weight = own.get(bone) ?? 0;
      // how sure the neighbours are, and how much is left
      const context = Math.min(4, rank) * 6 + (predicted === 0 ? 0 : predicted === left ? 1 : 2) + (mean < 1 ? 3 : 0);
      model.code(encoder, weight - predicted, context);
      left -= weight;
      expectedLeft -= mean;
      own.delete(bone);
    }
    for (const [bone, weight] of own) {
      encoder.codeRaw(bone, boneBits);
      newModel.codeCount(encoder, weight);
    }
  }
  return encoder.finish().length;

  function rowOf(v: number): Map<number, number> {
    const row = new Map<number, number>();
    for (let e = v * laneCount; e < (v + 1) * laneCount; e++)
      if (weights[e] > 0) row.set(joints[e], (row.get(joints[e]) ?? 0) + weights[e] / unit);
    return row;
  }
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
