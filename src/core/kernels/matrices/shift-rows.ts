// SPDX-License-Identifier: MIT
// A mean shift step for places z: each moves to the weighted mean of the rows near it,
//   z ← Σⱼ aⱼ zⱼ / Σⱼ aⱼ,  aⱼ = wⱼ (1 − |z − zⱼ|₁/h)² within the bandwidth h, else 0.
// A place without such rows does not move.

import { l1Distance } from '../errors/l1-distance.ts';
import { kernel, type Resident } from '../kernel.ts';
import type { NearLists } from '../patches/near-lists.ts';

/** Places per chunk. */
const CHUNK = 8;

/**
 * Moves the places of the lists; lists.distances holds the L1 length of each step.
 * @param rows rows x stride
 * @param weights one per row
 * @param here places x stride; lists.ids are places, lists.near are rows
 */
export async function shiftRows(
  lists: NearLists,
  rows: Resident<Float32Array>,
  weights: Resident<Float64Array>,
  here: Resident<Float32Array>,
  stride: number,
  bandwidth: number,
): Promise<void> {
  const { compute, ids, starts, near, distances, count } = lists;
  await compute.scope(async (memory) => {
    const scratch = memory.float64(stride * compute.threads);
    const arrays = { rows, weights, here, ids, starts, near, distances, scratch };
    const args = { ...arrays, count, stride, bandwidth, bytesPerThread: 8 * stride, chunkSize: CHUNK };
    await compute.run(shiftRowsKernel, args, Math.ceil(count / CHUNK));
  });
}

export const shiftRowsKernel = kernel(
  'shiftRows',
  {
    rows: 'f32',
    weights: 'f64',
    here: 'f32',
    ids: 'u32',
    starts: 'u32',
    near: 'u32',
    /** lengths of the steps, filled */
    distances: 'f64',
    count: 'int',
    stride: 'int',
    bandwidth: 'float',
    scratch: 'f64',
    bytesPerThread: 'int',
    chunkSize: 'int',
  },
  ({ rows, weights, here, ids, starts, near, distances, count, stride, bandwidth, chunkSize }, chunk) => {
    const end = Math.min(count, (chunk + 1) * chunkSize);
    const mean = new Float64Array(stride);
    for (let n = chunk * chunkSize; n < end; n++) {
      const x = ids[n] * stride;
      mean.fill(0);
      let total = 0;
      for (let e = starts[n]; e < starts[n + 1]; e++) {
        const row = near[e] * stride;
        const distance = l1Distance(here, x, rows, row, stride, bandwidth);
        if (distance >= bandwidth) continue;
        const closeness = 1 - distance / bandwidth;
        const a = weights[near[e]] * closeness * closeness;
        total += a;
        for (let c = 0; c < stride; c++) mean[c] += a * rows[row + c];
      }
      distances[n] = 0;
      if (total === 0) continue;
      let sum = 0;
      for (let c = 0; c < stride; c++) {
        const next = mean[c] / total;
        sum += Math.abs(next - here[x + c]);
        here[x + c] = next;
      }
      distances[n] = sum;
    }
  },
);
