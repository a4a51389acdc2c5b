// SPDX-License-Identifier: MIT
// The best few bones of a point: forward selection, then exchanges, by exact gains on its quadratic H (error-quadratics.ts).
//
// Weights on a support S that sum to one, of any sign, leave 1/(1ᵀH_SS⁻¹1) at least. With H_SS = LLᵀ, z = L⁻¹1 and y = L⁻¹h for a bone j outside, h = H_Sj, adding j
// raises 1ᵀH⁻¹1 = zᵀz by (1 − yᵀz)²/(h_jj − yᵀy): exact for every bone at the price of one row of H per member. Weights are then solved with w ≥ 0
// (simplex-least-squares.ts), and a step that does not lower the error is not taken.
import { makeSimplexSolver, type SimplexSolver } from '../solve/simplex-least-squares.ts';
import type { ErrorQuadratics } from './error-quadratics.ts';

/** Rounds of exchange: each takes the best pair of a bone that leaves and one that comes. */
const PASSES = 3;
/** Pivots are held above this part of the diagonal: bones that move alike make H singular. */
const PIVOT_FLOOR = 1e-12;
/** Rounding of H, as a part of s: its entries are differences of numbers of that size. */
const ROUNDING = 1e-14;
const SMALLEST = 1e-300;
/** A bone must bring at least this part of s (a few millionths of the size of the model), or it is not worth an entry. */
const LEAST_GAIN = 1e-11;
/** An exchange must raise 1ᵀH⁻¹1 by this part, or rounding could exchange for ever. */
const LEAST_RAISE = 1e-9;

export class SupportSearch {
  readonly most: number;
  size = 0;
  /** most: bones of the support, and their weights */
  readonly bones: Int32Array;
  readonly weights: Float64Array;
  error = 0;
  readonly #quadratics: ErrorQuadratics;
  readonly #solver: SimplexSolver;
  readonly #diagonal: Float64Array;
  /** A row of H per member. */
  readonly #rows: Float64Array[];
  readonly #isMember: Uint8Array;
  readonly #factor: Float64Array;
  readonly #z: Float64Array;
  readonly #y: Float64Array;
  readonly #small: Float64Array;
  readonly #zeros: Float64Array;
  readonly #x: Float64Array;
  readonly #without: Int32Array;
  readonly #kept: { bones: Int32Array; weights: Float64Array; rows: Float64Array[]; size: number; error: number };
  #point = 0;
  #tiny = 0;
  #least = 0;

