// SPDX-License-Identifier: MIT
// Block descent of the Poisson weight reduction (poisson-weights.ts): one point at a time, with fixed neighbours.
//
// With e = Σⱼ wⱼMⱼu − v' (a row of numbers per point) and only eᵢ variable, Σ wₑ|eᵢ − eⱼ|² + a Σ|eᵢ|² is (Sᵢ + a)|e − tᵢ|² + const, Sᵢ the sum of the point's edges and tᵢ = Σⱼ wᵢⱼeⱼ / (Sᵢ + a):
// least squares of the blended position to v' + tᵢ. The step also exchanges bones of the point for those of its neighbours and those with the smallest error alone (Eq. 37). It never raises
// the objective.
import { SparseSimplex } from '../../../core/algebra/sparse-simplex.ts';
import type { GradientEdges } from '../objective/gradient-edges.ts';
import { sortRows, type WeightProblem, type WeightRows } from '../weight-problem.ts';
import type { PoissonPoses } from './poisson-weights.ts';

/** Bones with the smallest error alone that are candidates everywhere, beside those of the point and its neighbours. */
const BEST_ALONE = 4;
/** Minimum pivot relative to the diagonal: bones may move alike. */
const PIVOT_FLOOR = 1e-12;
/** Rounding error of squared distances relative to the square of the target. */
const ROUNDING = 1e-13;
const SMALLEST = 1e-300;

export interface PoissonDescent {
  /** The objective: squared gradients and a times squared distances, summed over points. */
  energy: number;
  /** One sweep over all points. Returns the decrease of the energy. */
  sweep(): number;
  rows(): WeightRows;
}

/**
 * Makes the descent from given weights, which have at most `influences` entries per point.
 * @param attachment a
 */
