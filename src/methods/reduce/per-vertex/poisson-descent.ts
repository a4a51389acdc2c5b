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
  readonly energy: number;
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
  poses: PoissonPoses,
  edges: GradientEdges,
  influences: number,
  attachment: number,
): PoissonDescent {
  const descent = new Descent(problem, poses, edges, influences, attachment);
  descent.start(start, poses.targetInto);
  return descent;
}

class Descent implements PoissonDescent {
  readonly #pointCount: number;
  readonly #boneCount: number;
  readonly #rest: ArrayLike<number>;
  readonly #edges: GradientEdges;
  readonly #attachment: number;
  /** Numbers per point: coordinates of all poses. */
  readonly #size: number;
  /** Maximum number of bones of a point. */
  readonly #width: number;
  /** boneCount x size x 4 */
  readonly #byBone: Float64Array;
  /** pointCount x width: bones and weights of each point, and how many there are */
  readonly #columns: Uint32Array;
  readonly #values: Float64Array;
  readonly #counts: Uint8Array;
  /** pointCount x size: e */
  readonly #off: Float32Array;
  /** pointCount x alone: the bones with the smallest error alone */
  readonly #best: Uint32Array;
  readonly #alone: number;
  /** boneCount x size: the images of the point under its candidates, minus its target */
  readonly #images: Float64Array;
  readonly #target: Float64Array;
  /** v' of the point */
  readonly #own: Float64Array;
  /** Candidates of the point, its own bones first. */
  readonly #list: Int32Array;
  readonly #isListed: Uint8Array;
  #listed = 0;
  /** listed x listed: products of the images */
  readonly #products: Float64Array;
  readonly #search: SparseSimplex;
  energy = 0;

  constructor(
    { pointCount, boneCount, rest }: Pick<WeightProblem, 'pointCount' | 'boneCount' | 'rest'>,
    { bones }: PoissonPoses,
    edges: GradientEdges,
    influences: number,
    attachment: number,
  ) {
    const size = bones.length / (4 * boneCount);
    const width = Math.min(influences, boneCount);
    this.#pointCount = pointCount;
    this.#boneCount = boneCount;
    this.#rest = rest;
    this.#edges = edges;
    this.#attachment = attachment;
    this.#size = size;
    this.#width = width;
    this.#byBone = turnBones(bones, boneCount, size);
    this.#columns = new Uint32Array(pointCount * width);
    this.#values = new Float64Array(pointCount * width);
    this.#counts = new Uint8Array(pointCount);
    this.#off = new Float32Array(pointCount * size);
    this.#alone = Math.min(BEST_ALONE, boneCount);
    this.#best = new Uint32Array(pointCount * this.#alone);
    this.#images = new Float64Array(boneCount * size);
    this.#target = new Float64Array(size);
    this.#own = new Float64Array(size);
    this.#list = new Int32Array(boneCount);
    this.#isListed = new Uint8Array(boneCount);
    this.#products = new Float64Array(boneCount * boneCount);
    this.#search = new SparseSimplex(width, boneCount, { ridge: 0, pivotFloor: PIVOT_FLOOR, solve: 'active-set' });
  }

