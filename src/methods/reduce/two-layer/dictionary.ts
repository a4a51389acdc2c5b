// SPDX-License-Identifier: MIT
// The state of a two-layer factorization W ≈ DA: atoms (virtual bones: weights over bones), and one or two of them with their shares per point.
import type { BoneList, ErrorQuadratics, TabledAtom } from '../objective/error-quadratics.ts';
import { sortRows, type WeightRows } from '../weight-problem.ts';

/** Maximum number of candidate atoms of a point. */
const MAX_CANDIDATES = 24;
/** No second atom. */
export const NONE = -1;

export class Dictionary {
  readonly quadratics: ErrorQuadratics;
  /** Maximum number of bones per atom. */
  readonly cardinality: number;
  count = 0;
  /** capacity x boneCount, each summing to one */
  atoms = new Float64Array(0);
  /** capacity x quadratics.tableSize */
  tables = new Float64Array(0);
  /** capacity x boneCount: bones of each atom, in ascending order */
  lists = new Int32Array(0);
  /** capacity: their number */
  sizes = new Int32Array(0);
  /** pointCount: the atoms of each point, the second is NONE if there is only one */
  readonly first: Int32Array;
  readonly second: Int32Array;
  /** pointCount: the share of the first, 0 to 1 */
  readonly share: Float64Array;
  /** pointCount: xᵀHx */
  readonly errors: Float64Array;
  /** Minimum error reduction by a second atom. */
  price = 0;
  readonly #candidates = new Int32Array(MAX_CANDIDATES);
  #candidateCount = 0;
  /** MAX_CANDIDATES x boneCount: Hd of the candidates */
  readonly #images: Float64Array[];
  readonly #gram = new Float64Array(MAX_CANDIDATES * MAX_CANDIDATES);
  /** Bones of the candidates. */
  readonly #union: BoneList;
  readonly #marks: Uint32Array;
  #stamp = 0;
  #atomMarks = new Uint32Array(0);
  #atomStamp = 0;
  /** Result of the last search. */
  readonly best = { first: 0, second: NONE, share: 1, error: 0, single: 0 };

  constructor(quadratics: ErrorQuadratics, cardinality: number) {
    this.quadratics = quadratics;
    this.cardinality = Math.min(cardinality, quadratics.boneCount);
    this.first = new Int32Array(quadratics.pointCount);
    this.second = new Int32Array(quadratics.pointCount).fill(NONE);
    this.share = new Float64Array(quadratics.pointCount).fill(1);
    this.errors = new Float64Array(quadratics.pointCount).fill(Number.POSITIVE_INFINITY);
    this.#images = Array.from({ length: MAX_CANDIDATES }, () => new Float64Array(quadratics.boneCount));
    this.#union = { list: new Int32Array(quadratics.boneCount), count: 0 };
    this.#marks = new Uint32Array(quadratics.boneCount);
  }

  /** Adds an atom with the given weights; returns its index. */
  add(weights: ArrayLike<number>): number {
    const { boneCount: m, tableSize } = this.quadratics;
    if (this.count === this.sizes.length) {
      const capacity = Math.max(16, 2 * this.count);
      const grow = <T extends Float64Array | Int32Array>(old: T, made: T): T => {
        made.set(old as never);
        return made;
      };
      this.atoms = grow(this.atoms, new Float64Array(capacity * m));
      this.tables = grow(this.tables, new Float64Array(capacity * tableSize));
      this.lists = grow(this.lists, new Int32Array(capacity * m));
      this.sizes = grow(this.sizes, new Int32Array(capacity));
      this.#atomMarks = new Uint32Array(capacity);
      this.#atomStamp = 0;
    }
    this.count++;
    this.put(this.count - 1, weights);
    return this.count - 1;
  }

  /** Replaces the weights of an atom. */
  put(k: number, weights: ArrayLike<number>): void {
    const { boneCount: m, tableSize } = this.quadratics;
    let size = 0;
    for (let j = 0; j < m; j++) {
      this.atoms[k * m + j] = weights[j];
      if (weights[j] !== 0) this.lists[k * m + size++] = j;
    }
    this.sizes[k] = size;
    this.quadratics.tableInto(this.atoms, k * m, this.tables, k * tableSize);
  }

