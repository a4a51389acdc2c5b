// SPDX-License-Identifier: MIT
// Normal equations of the nodes of a deformation graph (methods/track/solve/graph-solver.ts). A point i with the symmetric matrix M_i and the vector g_i adds, for each pair of nodes j, k that move it,
//   w_ij w_ik J_jᵀ M_i J_k with J_j = [−[r_j]ₓ, I], r_j = R_j (p_i − p_j),  to the 6 x 6 block of the pair, and −w_ij J_jᵀ g_i to the gradient of node j.
// A chunk is a range of blocks with a list of points for each, so that every sum has one order, whatever the number of threads.
import { kernel } from '../kernel.ts';

/** Bit of a point that adds to the gradient: both nodes of the pair are the same influence. */
export const GRADIENT_BIT = 0x80000000;

export const graphBlocksKernel = kernel(
  'graphBlocks',
  {
    /** pointCount x 3 */
    rest: 'f64',
    /** pointCount x 9: upper triangle of M by rows, g */
    sums: 'f64',
    /** nodeCount x 9, column-major */
    rotations: 'f64',
    /** nodeCount: the point of each node */
    points: 'u32',
    /** blockCount x 2: nodes of the rows and of the columns */
    pairs: 'u32',
    /** blockCount + 1: first entry of each block */
    starts: 'u32',
    /** entryCount: point, GRADIENT_BIT */
    entries: 'u32',
    /** entryCount x 2 */
    weights: 'f64',
    /** blockCount x 36, filled. The first nodeCount blocks are those of each node with itself */
    blocks: 'f64',
    /** nodeCount x 6, filled */
    gradient: 'f64',
    /** chunkCount + 1: first block of each chunk */
    chunks: 'u32',
    nodeCount: 'int',
  },
  ({ rest, sums, rotations, points, pairs, starts, entries, weights, blocks, gradient, chunks, nodeCount }, chunk) => {
    const rows = new Float64Array(18);
    for (let block = chunks[chunk]; block < chunks[chunk + 1]; block++) {
      const [j, k] = [pairs[2 * block], pairs[2 * block + 1]];
      const out = blocks.subarray(36 * block, 36 * block + 36).fill(0);
      const pull = new Float64Array(6);
      for (let e = starts[block]; e < starts[block + 1]; e++) {
        const i = (entries[e] & ~GRADIENT_BIT) >>> 0;
        const m = sums.subarray(9 * i, 9 * i + 9);
        if (m[0] + m[3] + m[5] === 0) continue;
        const [ax, ay, az] = turnArm(rest, rotations, i, j, points[j]);
        const [bx, by, bz] = turnArm(rest, rotations, i, k, points[k]);
        const w = weights[2 * e] * weights[2 * e + 1];
        for (let s = 0; s < 3; s++) {
          const p = w * m[s];
          const q = w * (s === 0 ? m[1] : m[2 + s]);
          const t = w * (s === 0 ? m[2] : m[3 + s]);
          rows.set([by * t - bz * q, bz * p - bx * t, bx * q - by * p, p, q, t], 6 * s);
        }
        for (let c = 0; c < 6; c++) {
          const [p, q, t] = [rows[c], rows[6 + c], rows[12 + c]];
          out[c] += ay * t - az * q;
          out[6 + c] += az * p - ax * t;
          out[12 + c] += ax * q - ay * p;
          out[18 + c] += p;
          out[24 + c] += q;
          out[30 + c] += t;
        }
        if (entries[e] < GRADIENT_BIT) continue;
        const [gx, gy, gz] = [weights[2 * e] * m[6], weights[2 * e] * m[7], weights[2 * e] * m[8]];
        const torque = [ay * gz - az * gy, az * gx - ax * gz, ax * gy - ay * gx, gx, gy, gz];
        for (let c = 0; c < 6; c++) pull[c] -= torque[c];
      }
      if (block < nodeCount) gradient.set(pull, 6 * block);
    }
  },
);

/** R_j (p_i − p_j). */
function turnArm(rest: Float64Array, m: Float64Array, i: number, j: number, point: number): [number, number, number] {
  const [p, g, o] = [3 * i, 3 * point, 9 * j];
  const dx = rest[p] - rest[g];
  const dy = rest[p + 1] - rest[g + 1];
  const dz = rest[p + 2] - rest[g + 2];
  return [
    m[o] * dx + m[o + 3] * dy + m[o + 6] * dz,
    m[o + 1] * dx + m[o + 4] * dy + m[o + 7] * dz,
    m[o + 2] * dx + m[o + 5] * dy + m[o + 8] * dz,
  ];
}