  constructor(quadratics: ErrorQuadratics, most: number) {
    const { boneCount: m } = quadratics;
    this.#quadratics = quadratics;
    this.most = Math.min(most, m);
    const room = this.most + 1;
    this.bones = new Int32Array(room);
    this.weights = new Float64Array(room);
    this.#solver = makeSimplexSolver(room);
    this.#diagonal = new Float64Array(m);
    this.#rows = Array.from({ length: room }, () => new Float64Array(m));
    this.#isMember = new Uint8Array(m);
    this.#factor = new Float64Array(room * room);
    this.#z = new Float64Array(room);
    this.#y = new Float64Array(room);
    this.#small = new Float64Array(room * room);
    this.#zeros = new Float64Array(room);
    this.#x = new Float64Array(room);
    this.#without = new Int32Array(room);
    this.#kept = {
      bones: new Int32Array(room),
      weights: new Float64Array(room),
      rows: Array.from({ length: room }, () => new Float64Array(m)),
      size: 0,
      error: 0,
    };
  }

  enter(point: number): void {
    this.#point = point;
    this.#quadratics.diagonalInto(point, this.#diagonal);
    this.#tiny = ROUNDING * this.#quadratics.squareOf(point) + SMALLEST;
    this.#least = LEAST_GAIN * this.#quadratics.squareOf(point);
    this.clear();
  }

  clear(): void {
    for (let a = 0; a < this.size; a++) this.#isMember[this.bones[a]] = 0;
    this.size = 0;
    this.error = Number.POSITIVE_INFINITY;
  }

  /** Puts a bone into the support; weights must be solved next. */
  join(bone: number): void {
    this.#quadratics.rowInto(this.#point, bone, this.#rows[this.size]);
    this.#isMember[bone] = 1;
    this.weights[this.size] = 0;
    this.bones[this.size++] = bone;
  }

  /** The bone that leaves the least error alone, of those that are not barred. */
  joinBest(isBarred?: Uint8Array): void {
    let bone = -1;
    for (let j = 0; j < this.#diagonal.length; j++) {
      if (!isBarred?.[j] && (bone < 0 || this.#diagonal[j] < this.#diagonal[bone])) bone = j;
    }
    this.join(bone);
    this.solve();
  }

  /** The error of given weights, `most` of them from o on, those of zero none. */
  measure(point: number, columns: Uint32Array, values: Float64Array, o: number): number {
    let error = 0;
    const row = this.#rows[0];
    for (let a = o; a < o + this.most; a++) {
      if (!(values[a] > 0)) continue;
      this.#quadratics.rowInto(point, columns[a], row);
      for (let b = o; b < o + this.most; b++) if (values[b] > 0) error += values[a] * values[b] * row[columns[b]];
    }
    return Math.max(0, error);
  }

  /** Solves weights on the support; members of weight zero leave it. */
  solve(): void {
    const { size } = this;
    const small = this.#small;
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < size; b++) small[a * size + b] = this.#rows[a][this.bones[b]];
      small[a * size + a] += this.#tiny;
      this.#x[a] = this.weights[a];
    }
    this.#solver.solveInto(small, this.#zeros, this.#x, size);
    this.error = 0;
    for (let a = 0; a < size; a++) {
      this.weights[a] = this.#x[a];
      for (let b = 0; b < size; b++) this.error += this.#x[a] * this.#x[b] * small[a * size + b];
    }
    for (let a = size - 1; a >= 0; a--) if (!(this.weights[a] > 0)) this.#leave(a);
  }

  #leave(a: number): void {
    this.#isMember[this.bones[a]] = 0;
    const row = this.#rows[a];
    for (let b = a; b + 1 < this.size; b++) {
      this.bones[b] = this.bones[b + 1];
      this.weights[b] = this.weights[b + 1];
      this.#rows[b] = this.#rows[b + 1];
    }
    this.#rows[--this.size] = row;
  }

  /** Adds the bone with the largest exact gain until the support is full or nothing is gained. */
  grow(isBarred?: Uint8Array): void {
    if (this.size === 0) this.joinBest(isBarred);
    while (this.size < this.most) {
      for (let a = 0; a < this.size; a++) this.#without[a] = a;
      const { bone } = this.#screen(this.size, 0, isBarred);
      if (bone < 0) return;
      this.#keep();
      this.join(bone);
      this.solve();
      if (!(this.error < this.#kept.error - this.#least)) {
        this.#takeBack();
        return;
      }
    }
  }

  /** On a full support: of all members and all other bones, the pair that lowers the error most, while one does. */
  exchange(): void {
    for (let pass = 0; pass < PASSES; pass++) {
      const { size } = this;
      if (size < this.most || size === this.#diagonal.length) return;
      let best = (1 + LEAST_RAISE) / Math.max(this.error, this.#tiny);
      let incoming = -1;
      let outgoing = -1;
      for (let out = 0; out < size; out++) {
        let count = 0;
        for (let a = 0; a < size; a++) if (a !== out) this.#without[count++] = a;
        const found = this.#screen(count, best);
        if (found.bone < 0) continue;
        best = found.value;
        incoming = found.bone;
        outgoing = out;
      }
      if (incoming < 0) return;
      this.#keep();
      this.#leave(outgoing);
      this.join(incoming);
      this.solve();
      if (!(this.error < this.#kept.error)) {
        this.#takeBack();
        return;
      }
    }
  }

  readonly #found = { bone: -1, value: 0 };

  /** The bone outside that makes 1ᵀH⁻¹1 largest with the members named in #without, where that is above least. */
  #screen(count: number, least: number, isBarred?: Uint8Array): { bone: number; value: number } {
    const factor = this.#factor;
    const z = this.#z;
    const y = this.#y;
    let total = 0;
    for (let a = 0; a < count; a++) {
      const row = this.#rows[this.#without[a]];
      let top = 1;
      for (let b = 0; b < a; b++) {
        let h = row[this.bones[this.#without[b]]];
        for (let c = 0; c < b; c++) h -= factor[a * count + c] * factor[b * count + c];
        h *= factor[b * count + b];
        factor[a * count + b] = h;
        top -= h * z[b];
      }
      const d = row[this.bones[this.#without[a]]] + this.#tiny;
      let pivot = d;
      for (let c = 0; c < a; c++) pivot -= factor[a * count + c] ** 2;
      factor[a * count + a] = 1 / Math.sqrt(Math.max(pivot, d * PIVOT_FLOOR));
      z[a] = top * factor[a * count + a];
      total += z[a] * z[a];
    }
    const found = this.#found;
    found.bone = -1;
    found.value = Math.max(least, total);
    for (let j = 0; j < this.#diagonal.length; j++) {
      if (this.#isMember[j] || isBarred?.[j]) continue;
      const d = this.#diagonal[j] + this.#tiny;
      let left = d;
      let top = 1;
      for (let a = 0; a < count; a++) {
        let h = this.#rows[this.#without[a]][j];
        for (let b = 0; b < a; b++) h -= factor[a * count + b] * y[b];
        y[a] = h * factor[a * count + a];
        left -= y[a] * y[a];
        top -= y[a] * z[a];
      }
      if (!(top > 0)) continue;
      const value = total + (top * top) / Math.max(left, d * PIVOT_FLOOR);
      if (value > found.value) {
        found.value = value;
        found.bone = j;
      }
    }
    return found;
  }

  #keep(): void {
    const kept = this.#kept;
    kept.size = this.size;
    kept.error = this.error;
    for (let a = 0; a < this.size; a++) {
      kept.bones[a] = this.bones[a];
      kept.weights[a] = this.weights[a];
      kept.rows[a].set(this.#rows[a]);
    }
  }

  #takeBack(): void {
    const kept = this.#kept;
    this.clear();
    this.size = kept.size;
    this.error = kept.error;
    for (let a = 0; a < this.size; a++) {
      this.bones[a] = kept.bones[a];
      this.weights[a] = kept.weights[a];
      this.#rows[a].set(kept.rows[a]);
      this.#isMember[this.bones[a]] = 1;
    }
  }
}