export function makePoissonDescent(
  problem: Pick<WeightProblem, 'pointCount' | 'boneCount' | 'rest'>,
  start: WeightRows,
  { bones, targetInto }: PoissonPoses,
  edges: GradientEdges,
  influences: number,
  attachment: number,
): PoissonDescent {
  const { pointCount: n, boneCount: m, rest } = problem;
  const size = bones.length / (4 * m);
  const width = Math.min(influences, m);
  const byBone = turnBones(bones, m, size);
  /** pointCount x width: bones and weights of each point, and how many there are */
  const columns = new Uint32Array(n * width);
  const values = new Float64Array(n * width);
  const counts = new Uint8Array(n);
  /** pointCount x size: e */
  const off = new Float32Array(n * size);
  /** pointCount x alone: the bones with the smallest error alone */
  const alone = Math.min(BEST_ALONE, m);
  const best = new Uint32Array(n * alone);
  const errors = new Float64Array(m);
  /** boneCount x size: the images of the point under its candidates, minus its target */
  const images = new Float64Array(m * size);
  const target = new Float64Array(size);
  const own = new Float64Array(size);
  const h = new Float64Array(m * m);
  const list = new Int32Array(m);
  const isListed = new Uint8Array(m);
  const search = new SparseSimplex(width, m, { ridge: 0, pivotFloor: PIVOT_FLOOR, solve: 'active-set' });
  let listed = 0;
  const small = {
    values: h,
    rowAt: (candidate: number): number => candidate * listed,
    diagonalAt: (candidate: number): number => h[candidate * (listed + 1)],
  };

  const imageInto = (i: number, j: number, to: number): void => {
    const [x, y, z] = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]];
    for (let row = 0, p = 4 * j * size; row < size; row++, p += 4)
      images[to + row] = byBone[p] * x + byBone[p + 1] * y + byBone[p + 2] * z + byBone[p + 3];
  };
  const listBone = (j: number): void => {
    if (isListed[j]) return;
    isListed[j] = 1;
    list[listed++] = j;
  };
  const listBonesOf = (i: number): void => {
    for (let a = 0; a < counts[i]; a++) listBone(columns[i * width + a]);
  };

  /** Fills own = v' of the point: its blended position minus e. The first images must be those of its bones. */
  const ownInto = (i: number): void => {
    for (let row = 0; row < size; row++) own[row] = -off[i * size + row];
    for (let a = 0; a < counts[i]; a++) {
      const w = values[i * width + a];
      for (let row = 0; row < size; row++) own[row] += w * images[a * size + row];
    }
  };

  /** Fills the list of candidates of a point: its own bones first. */
  const listCandidates = (i: number): void => {
    listed = 0;
    listBonesOf(i);
    for (let e = edges.rowStart[i]; e < edges.rowStart[i + 1]; e++) listBonesOf(edges.columns[e]);
    for (let a = i * alone; a < (i + 1) * alone; a++) listBone(best[a]);
    for (let a = 0; a < listed; a++) isListed[list[a]] = 0;
  };

  /** Solves one point. Returns the decrease of the energy. */
  const visit = (i: number): number => {
    const hold = edges.sums[i] + attachment;
    if (!(hold > 0)) return 0;
    listCandidates(i);
    for (let a = 0; a < listed; a++) imageInto(i, list[a], a * size);
    ownInto(i);
    target.fill(0);
    for (let e = edges.rowStart[i]; e < edges.rowStart[i + 1]; e++) {
      const w = edges.values[e] / hold;
      for (let row = 0, o = edges.columns[e] * size; row < size; row++) target[row] += w * off[o + row];
    }
    let [before, square] = [0, 0];
    for (let row = 0; row < size; row++) {
      before += (off[i * size + row] - target[row]) ** 2;
      target[row] += own[row];
      square += target[row] ** 2;
    }
    fillDistances(images, target, h, listed, size);
    search.enter(small, listed, ROUNDING * square + SMALLEST);
    for (let a = 0; a < counts[i]; a++) search.join(a, values[i * width + a]);
    search.solve();
    search.grow();
    search.exchange();
    counts[i] = search.size;
    let after = 0;
    for (let row = 0; row < size; row++) {
      let sum = 0;
      for (let a = 0; a < search.size; a++) sum += search.weights[a] * images[search.members[a] * size + row];
      after += sum * sum;
      off[i * size + row] = sum + target[row] - own[row];
    }
    for (let a = 0; a < search.size; a++) {
      columns[i * width + a] = list[search.members[a]];
      values[i * width + a] = search.weights[a];
    }
    return hold * (before - after);
  };

  for (let i = 0; i < n; i++) {
    counts[i] = start.rowStart[i + 1] - start.rowStart[i];
    for (let a = 0; a < counts[i]; a++) {
      columns[i * width + a] = start.columns[start.rowStart[i] + a];
      values[i * width + a] = start.values[start.rowStart[i] + a];
    }
    targetInto(i, own);
    fillBest(i);
    for (let a = 0; a < counts[i]; a++) imageInto(i, columns[i * width + a], a * size);
    for (let row = 0; row < size; row++) {
      let sum = -own[row];
      for (let a = 0; a < counts[i]; a++) sum += values[i * width + a] * images[a * size + row];
      off[i * size + row] = sum;
    }
  }

  /** Fills the bones with the smallest error alone (Eq. 37). */
  function fillBest(i: number): void {
    for (let j = 0; j < m; j++) {
      imageInto(i, j, j * size);
      errors[j] = 0;
      for (let row = 0; row < size; row++) errors[j] += (images[j * size + row] - own[row]) ** 2;
    }
    const order = Array.from(errors.keys()).sort((a, b) => errors[a] - errors[b] || a - b);
    for (let a = 0; a < alone; a++) best[i * alone + a] = order[a];
  }

  const descent: PoissonDescent = {
    energy: measureEnergy(off, size, edges, attachment),
    sweep() {
      let fall = 0;
      for (let i = 0; i < n; i++) fall += visit(i);
      descent.energy -= fall;
      return fall;
    },
    rows: () => {
      const kept = values.map((w, c) => (c % width < counts[Math.floor(c / width)] ? w : 0));
      const rowStart = Uint32Array.from({ length: n + 1 }, (_, i) => i * width);
      return sortRows({ rowStart, columns, values: kept });
    },
  };
  return descent;
}

/** boneCount x rows x 4, so that the image of a point is contiguous */
function turnBones(bones: Float64Array, m: number, size: number): Float64Array {
  const turned = new Float64Array(bones.length);
  for (let row = 0; row < size; row++)
    for (let j = 0; j < m; j++)
      for (let c = 0; c < 4; c++) turned[(j * size + row) * 4 + c] = bones[row * 4 * m + 4 * j + c];
  return turned;
}

/** Subtracts the target from the images, and fills their products: count x count. */
function fillDistances(images: Float64Array, target: Float64Array, h: Float64Array, count: number, size: number): void {
  for (let a = 0; a < count; a++) {
    const o = a * size;
    for (let row = 0; row < size; row++) images[o + row] -= target[row];
    for (let b = 0; b <= a; b++) {
      const p = b * size;
      let sum = 0;
      for (let row = 0; row < size; row++) sum += images[o + row] * images[p + row];
      h[a * count + b] = h[b * count + a] = sum;
    }
  }
}

function measureEnergy(off: Float32Array, size: number, edges: GradientEdges, attachment: number): number {
  let energy = 0;
  for (let i = 0; i + 1 < edges.rowStart.length; i++) {
    let square = 0;
    for (let row = i * size; row < (i + 1) * size; row++) square += off[row] ** 2;
    energy += attachment * square;
    for (let e = edges.rowStart[i]; e < edges.rowStart[i + 1]; e++) {
      const k = edges.columns[e];
      if (k > i) continue;
      let sum = 0;
      for (let row = 0; row < size; row++) sum += (off[i * size + row] - off[k * size + row]) ** 2;
      energy += edges.values[e] * sum;
    }
  }
  return energy;
}
