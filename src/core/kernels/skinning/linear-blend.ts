// SPDX-License-Identifier: MIT
// Linear blend skinning, any number of influences: v' = (Σ wⱼ Mⱼ) v, n' = cofactor(Σ wⱼ Mⱼ) n, normalized.
// Blending the matrix first costs 16 multiplications per influence and serves positions and normals alike.
//
// The plain form, directly from the rows of a skin: the baseline of `bench kernels`. Real-time deformation uses variant 5 of ddm.ts
// (deformers/direct-delta-mush/ddm-runtime.ts, createBlendRuntime), the same blend with vertices in groups of four: 9 ns per vertex against 23 here, with normals, on
// one thread.
import { kernel } from '../kernel.ts';

/** Vertices per chunk: about 0.1 ms. */
export const LINEAR_BLEND_CHUNK = 4096;

export const linearBlendKernel = kernel(
  'linearBlend',
  {
    /** boneCount x 16 */
    bones: 'f32',
    rowStart: 'u32',
    boneIndices: 'u32',
    weights: 'f32',
    rest: 'f32',
    restNormals: 'f32?',
    positions: 'f32',
    normals: 'f32',
    vertexCount: 'int',
    chunkSize: 'int',
  },
  (
    { bones, rowStart, boneIndices: indices, weights, rest, restNormals, positions, normals, vertexCount, chunkSize },
    chunk,
  ) => {
    const end = Math.min(vertexCount, (chunk + 1) * chunkSize);
    const m = new Float32Array(12);
    for (let i = chunk * chunkSize; i < end; i++) {
      m.fill(0);
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const w = weights[e];
        const o = indices[e] * 16;
        for (let c = 0; c < 4; c++) {
          for (let r = 0; r < 3; r++) m[3 * c + r] += w * bones[o + 4 * c + r];
        }
      }
      const x = rest[3 * i];
      const y = rest[3 * i + 1];
      const z = rest[3 * i + 2];
      for (let r = 0; r < 3; r++) positions[3 * i + r] = m[r] * x + m[3 + r] * y + m[6 + r] * z + m[9 + r];
      if (!restNormals) continue;
      const nx = restNormals[3 * i];
      const ny = restNormals[3 * i + 1];
      const nz = restNormals[3 * i + 2];
      let length = 0;
      for (let r = 0; r < 3; r++) {
        const a = (r + 1) % 3;
        const b = (r + 2) % 3;
        const n =
          (m[3 + a] * m[6 + b] - m[3 + b] * m[6 + a]) * nx +
          (m[6 + a] * m[b] - m[6 + b] * m[a]) * ny +
          (m[a] * m[3 + b] - m[b] * m[3 + a]) * nz;
        normals[3 * i + r] = n;
        length += n * n;
      }
      const scale = length > 0 ? 1 / Math.sqrt(length) : 0;
      for (let r = 0; r < 3; r++) normals[3 * i + r] *= scale;
    }
  },
);
