// SPDX-License-Identifier: MIT
// Matrices of virtual bones, Vₖ = Σⱼ dₖⱼ Mⱼ, in double precision: the first layer of a skin in two layers.
import type { Compute, Resident, ResidentArray } from './compute.ts';

/** Matrices per chunk: a tenth of a millisecond or so. */
const CHUNK = 512;

/**
 * Fills out with blended matrices.
 * @param bones boneCount x 16
 * @param rows compressed rows: rowCount + 1 starts, entryCount indices and weights
 * @param out rowCount x 16
 */
export async function blendMatricesInto(
  compute: Compute,
  bones: Resident<Float64Array>,
  rows: { rowStart: Resident<Uint32Array>; boneIndices: Resident<Uint32Array>; weights: Resident<Float32Array> },
  out: Resident<Float64Array>,
): Promise<void> {
  const count = out.length / 16;
  const args = [bones, rows.rowStart, rows.boneIndices, rows.weights, out, count, CHUNK];
  await compute.run('blendMatrices', args, Math.ceil(count / CHUNK));
}

/** The kernel's twin. args: bones (f64), rowStart, boneIndices (u32), weights (f32), out (f64), rowCount, rows per chunk */
export function blendMatricesTwin(args: readonly (ResidentArray | number)[], chunk: number): void {
  const [bones, rowStart, indices, weights, out] = args as unknown as [
    Float64Array,
    Uint32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
  ];
  const [count, size] = args.slice(5) as number[];
  const end = Math.min(count, (chunk + 1) * size);
  for (let k = chunk * size; k < end; k++) {
    out.fill(0, 16 * k, 16 * k + 16);
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++) {
      const from = 16 * indices[e];
      for (let c = 0; c < 16; c++) out[16 * k + c] += weights[e] * bones[from + c];
    }
  }
}