  /** Begins a list of candidates. */
  clearCandidates(): void {
    this.#candidateCount = 0;
    this.#atomStamp++;
  }

  addCandidate(k: number): void {
    if (k === NONE || this.#candidateCount === MAX_CANDIDATES || this.#atomMarks[k] === this.#atomStamp) return;
    this.#atomMarks[k] = this.#atomStamp;
    this.#candidates[this.#candidateCount++] = k;
  }

  /** Adds both atoms of a point. */
  addCandidatesOf(point: number): void {
    this.addCandidate(this.first[point]);
    this.addCandidate(this.second[point]);
  }

  /**
   * Finds the best one or two candidates for a point, in closed form (Eq. 57 with the share clamped to the segment): min over a in [0, 1] of
   * a²q_rr + 2a(1 − a)q_rs + (1 − a)²q_ss. excluded: a candidate to ignore.
   */
  search(point: number, excluded = NONE): void {
    this.#unite();
    this.#findSingle(point, excluded);
    this.#findPair(excluded);
    this.best.error = Math.max(0, this.best.error);
  }

  /** Lists the bones of all candidates. */
  #unite(): void {
    const { lists, sizes, quadratics } = this;
    const candidates = this.#candidates;
    const union = this.#union;
    union.count = 0;
    this.#stamp++;
    for (let c = 0; c < this.#candidateCount; c++) {
      const o = candidates[c] * quadratics.boneCount;
      for (let n = 0; n < sizes[candidates[c]]; n++) {
        const j = lists[o + n];
        if (this.#marks[j] === this.#stamp) continue;
        this.#marks[j] = this.#stamp;
        union.list[union.count++] = j;
      }
    }
  }

  /** Fills the products of all candidates, and finds the best one of them. */
  #findSingle(point: number, excluded: number): void {
    const { quadratics, atoms, tables, lists, sizes, best } = this;
    const { boneCount: m, tableSize } = quadratics;
    const candidates = this.#candidates;
    const gram = this.#gram;
    const atom: TabledAtom = { atoms, o: 0, tables, t: 0 };
    best.single = Number.POSITIVE_INFINITY;
    best.first = candidates[0];
    for (let c = 0; c < this.#candidateCount; c++) {
      const k = candidates[c];
      const image = this.#images[c];
      atom.o = k * m;
      atom.t = k * tableSize;
      quadratics.applyInto(point, atom, this.#union, image);
      for (let b = 0; b <= c; b++) {
        const o = candidates[b] * m;
        let sum = 0;
        for (let n = 0; n < sizes[candidates[b]]; n++) {
          const j = lists[o + n];
          sum += atoms[o + j] * image[j];
        }
        gram[c * MAX_CANDIDATES + b] = sum;
      }
      const own = gram[c * MAX_CANDIDATES + c];
      if (k !== excluded && own < best.single) {
        best.single = own;
        best.first = k;
      }
    }
  }

  /** Replaces the best one by the best two of the candidates, if they are worth the price. */
  #findPair(excluded: number): void {
    const { best } = this;
    const candidates = this.#candidates;
    const gram = this.#gram;
    best.second = NONE;
    best.share = 1;
    best.error = best.single;
    let lowest = best.single - this.price;
    for (let c = 1; c < this.#candidateCount; c++) {
      if (candidates[c] === excluded) continue;
      const cc = gram[c * MAX_CANDIDATES + c];
      for (let b = 0; b < c; b++) {
        if (candidates[b] === excluded) continue;
        const bb = gram[b * MAX_CANDIDATES + b];
        const cb = gram[c * MAX_CANDIDATES + b];
        const bottom = cc - 2 * cb + bb;
        const top = bb - cb;
        if (!(top > 0 && top < bottom)) continue;
        const error = bb - (top * top) / bottom;
        if (error < lowest) {
          lowest = error;
          const a = top / bottom;
          const isFirst = a >= 0.5;
          best.first = candidates[isFirst ? c : b];
          best.second = candidates[isFirst ? b : c];
          best.share = isFirst ? a : 1 - a;
          best.error = error;
        }
      }
    }
  }

  /** Assigns the result of the last search to a point. */
  adopt(point: number): void {
    const { best } = this;
    this.first[point] = best.first;
    this.second[point] = best.second;
    this.share[point] = best.share;
    this.errors[point] = best.error;
  }

