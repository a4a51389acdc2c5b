// SPDX-License-Identifier: MIT
// Exact updates of the atoms of a dictionary, one after the other: with the points that use atom d with share a and another atom o with share 1 − a,
//   Σ (a d + (1 − a) o)ᵀ H (a d + (1 − a) o) = dᵀQd + 2lᵀd + c,   Q = Σ a²H,   l = Σ a(1 − a) H o,
// minimized over d ≥ 0, Σd = 1, at most `cardinality` of them. The course's step (Eq. 56) may raise the error with poses; this step does not.
import { makeSimplexSolver } from '../../../core/algebra/simplex-least-squares.ts';
import type { WeightRows } from '../weight-problem.ts';
import { type Dictionary, NONE } from './dictionary.ts';

/** Weights of an atom below this are dropped, and the others are solved again. */
const MIN_WEIGHT = 1e-4;

/**
 * Updates all atoms in order. The errors of points are not updated: refresh them, or update coefficients next.
 * @param rows weights of the points: an atom may use their bones in addition to its own
 */
export function updateAtoms(dictionary: Dictionary, rows: WeightRows, price = 0): void {
  const { quadratics, cardinality } = dictionary;
  const { boneCount: m, tableSize } = quadratics;
  const { start, points } = dictionary.listUsers();
  const solver = makeSimplexSolver(m);
  const cut = makeCutter(m);
  const sum = new Float64Array(quadratics.sumSize);
  const list = new Int32Array(m);
  const marks = new Uint32Array(m);
  const image = new Float64Array(m);
  const quadratic = new Float64Array(m * m);
  const linear = new Float64Array(m);
  const slope = new Float64Array(m);
  const x = new Float64Array(m);
  const weights = new Float64Array(m);
  for (let k = 0; k < dictionary.count; k++) {
    if (start[k] === start[k + 1]) continue;
    // candidate bones
    let size = 0;
    const mark = k + 1;
    const take = (j: number): void => {
      if (marks[j] === mark) return;
      marks[j] = mark;
      list[size++] = j;
    };
    for (let n = 0; n < dictionary.sizes[k]; n++) take(dictionary.lists[k * m + n]);
    for (let u = start[k]; u < start[k + 1]; u++)
      for (let e = rows.rowStart[points[u]]; e < rows.rowStart[points[u] + 1]; e++) take(rows.columns[e]);

    sum.fill(0);
    linear.fill(0);
    for (let u = start[k]; u < start[k + 1]; u++) {
      const i = points[u];
      const isFirst = dictionary.first[i] === k;
      const other = isFirst ? dictionary.second[i] : dictionary.first[i];
      const a = other === NONE ? 1 : isFirst ? dictionary.share[i] : 1 - dictionary.share[i];
      quadratics.addInto(i, a * a, sum);
      if (other === NONE) continue;
      const { atoms, tables } = dictionary;
      const atom = { atoms, o: other * m, tables, t: other * tableSize };
      quadratics.applyInto(i, atom, { list, count: size }, image);
      const b = a * (1 - a);
      for (let n = 0; n < size; n++) linear[list[n]] += b * image[list[n]];
    }
    quadratics.quadraticInto(sum, list, size, quadratic);
    for (let n = 0; n < size; n++) {
      slope[n] = -linear[list[n]];
      x[n] = dictionary.atoms[k * m + list[n]];
    }
    const before = measure(quadratic, slope, x, size);
    solver.solveInto(quadratic, slope, x, size);
    const after = cut(quadratic, slope, x, size, cardinality, price);
    if (!(after.error < before + price * Math.max(0, dictionary.sizes[k] - after.size))) continue;
    weights.fill(0);
    for (let n = 0; n < size; n++) weights[list[n]] = x[n];
    dictionary.put(k, weights);
  }
}

/** xᵀQx − 2fᵀx */
function measure(q: Float64Array, f: Float64Array, x: Float64Array, size: number): number {
  let sum = 0;
  for (let a = 0; a < size; a++) {
    if (x[a] === 0) continue;
    let row = 0;
    for (let b = 0; b < size; b++) row += q[a * size + b] * x[b];
    sum += x[a] * (row - 2 * f[a]);
  }
  return sum;
}

/**
 * Makes a step that drops the weight of the smallest cost while there are too many, or while its cost is below the price, and solves the others again. Without weight n,
 * and with the others scaled by σ = 1/(1 − xₙ), the error is σ²(xᵀQx − 2xₙ(Qx)ₙ + xₙ²Qₙₙ) − 2σ(fᵀx − fₙxₙ): no solve per candidate.
 */
function makeCutter(maxSize: number) {
  const solver = makeSimplexSolver(maxSize);
  const small = new Float64Array(maxSize * maxSize);
  const slope = new Float64Array(maxSize);
  const y = new Float64Array(maxSize);
  const qx = new Float64Array(maxSize);
  const kept = new Int32Array(maxSize);
  return (q: Float64Array, f: Float64Array, x: Float64Array, size: number, maxEntries: number, price: number) => {
    let count = 0;
    for (let n = 0; n < size; n++) if (x[n] > 0) kept[count++] = n;
    for (;;) {
      let xqx = 0;
      let fx = 0;
      for (let a = 0; a < count; a++) {
        const n = kept[a];
        let row = 0;
        for (let b = 0; b < count; b++) row += q[n * size + kept[b]] * x[kept[b]];
        qx[a] = row;
        xqx += x[n] * row;
        fx += f[n] * x[n];
      }
      const error = xqx - 2 * fx;
      if (count === 1) return { error, size: count };
      let lowest = 0;
      let cost = Number.POSITIVE_INFINITY;
      for (let a = 0; a < count; a++) {
        const n = kept[a];
        const w = x[n];
        const scale = 1 / (1 - w);
        const left = scale * (scale * (xqx - 2 * w * qx[a] + w * w * q[n * size + n]) - 2 * (fx - w * f[n]));
        if (left < cost) {
          cost = left;
          lowest = a;
        }
      }
      const isTooMany = count > maxEntries || x[kept[lowest]] < MIN_WEIGHT;
      if (!isTooMany && !(cost - error < price)) return { error, size: count };
      x[kept[lowest]] = 0;
      kept.copyWithin(lowest, lowest + 1, count--);
      for (let a = 0; a < count; a++) {
        for (let b = 0; b < count; b++) small[a * count + b] = q[kept[a] * size + kept[b]];
        slope[a] = f[kept[a]];
        y[a] = x[kept[a]];
      }
      solver.solveInto(small, slope, y, count);
      let left = 0;
      for (let a = 0; a < count; a++) {
        x[kept[a]] = y[a];
        if (y[a] > 0) kept[left++] = kept[a];
      }
      count = left;
    }
  };
}
