// SPDX-License-Identifier: MIT
// Le et al. 2021, §4.2: the weights of all points, in either space of example poses. The candidates of a point are its nearest bones and its present ones.

import { SparseSimplex } from '../../../core/algebra/sparse-simplex.ts';
import type { ExampleDots } from '../../../core/kernels/weights/example-dots.ts';
import { dotSym4, SYM4_SIZE } from '../../../core/math/sym4.ts';
import type { BoneResponse, Responses } from '../compress-responses.ts';
import type { NearestBones } from './compress-start.ts';

/** Weights of points, a fixed number per point, padded with zeros. */
export interface PointWeights {
  influences: number;
  /** pointCount x influences */
  bones: Uint32Array;
  /** pointCount x influences */
  weights: Float64Array;
  /** pointCount: squared errors, summed over joints and poses */
  errors: Float64Array;
}

export function makePointWeights(pointCount: number, influences: number): PointWeights {
  return {
    influences,
    bones: new Uint32Array(pointCount * influences),
    weights: new Float64Array(pointCount * influences),
    errors: new Float64Array(pointCount).fill(Number.POSITIVE_INFINITY),
  };
}

export function copyPointWeights(w: PointWeights): PointWeights {
  return { influences: w.influences, bones: w.bones.slice(), weights: w.weights.slice(), errors: w.errors.slice() };
}

/** P of pairs of bones, computed on demand. */
class PairTable {
  readonly #responses: Responses;
  readonly #bones: readonly BoneResponse[];
  /** boneCount x boneCount: index + 1 in values, 0 for pairs that are not computed yet */
  readonly #places: Int32Array;
  #count = 0;
  values = new Float64Array(SYM4_SIZE * 1024);

  constructor(responses: Responses, bones: readonly BoneResponse[]) {
    this.#responses = responses;
    this.#bones = bones;
    this.#places = new Int32Array(bones.length * bones.length);
  }

