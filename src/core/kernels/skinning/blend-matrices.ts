// SPDX-License-Identifier: MIT
// Matrices of virtual bones, Vₖ = Σⱼ dₖⱼ Mⱼ, in the bone format of the ddm kernel: sixteen single-precision numbers each, of which the first twelve are
// the upper three rows. This is the first layer of a two-layer skin.
import type { Compute } from '../compute.ts';
import { kernel, type Resident } from '../kernel.ts';

/** Matrices per chunk: about 0.1 ms. */
const CHUNK = 1024;

/** Compressed rows over bones. */
export interface BlendRows {
  /** rowCount + 1 */
  rowStart: Resident<Uint32Array>;
  /** entryCount */
  boneIndices: Resident<Uint32Array>;
  /** entryCount */
  weights: Resident<Float32Array>;
}

/**
 * Fills out with blended matrices.
 * @param bones poseCount x boneCount x 16
 * @param out poseCount x rowCount x 16; the last four of each are not written
 */
export async function blendMatricesInto(
  compute: Compute,
  bones: Resident<Float32Array>,
  boneCount: number,
  rows: BlendRows,
  out: Resident<Float32Array>,
  poseCount: number,
): Promise<void> {
  const count = rows.rowStart.length - 1;
  const args = { bones, ...rows, out, rowCount: count, chunkSize: CHUNK, boneCount };
  await compute.run(blendMatricesKernel, args, poseCount * Math.ceil(count / CHUNK));
}

export const blendMatricesKernel = kernel(
  'blendMatrices',
  {
    bones: 'f32',
    rowStart: 'u32',
    boneIndices: 'u32',
    weights: 'f32',
    out: 'f32',
    rowCount: 'int',
    chunkSize: 'int',
    boneCount: 'int',
  },
  ({ bones, rowStart, boneIndices: indices, weights, out, rowCount: count, chunkSize: size, boneCount }, chunk) => {
    const chunks = Math.ceil(count / size);
    const pose = Math.floor(chunk / chunks);
    const begin = (chunk - pose * chunks) * size;
    for (let k = begin; k < Math.min(count, begin + size); k++) {
      const to = 16 * (pose * count + k);
      out.fill(0, to, to + 12);
      for (let e = rowStart[k]; e < rowStart[k + 1]; e++) {
        const from = 16 * (pose * boneCount + indices[e]);
        for (let c = 0; c < 12; c++) out[to + c] += Math.fround(weights[e] * bones[from + c]);
      }
    }
  },
);