  /** Non-zero entries of both layers. */
  countEntries(): number {
    let entries = 0;
    for (let k = 0; k < this.count; k++) entries += this.sizes[k];
    for (let i = 0; i < this.first.length; i++) entries += this.second[i] === NONE ? 1 : 2;
    return entries;
  }

  sumErrors(): number {
    let sum = 0;
    for (const error of this.errors) sum += error;
    return sum;
  }

  /** Points of each atom, compressed rows. */
  listUsers(): { start: Uint32Array; points: Uint32Array } {
    const start = new Uint32Array(this.count + 1);
    const n = this.first.length;
    for (let i = 0; i < n; i++) {
      start[this.first[i] + 1]++;
      if (this.second[i] !== NONE) start[this.second[i] + 1]++;
    }
    for (let k = 0; k < this.count; k++) start[k + 1] += start[k];
    const points = new Uint32Array(start[this.count]);
    const cursor = start.slice(0, this.count);
    for (let i = 0; i < n; i++) {
      points[cursor[this.first[i]]++] = i;
      if (this.second[i] !== NONE) points[cursor[this.second[i]]++] = i;
    }
    return { start, points };
  }

  /** Removes atoms; no point may use them. */
  remove(isGone: Uint8Array): void {
    const { boneCount: m, tableSize } = this.quadratics;
    const place = new Int32Array(this.count);
    let kept = 0;
    for (let k = 0; k < this.count; k++) {
      place[k] = kept;
      if (isGone[k]) continue;
      if (kept < k) {
        this.atoms.copyWithin(kept * m, k * m, (k + 1) * m);
        this.tables.copyWithin(kept * tableSize, k * tableSize, (k + 1) * tableSize);
        this.lists.copyWithin(kept * m, k * m, (k + 1) * m);
        this.sizes[kept] = this.sizes[k];
      }
      kept++;
    }
    this.count = kept;
    for (let i = 0; i < this.first.length; i++) {
      this.first[i] = place[this.first[i]];
      if (this.second[i] !== NONE) this.second[i] = place[this.second[i]];
    }
  }

  /** A copy that is changed independently. */
  copy(): Dictionary {
    const { boneCount: m } = this.quadratics;
    const made = new Dictionary(this.quadratics, this.cardinality);
    for (let k = 0; k < this.count; k++) made.add(this.atoms.subarray(k * m, (k + 1) * m));
    made.first.set(this.first);
    made.second.set(this.second);
    made.share.set(this.share);
    made.errors.set(this.errors);
    return made;
  }

  /** Both layers as rows: of atoms over bones, and of points over atoms. */
  toRows(): { atoms: WeightRows; points: WeightRows } {
    const { boneCount: m } = this.quadratics;
    const atomStart = new Uint32Array(this.count + 1);
    for (let k = 0; k < this.count; k++) atomStart[k + 1] = atomStart[k] + this.sizes[k];
    const columns = new Uint32Array(atomStart[this.count]);
    const values = new Float64Array(columns.length);
    for (let k = 0; k < this.count; k++) {
      for (let n = 0; n < this.sizes[k]; n++) {
        columns[atomStart[k] + n] = this.lists[k * m + n];
        values[atomStart[k] + n] = this.atoms[k * m + this.lists[k * m + n]];
      }
    }
    const count = this.first.length;
    const rowStart = new Uint32Array(count + 1);
    for (let i = 0; i < count; i++) rowStart[i + 1] = rowStart[i] + (this.second[i] === NONE ? 1 : 2);
    const pointColumns = new Uint32Array(rowStart[count]);
    const shares = new Float64Array(rowStart[count]);
    for (let i = 0; i < count; i++) {
      const e = rowStart[i];
      pointColumns[e] = this.first[i];
      shares[e] = this.second[i] === NONE ? 1 : this.share[i];
      if (this.second[i] === NONE) continue;
      pointColumns[e + 1] = this.second[i];
      shares[e + 1] = 1 - this.share[i];
    }
    return {
      atoms: sortRows({ rowStart: atomStart, columns, values }),
      points: sortRows({ rowStart, columns: pointColumns, values: shares }),
    };
  }
}
