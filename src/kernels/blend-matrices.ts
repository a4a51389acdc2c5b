// SPDX-License-Identifier: MIT
// Matrices of virtual bones, Vₖ = Σⱼ dₖⱼ Mⱼ, as the twelve numbers of their upper three rows, in single precision: the first layer of a skin in two layers.
import type { Compute, Resident, ResidentArray } from './compute.ts';

/** Matrices per chunk: a tenth of a millisecond or so. */
const CHUNK = 1024;

/**
 * Fills out with blended matrices.
 * @param bones boneCount x 12, row-major
 * @param rows compressed rows: rowCount + 1 starts, entryCount indices and weights
 * @param out rowCount x 12
 */
export async function blendMatricesInto(
  compute: Compute,
  bones: Resident<Float32Array>,
  rows: { rowStart: Resident<Uint32Array>; boneIndices: Resident<Uint32Array>; weights: Resident<Float32Array> },
  out: Resident<Float32Array>,
): Promise<void> {
  const count = out.length / 12;
  const args = [bones, rows.rowStart, rows.boneIndices, rows.weights, out, count, CHUNK];
  await compute.run('blendMatrices', args, Math.ceil(count / CHUNK));
}

/** The kernel's twin. args: bones (f32), rowStart, boneIndices (u32), weights (f32), out (f32), rowCount, rows per chunk */
export function blendMatricesTwin(args: readonly (ResidentArray | number)[], chunk: number): void {
  const [bones, rowStart, indices, weights, out] = args as unknown as [
    Float32Array,
    Uint32Array,
    Uint32Array,
    Float32Array,
    Float32Array,
  ];
  const [count, size] = args.slice(5) as number[];
  const end = Math.min(count, (chunk + 1) * size);
  for (let k = chunk * size; k < end; k++) {
    out.fill(0, 12 * k, 12 * k + 12);
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++) {
      const from = 12 * indices[e];
      for (let c = 0; c < 12; c++) out[12 * k + c] += Math.fround(weights[e] * bones[from + c]);
    }
  }
}