  /** Offset of the ten numbers of a pair. */
  place(k: number, l: number): number {
    const at = k < l ? k * this.#bones.length + l : l * this.#bones.length + k;
    if (this.#places[at] === 0) {
      if (SYM4_SIZE * (this.#count + 1) > this.values.length) {
        const larger = new Float64Array(2 * this.values.length);
        larger.set(this.values);
        this.values = larger;
      }
      this.#responses.pairInto(this.#bones[k], this.#bones[l], this.values, SYM4_SIZE * this.#count);
      this.#places[at] = ++this.#count;
    }
    return SYM4_SIZE * (this.#places[at] - 1);
  }
}

export interface UpdateWeightsOptions {
  /** Number of candidate bones per point. */
  candidates: number;
  /** Influences that change the squared error by less than this are dropped; 0 drops none. */
  floor?: number;
  /** boneCount: filled with the rise of the error without each bone. */
  removal?: Float64Array;
  /** Regularization towards the weights of neighbours. */
  smooth?: SmoothTerm;
  /** Compute for the products of points and candidates, all at once. Default: here, one at a time, with the same bits. */
  dots?: ExampleDots;
  /** pointCount: 0 for points that keep their weights. */
  only?: Uint8Array;
  /** Called regularly with the fraction that is done. */
  onChunk?: (part: number) => void | Promise<void>;
}

const CHUNK = 1024;
/** Added to the diagonal, relative, and the floor of pivots: only against singular systems. */
const RIDGE = 1e-10;
const SMALLEST = 1e-300;
/**
 * Minimum ratio by which a step must lower the error. Chosen on ninja with 100 virtual bones: with 1e-7 the
 * model needs 128 KB more for the same error on its animation; 1e-2 saves 88 KB and adds 3 % to that error.
 */
const MIN_GAIN = 1e-3;
const SEARCH_RULES = { ridge: RIDGE, pivotFloor: RIDGE, solve: 'elimination', minGain: MIN_GAIN } as const;

/**
 * α tr(A L Aᵀ) of §4.2 over edges between points: α Σ |aᵢ − aⱼ|². With fixed neighbours and weights that sum to one, the term of a point is aᵀ G a,
 * Gₖₗ = α Σⱼ (eₖ − aⱼ)·(eₗ − aⱼ): another Gram matrix, added to H.
 */
export interface SmoothTerm {
  /** α, in squared file units */
  strength: number;
  /** pointCount + 1 */
  rowStart: Uint32Array;
  /** Neighbours of every point. */
  neighbors: Uint32Array;
}

/** Solves the weights of all points in place, one after the other; no point's error rises. Returns the sum of errors, including the regularization if there is one. */
export async function updateWeights(
  responses: Responses,
  bones: readonly BoneResponse[],
  nearest: NearestBones,
  fit: PointWeights,
  options: UpdateWeightsOptions,
): Promise<number> {
  const pointCount = fit.errors.length;
  const { smooth, removal, only } = options;
  const width = maxCandidates(options.candidates, nearest, fit.influences);
  const { ids, counts } = listCandidates(nearest, fit, width, options.candidates, only);
  const dots = options.dots && new Float64Array(pointCount * width);
  if (options.dots && dots) await options.dots.fill(bones, ids, counts, dots);
  removal?.fill(0);
  const update = new PointUpdate(responses, bones, fit, width, options);
  let total = 0;
  for (let i = 0; i < pointCount; i++) {
    if (i % CHUNK === 0) await options.onChunk?.(i / pointCount);
    const [from, to] = [i * width, i * width + counts[i]];
    if (counts[i] > 0) update.solve(i, ids.subarray(from, to), dots?.subarray(from, to));
    total += fit.errors[i];
  }
  return smooth ? total + measureSmooth(smooth, fit) : total;
}

/** Solves one point after another. */
class PointUpdate {
  readonly #responses: Responses;
  readonly #bones: readonly BoneResponse[];
  readonly #fit: PointWeights;
  readonly #options: UpdateWeightsOptions;
  /** Maximum number of candidates. */
  readonly #width: number;
  readonly #search: SparseSimplex;
  readonly #pairs: PairTable;
  /** width x width */
  readonly #h: Float64Array;
  /** H without the regularization */
  readonly #data: Float64Array;
  readonly #dots: Float64Array;
  readonly #pulls: Float64Array;
  readonly #losses: Float64Array;

  constructor(
    responses: Responses,
    bones: readonly BoneResponse[],
    fit: PointWeights,
    width: number,
    options: UpdateWeightsOptions,
  ) {
    const { influences } = fit;
    this.#responses = responses;
    this.#bones = bones;
    this.#fit = fit;
    this.#options = options;
    this.#width = width;
    this.#search = new SparseSimplex(Math.min(influences, bones.length), width, SEARCH_RULES);
    this.#pairs = new PairTable(responses, bones);
    this.#h = new Float64Array(width * width);
    this.#data = new Float64Array(options.smooth ? width * width : 0);
    this.#dots = new Float64Array(width);
    this.#pulls = new Float64Array(width);
    this.#losses = new Float64Array(influences + 1);
  }

  /**
   * Solves a point.
   * @param ids candidates, its present bones first
   * @param known products of the point with the candidates
   */
  solve(i: number, ids: Uint32Array, known?: Float64Array): void {
    const [search, h, width] = [this.#search, this.#h, this.#width];
    const { smooth, floor } = this.#options;
    this.#fill(i, ids, known);
    if (smooth) {
      this.#data.set(h);
      addSmooth(smooth, this.#fit, i, ids, { h, stride: width, pulls: this.#pulls });
    }
    const problem = {
      values: h,
      rowAt: (candidate: number): number => candidate * width,
      diagonalAt: (candidate: number): number => h[candidate * (width + 1)],
    };
    search.enter(problem, ids.length, SMALLEST);
    this.#start(i);
    search.improve();
    if (floor) search.prune(floor);
    this.#store(i, ids);
  }

  /** Fills H. */
  #fill(i: number, ids: Uint32Array, known: Float64Array | undefined): void {
    const [responses, bones, pairs, h, dots] = [this.#responses, this.#bones, this.#pairs, this.#h, this.#dots];
    const { products, squares } = responses.points;
    const [size, width] = [ids.length, this.#width];
    for (let a = 0; a < size; a++) dots[a] = known ? known[a] : responses.dot(i, bones[ids[a]]);
    for (let a = 0; a < size; a++) {
      for (let b = 0; b <= a; b++) {
        // offset first: computing a pair may reallocate the values
        const at = a === b ? 0 : pairs.place(ids[a], ids[b]);
        const entry =
          dotSym4(a === b ? bones[ids[a]].square : pairs.values, at, products, SYM4_SIZE * i) -
          dots[a] -
          dots[b] +
          squares[i];
        h[a * width + b] = entry;
        h[b * width + a] = entry;
      }
      // rounding must not make an error negative
      h[a * width + a] = Math.max(h[a * width + a], 1e-15 * squares[i]);
    }
  }

  /** Starts from the present bones of a point, which are its first candidates, or from the first one. */
  #start(i: number): void {
    const { influences, weights } = this.#fit;
    const own = weights.subarray(i * influences, (i + 1) * influences).filter((weight) => weight > 0);
    const start = own.length > 0 ? [...own] : [1];
    this.#search.startFrom(
      start.map((_, a) => a),
      start,
    );
  }

  #store(i: number, ids: Uint32Array): void {
    const [search, fit] = [this.#search, this.#fit];
    const { influences } = fit;
    const { smooth, removal } = this.#options;
    for (let a = 0; a < influences; a++) {
      const isUsed = a < search.size;
      fit.bones[i * influences + a] = isUsed ? ids[search.members[a]] : 0;
      fit.weights[i * influences + a] = isUsed ? search.weights[a] : 0;
    }
    fit.errors[i] = smooth
      ? measureOn(this.#data, this.#width, search.members, search.weights, search.size)
      : search.error;
    if (!removal) return;
    search.lossesInto(this.#losses);
    for (let a = 0; a < search.size; a++) removal[ids[search.members[a]]] += this.#losses[a];
  }
}

/** Maximum number of candidates of a point. */
export function maxCandidates(candidates: number, nearest: NearestBones, influences: number): number {
  return Math.min(candidates, nearest.width) + influences;
}

/** Per point its present bones, then its nearest ones; none for points that keep their weights. ids: pointCount x width */
function listCandidates(
  nearest: NearestBones,
  { influences, bones, weights, errors }: PointWeights,
  width: number,
  candidates: number,
  only?: Uint8Array,
): { ids: Uint32Array; counts: Uint32Array } {
  const ids = new Uint32Array(errors.length * width);
  const counts = new Uint32Array(errors.length);
  for (let i = 0; i < errors.length; i++) {
    if (only?.[i] === 0) continue;
    const from = i * width;
    let end = from;
    for (let a = i * influences; a < (i + 1) * influences; a++) if (weights[a] > 0) ids[end++] = bones[a];
    const own = end;
    for (let a = i * nearest.width; a < i * nearest.width + Math.min(candidates, nearest.width); a++) {
      const bone = nearest.bones[a];
      if (bone < 0) break;
      let isKnown = false;
      for (let b = from; b < own; b++) if (ids[b] === bone) isKnown = true;
      if (!isKnown) ids[end++] = bone;
    }
    counts[i] = end - from;
  }
  return { ids, counts };
}

/** Adds G of point i to its H, a row per candidate. pulls: scratch memory for as many numbers as candidates. */
function addSmooth(
  { strength, rowStart, neighbors }: SmoothTerm,
  { influences, bones, weights }: PointWeights,
  i: number,
  ids: Uint32Array,
  { h, stride, pulls }: { h: Float64Array; stride: number; pulls: Float64Array },
): void {
  const size = ids.length;
  pulls.fill(0, 0, size);
  let squares = 0;
  let degree = 0;
  for (let n = rowStart[i]; n < rowStart[i + 1]; n++) {
    const from = neighbors[n] * influences;
    let isSolved = false;
    for (let b = from; b < from + influences; b++) {
      if (!(weights[b] > 0)) continue;
      isSolved = true;
      squares += weights[b] ** 2;
      for (let a = 0; a < size; a++) if (ids[a] === bones[b]) pulls[a] += weights[b];
    }
    // in the first pass some neighbours have no weights yet
    if (isSolved) degree++;
  }
  for (let a = 0; a < size; a++) {
    for (let b = 0; b < size; b++)
      h[a * stride + b] += strength * ((a === b ? degree : 0) - pulls[a] - pulls[b] + squares);
  }
}

function measureOn(h: Float64Array, stride: number, members: Int32Array, weights: Float64Array, count: number): number {
  let error = 0;
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < count; b++) error += weights[a] * weights[b] * h[members[a] * stride + members[b]];
  }
  return Math.max(0, error);
}

/** α Σ |aᵢ − aⱼ|² over edges. */
export function measureSmooth({ strength, rowStart, neighbors }: SmoothTerm, fit: PointWeights): number {
  const { influences, bones, weights } = fit;
  let sum = 0;
  for (let i = 0; i < fit.errors.length; i++) {
    for (let n = rowStart[i]; n < rowStart[i + 1]; n++) {
      const j = neighbors[n];
      if (j < i) continue;
      for (let a = i * influences; a < (i + 1) * influences; a++) {
        sum += weights[a] ** 2;
        for (let b = j * influences; b < (j + 1) * influences; b++)
          if (bones[a] === bones[b]) sum -= 2 * weights[a] * weights[b];
      }
      for (let b = j * influences; b < (j + 1) * influences; b++) sum += weights[b] ** 2;
    }
  }
  return strength * sum;
}

/** The sum of squared errors of the present weights. */
export function measureWeights(responses: Responses, bones: readonly BoneResponse[], fit: PointWeights): number {
  const { influences } = fit;
  const { products, squares } = responses.points;
  const pairs = new PairTable(responses, bones);
  let total = 0;
  for (let i = 0; i < fit.errors.length; i++) {
    let error = squares[i];
    for (let a = i * influences; a < (i + 1) * influences; a++) {
      if (!(fit.weights[a] > 0)) continue;
      error -= 2 * fit.weights[a] * responses.dot(i, bones[fit.bones[a]]);
      for (let b = i * influences; b < (i + 1) * influences; b++) {
        if (!(fit.weights[b] > 0)) continue;
        const at = pairs.place(fit.bones[a], fit.bones[b]);
        error += fit.weights[a] * fit.weights[b] * dotSym4(pairs.values, at, products, SYM4_SIZE * i);
      }
    }
    total += Math.max(0, error);
  }
  return total;
}
