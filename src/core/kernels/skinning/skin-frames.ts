// SPDX-License-Identifier: MIT
// Linear blend skinning of whole frames in double precision, for measurements: v' = (Σ wⱼ Mⱼ) v, rounded once. The floats are those of makeLinearBlend.
import { type Compute, uploadFloat32, uploadUint32 } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

/** Weights by vertex, in the memory of a compute. */
export interface ResidentSkin {
  /** vertexCount + 1 */
  rowStart: Resident<Uint32Array>;
  boneIndices: Resident<Uint32Array>;
  weights: Resident<Float32Array>;
}

export function uploadSkin(
  memory: Compute,
  skin: { rowStart: Uint32Array; boneIndices: Uint32Array; weights: Float32Array },
): ResidentSkin {
  return {
    rowStart: uploadUint32(memory, skin.rowStart),
    boneIndices: uploadUint32(memory, skin.boneIndices),
    weights: uploadFloat32(memory, skin.weights),
  };
}

/**
 * Fills positions: frameCount x vertexCount x 3.
 * @param bones frameCount x boneCount x 16
 * @param rest vertexCount x 3
 */
export function callSkinFrames(
  bones: Resident<Float64Array>,
  { rowStart, boneIndices, weights }: ResidentSkin,
  rest: Resident<Float32Array>,
  positions: Resident<Float32Array>,
  boneCount: number,
  frameCount: number,
): KernelCall {
  const arrays = { bones, rowStart, boneIndices, weights, rest, positions };
  return callOf(skinFramesKernel, { ...arrays, vertexCount: rest.length / 3, boneCount }, frameCount);
}

/** One chunk per frame. */
export const skinFramesKernel = kernel(
  'skinFrames',
  {
    bones: 'f64',
    rowStart: 'u32',
    boneIndices: 'u32',
    weights: 'f32',
    rest: 'f32',
    positions: 'f32',
    vertexCount: 'int',
    boneCount: 'int',
  },
  ({ bones, rowStart, boneIndices: indices, weights, rest, positions, vertexCount, boneCount }, chunk) => {
    const m = new Float64Array(12);
    for (let i = 0; i < vertexCount; i++) {
      m.fill(0);
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const o = 16 * (chunk * boneCount + indices[e]);
        for (let c = 0; c < 4; c++) for (let r = 0; r < 3; r++) m[3 * c + r] += weights[e] * bones[o + 4 * c + r];
      }
      const [x, y, z] = rest.subarray(3 * i);
      const out = 3 * (chunk * vertexCount + i);
      for (let r = 0; r < 3; r++) positions[out + r] = m[r] * x + m[3 + r] * y + m[6 + r] * z + m[9 + r];
    }
  },
);