  /** Takes the first weights. */
  start({ rowStart, columns, values }: WeightRows, targetInto: PoissonPoses['targetInto']): void {
    const [width, size, own, images] = [this.#width, this.#size, this.#own, this.#images];
    const errors = new Float64Array(this.#boneCount);
    for (let i = 0; i < this.#pointCount; i++) {
      const count = rowStart[i + 1] - rowStart[i];
      this.#counts[i] = count;
      for (let a = 0; a < count; a++) {
        this.#columns[i * width + a] = columns[rowStart[i] + a];
        this.#values[i * width + a] = values[rowStart[i] + a];
      }
      targetInto(i, own);
      this.#fillBest(i, errors);
      for (let a = 0; a < count; a++) this.#imageInto(i, this.#columns[i * width + a], a * size);
      for (let row = 0; row < size; row++) {
        let sum = -own[row];
        for (let a = 0; a < count; a++) sum += this.#values[i * width + a] * images[a * size + row];
        this.#off[i * size + row] = sum;
      }
    }
    this.energy = measureEnergy(this.#off, size, this.#edges, this.#attachment);
  }

  sweep(): number {
    let fall = 0;
    for (let i = 0; i < this.#pointCount; i++) fall += this.#visit(i);
    this.energy -= fall;
    return fall;
  }

  rows(): WeightRows {
    const [width, counts] = [this.#width, this.#counts];
    const kept = this.#values.map((w, c) => (c % width < counts[Math.floor(c / width)] ? w : 0));
    const rowStart = Uint32Array.from({ length: this.#pointCount + 1 }, (_, i) => i * width);
    return sortRows({ rowStart, columns: this.#columns, values: kept });
  }

  /** Solves one point. Returns the decrease of the energy. */
  #visit(i: number): number {
    const hold = this.#edges.sums[i] + this.#attachment;
    if (!(hold > 0)) return 0;
    this.#listCandidates(i);
    for (let a = 0; a < this.#listed; a++) this.#imageInto(i, this.#list[a], a * this.#size);
    this.#fillOwn(i);
    this.#fillTarget(i, hold);
    const { before, square } = this.#addOwn(i);
    fillDistances(this.#images, this.#target, this.#products, this.#listed, this.#size);
    this.#solve(i, square);
    return hold * (before - this.#store(i));
  }

  /** Fills the list of candidates of a point: its own bones first. */
  #listCandidates(i: number): void {
    const edges = this.#edges;
    this.#listed = 0;
    this.#listBonesOf(i);
    for (let e = edges.rowStart[i]; e < edges.rowStart[i + 1]; e++) this.#listBonesOf(edges.columns[e]);
    for (let a = i * this.#alone; a < (i + 1) * this.#alone; a++) this.#listBone(this.#best[a]);
    for (let a = 0; a < this.#listed; a++) this.#isListed[this.#list[a]] = 0;
  }

  #listBonesOf(i: number): void {
    for (let a = 0; a < this.#counts[i]; a++) this.#listBone(this.#columns[i * this.#width + a]);
  }

  #listBone(j: number): void {
    if (this.#isListed[j]) return;
    this.#isListed[j] = 1;
    this.#list[this.#listed++] = j;
  }

  #imageInto(i: number, j: number, to: number): void {
    const [rest, byBone, images, size] = [this.#rest, this.#byBone, this.#images, this.#size];
    const x = rest[3 * i];
    const y = rest[3 * i + 1];
    const z = rest[3 * i + 2];
    for (let row = 0, p = 4 * j * size; row < size; row++, p += 4)
      images[to + row] = byBone[p] * x + byBone[p + 1] * y + byBone[p + 2] * z + byBone[p + 3];
  }

  /** Fills v' of the point: its blended position minus e. The first images must be those of its bones. */
  #fillOwn(i: number): void {
    const [own, off, images, size] = [this.#own, this.#off, this.#images, this.#size];
    for (let row = 0; row < size; row++) own[row] = -off[i * size + row];
    for (let a = 0; a < this.#counts[i]; a++) {
      const w = this.#values[i * this.#width + a];
      for (let row = 0; row < size; row++) own[row] += w * images[a * size + row];
    }
  }

  /** Fills t of the point. */
  #fillTarget(i: number, hold: number): void {
    const [target, off, edges, size] = [this.#target, this.#off, this.#edges, this.#size];
    target.fill(0);
    for (let e = edges.rowStart[i]; e < edges.rowStart[i + 1]; e++) {
      const w = edges.values[e] / hold;
      for (let row = 0, o = edges.columns[e] * size; row < size; row++) target[row] += w * off[o + row];
    }
  }

  /** Makes t the target v' + t. Returns |e − t|² and the square of the target. */
  #addOwn(i: number): { before: number; square: number } {
    const [target, own, off, size] = [this.#target, this.#own, this.#off, this.#size];
    let before = 0;
    let square = 0;
    for (let row = 0; row < size; row++) {
      before += (off[i * size + row] - target[row]) ** 2;
      target[row] += own[row];
      square += target[row] ** 2;
    }
    return { before, square };
  }

  /** Chooses among the candidates, from the weights of the point. */
  #solve(i: number, square: number): void {
    const [search, products, listed] = [this.#search, this.#products, this.#listed];
    const matrix = {
      values: products,
      rowAt: (candidate: number): number => candidate * listed,
      diagonalAt: (candidate: number): number => products[candidate * (listed + 1)],
    };
    search.enter(matrix, listed, ROUNDING * square + SMALLEST);
    for (let a = 0; a < this.#counts[i]; a++) search.join(a, this.#values[i * this.#width + a]);
    search.solve();
    search.grow();
    search.exchange();
  }

  /** Stores the weights that were found, and e. Returns |e − t|². */
  #store(i: number): number {
    const [search, images, target, own, off] = [this.#search, this.#images, this.#target, this.#own, this.#off];
    const [width, size] = [this.#width, this.#size];
    this.#counts[i] = search.size;
    let after = 0;
    for (let row = 0; row < size; row++) {
      let sum = 0;
      for (let a = 0; a < search.size; a++) sum += search.weights[a] * images[search.members[a] * size + row];
      after += sum * sum;
      off[i * size + row] = sum + target[row] - own[row];
    }
    for (let a = 0; a < search.size; a++) {
      this.#columns[i * width + a] = this.#list[search.members[a]];
      this.#values[i * width + a] = search.weights[a];
    }
    return after;
  }

  /** Fills the bones with the smallest error alone (Eq. 37). */
  #fillBest(i: number, errors: Float64Array): void {
    const [images, own, size, alone] = [this.#images, this.#own, this.#size, this.#alone];
    for (let j = 0; j < this.#boneCount; j++) {
      this.#imageInto(i, j, j * size);
      errors[j] = 0;
      for (let row = 0; row < size; row++) errors[j] += (images[j * size + row] - own[row]) ** 2;
    }
    const order = Array.from(errors.keys()).sort((a, b) => errors[a] - errors[b] || a - b);
    for (let a = 0; a < alone; a++) this.#best[i * alone + a] = order[a];
  }
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
