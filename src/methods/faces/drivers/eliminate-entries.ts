// SPDX-License-Identifier: MIT
// Which numbers of the drivers stay, for a budget of non-zeros: backward elimination. With P = G⁻¹ on the present support and d = P b, setting entry e to zero and refitting the
// others raises the error by exactly dₑ²/Pₑₑ; then d −= P_e dₑ/Pₑₑ and P −= P_e P_eᵀ/Pₑₑ. The cheapest entry goes first. The rows (coordinates of shapes) are independent given the
// weights, so each row is eliminated completely, once, and the budget is shared afterwards: over all rows, the cheapest removals are made.
//
// Starting from all entries rather than from none finds pairs of entries that only help together (a rotation is two opposite numbers).

import { factorCholesky, solveCholesky } from '../../../core/algebra/dense-cholesky.ts';
import type { DriverSystem } from './driver-system.ts';

/** Chooses entries: (3 shapeCount) x n, 1 for those that stay.
 * @param importance shapeCount: weight of the squared error of each shape
 * @param within the same layout: only these entries may stay; absent: all
 */
export function eliminateEntries(
  system: DriverSystem,
  nonzeros: number,
  importance: Float64Array,
  within?: Uint8Array,
): Uint8Array {
  const { gram, right, isUsable } = system;
  const n = isUsable.length;
  const rowCount = right.length / n;
  const keep = new Uint8Array(right.length);
  const usable = Uint32Array.from(isUsable.keys()).filter((a) => isUsable[a]);
  const inverse = within ? undefined : invert(pick(gram, n, usable), usable.length);
  const costs: Float64Array[] = [];
  const orders: Uint32Array[] = [];
  let total = 0;
  for (let row = 0; row < rowCount; row++) {
    const active: number[] = [];
    for (let a = 0; a < n; a++) if (isUsable[a] && (within?.[row * n + a] ?? 1)) active.push(a);
    for (const a of active) keep[row * n + a] = 1;
    total += active.length;
    const { order, cost } = eliminateRow(gram, inverse, n, right.subarray(row * n, (row + 1) * n), active);
    const weight = importance[Math.floor(row / 3)];
    // a removal may become cheap only after a dear one: it cannot be made before it
    let dearest = 0;
    for (let e = 0; e < cost.length; e++) cost[e] = dearest = Math.max(dearest, cost[e] * weight);
    costs.push(cost);
    orders.push(order);
  }
  const limit = findLimit(costs, total - nonzeros);
  let left = total - nonzeros - limit.below;
  for (let row = 0; row < rowCount; row++)
    for (let e = 0; e < costs[row].length; e++) {
      if (costs[row][e] > limit.cost) break;
      if (costs[row][e] === limit.cost && left-- <= 0) break;
      keep[row * n + orders[row][e]] = 0;
    }
  return keep;
}

/** The cost of the last of `count` cheapest removals, and the number of those below it. */
function findLimit(costs: readonly Float64Array[], count: number): { cost: number; below: number } {
  if (count <= 0) return { cost: -1, below: 0 };
  const all = new Float64Array(costs.reduce((sum, row) => sum + row.length, 0));
  let at = 0;
  for (const row of costs) {
    all.set(row, at);
    at += row.length;
  }
  all.sort();
  const cost = all[Math.min(count, all.length) - 1];
  let below = 0;
  while (below < all.length && all[below] < cost) below++;
  return { cost, below };
}

/** The order in which the entries of a row are removed, and what each removal costs. */
function eliminateRow(
  gram: Float64Array,
  inverse: Float64Array | undefined,
  n: number,
  b: Float64Array,
  active: readonly number[],
): { order: Uint32Array; cost: Float64Array } {
  const count = active.length;
  const p = new Float64Array(count * count);
  p.set(inverse ?? invert(pick(gram, n, active), count));
  const d = new Float64Array(count);
  for (let x = 0; x < count; x++) {
    let sum = 0;
    for (let y = 0; y < count; y++) sum += p[x * count + y] * b[active[y]];
    d[x] = sum;
  }
  // the lower triangle of P, compacted: a removed entry is replaced by the last one
  const names = Uint32Array.from(active);
  const column = new Float64Array(count);
  const order = new Uint32Array(count);
  const cost = new Float64Array(count);
  for (let step = 0, size = count; size > 0; step++, size--) {
    let [out, least] = [0, Number.POSITIVE_INFINITY];
    for (let x = 0; x < size; x++) {
      const c = (d[x] * d[x]) / p[x * count + x];
      if (c < least) [out, least] = [x, c];
    }
    order[step] = names[out];
    cost[step] = Math.max(0, least);
    for (let x = 0; x < size; x++) column[x] = x < out ? p[out * count + x] : p[x * count + out];
    const scale = 1 / column[out];
    const share = d[out] * scale;
    const last = size - 1;
    d[out] = d[last];
    names[out] = names[last];
    for (let x = 0; x < out; x++) p[out * count + x] = p[last * count + x];
    for (let x = out + 1; x < last; x++) p[x * count + out] = p[last * count + x];
    p[out * count + out] = p[last * count + last];
    column[out] = column[last];
    for (let x = 0; x < last; x++) {
      const amount = column[x] * scale;
      d[x] -= column[x] * share;
      if (amount === 0) continue;
      for (let y = 0, e = x * count; y <= x; y++, e++) p[e] -= amount * column[y];
    }
  }
  return { order, cost };
}

/** Some rows and columns of a matrix. */
function pick(gram: Float64Array, n: number, members: ArrayLike<number>): Float64Array {
  const size = members.length;
  const part = new Float64Array(size * size);
  for (let x = 0; x < size; x++) for (let y = 0; y < size; y++) part[x * size + y] = gram[members[x] * n + members[y]];
  return part;
}

/** The inverse of a symmetric positive matrix. */
function invert(matrix: Float64Array, size: number): Float64Array {
  const l = matrix.slice();
  let largest = 0;
  for (let a = 0; a < size; a++) largest = Math.max(largest, matrix[a * size + a]);
  factorCholesky(l, size, 1e-14 * largest + 1e-300);
  const inverse = new Float64Array(size * size);
  for (let a = 0; a < size; a++) {
    inverse[a * size + a] = 1;
    solveCholesky(l, size, inverse, size, a * size);
  }
  return inverse;
}
