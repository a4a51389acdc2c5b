// SPDX-License-Identifier: MIT
// The weights of one vertex, in the reference implementation of convex-weights.ts, which has the algebra.
import { dotSym4TableInto, productsSym4Into, SYM4_SIZE } from '../../math/sym4.ts';

/** Screened bones whose exact gain is computed before one is added. */
export const SURVIVORS = 3;
/** Candidates for replacing a member of a full support, and the maximum number of exchanges. */
const INCOMING = 4;
const PASSES = 2;
/** Minimum Cholesky pivot, relative to the diagonal: equal bones make H singular. */
const PIVOT_FLOOR = 1e-12;
/** Rounding error of H relative to |v|²: entries are differences of numbers of that size. The smallest number handles a vertex at the center. */
const ROUNDING = 1e-14;
const SMALLEST = 1e-300;
/** Minimum relative gain of 1ᵀH⁻¹1 in an exchange; rounding could otherwise exchange forever. */
const MIN_RAISE = 1e-9;

/** Members of a support with their weights and the remaining error. */
export interface Support {
  bones: number[];
  rows: Float64Array[];
  weights: number[];
  error: number;
}

export class VertexProblem {
  readonly #products: Float64Array;
  readonly #table: Float64Array;
  readonly #boneCount: number;
  readonly #width: number;
  readonly #influences: number;
  readonly #ridge: number;
  /** Products of the rest position */
  readonly #position = new Float64Array(SYM4_SIZE);
  readonly #diagonal: Float64Array;
  readonly #linear: Float64Array;
  #square = 0;
  #tiny = 0;

  constructor(
    products: Float64Array,
    table: Float64Array,
    boneCount: number,
    width: number,
    influences: number,
    ridge: number,
  ) {
    this.#products = products;
    this.#table = table;
    this.#boneCount = boneCount;
    this.#width = width;
    this.#influences = influences;
    this.#ridge = ridge;
    this.#diagonal = new Float64Array(width);
    this.#linear = new Float64Array(width);
  }

  /** Sets the vertex: g and the diagonal of H. */
  enter(x: number, y: number, z: number, square: number, blended: Float64Array, offset: number): void {
    this.#square = square;
    this.#tiny = ROUNDING * square + SMALLEST;
    productsSym4Into(x, y, z, this.#position);
    dotSym4TableInto(this.#table, 0, this.#width, this.#position, this.#diagonal);
    for (let j = 0; j < this.#boneCount; j++) {
      const b = offset + 4 * j;
      const g = blended[b] * x + blended[b + 1] * y + blended[b + 2] * z + blended[b + 3];
      this.#linear[j] = g;
      this.#diagonal[j] = Math.max(this.#diagonal[j] - 2 * g + square, this.#tiny);
    }
  }

  #row(bone: number): Float64Array {
    const row = new Float64Array(this.#width);
    dotSym4TableInto(this.#products, bone * SYM4_SIZE * this.#width, this.#width, this.#position, row);
    const g = this.#square - this.#linear[bone];
    for (let j = 0; j < this.#boneCount; j++) row[j] += g - this.#linear[j];
    row[bone] = this.#diagonal[bone];
    return row;
  }

  #measure(bones: number[], rows: Float64Array[], weights: number[]): number {
    let error = 0;
    for (let a = 0; a < bones.length; a++)
      for (let b = 0; b < bones.length; b++) error += weights[a] * weights[b] * rows[a][bones[b]];
    return error;
  }

  /** Reads the present weights; members are the candidate bones if they are not all bones. */
  read(ids: Uint32Array, ws: Float64Array, offset: number, members?: readonly number[]): Support | undefined {
    const bones: number[] = [];
    const weights: number[] = [];
    for (let a = offset; a < offset + this.#influences; a++) {
      if (!(ws[a] > 0)) continue;
      bones.push(members ? members.indexOf(ids[a]) : ids[a]);
      weights.push(ws[a]);
    }
    if (bones.length === 0) return undefined;
    const rows = bones.map((bone) => this.#row(bone));
    return { bones, rows, weights, error: this.#measure(bones, rows, weights) };
  }

  startCold(): Support {
    let bone = 0;
    for (let j = 1; j < this.#boneCount; j++) if (this.#diagonal[j] < this.#diagonal[bone]) bone = j;
    return this.solve([bone], [this.#row(bone)]);
  }

  /** Cholesky factor (diagonal inverted) and L⁻¹1. */
  #factor(bones: number[], rows: Float64Array[]): { factor: number[][]; ones: number[] } {
    const factor: number[][] = [];
    const ones: number[] = [];
    for (let a = 0; a < bones.length; a++) {
      const la: number[] = [];
      let sum = 1;
      for (let b = 0; b < a; b++) {
        let h = rows[a][bones[b]];
        for (let c = 0; c < b; c++) h -= la[c] * factor[b][c];
        h *= factor[b][b];
        la.push(h);
        sum -= h * ones[b];
      }
      const d = rows[a][bones[a]] * (1 + this.#ridge) + this.#tiny;
      let pivot = d;
      for (const h of la) pivot -= h * h;
      la.push(1 / Math.sqrt(Math.max(pivot, d * PIVOT_FLOOR)));
      factor.push(la);
      ones.push(sum * la[a]);
    }
    return { factor, ones };
  }

  /** Solves on a support, dropping the smallest weight until none is negative. */
  solve(givenBones: number[], givenRows: Float64Array[]): Support {
    const bones = [...givenBones];
    const rows = [...givenRows];
    for (;;) {
      const { factor, ones } = this.#factor(bones, rows);
      const weights = new Array<number>(bones.length).fill(0);
      let worst = -1;
      for (let a = bones.length - 1; a >= 0; a--) {
        let w = ones[a];
        for (let b = a + 1; b < bones.length; b++) w -= factor[b][a] * weights[b];
        weights[a] = w * factor[a][a];
        if (weights[a] < (worst < 0 ? 0 : weights[worst])) worst = a;
      }
      if (worst >= 0 && bones.length > 1) {
        bones.splice(worst, 1);
        rows.splice(worst, 1);
        continue;
      }
      const sum = weights.reduce((s, w) => s + w, 0);
      const scaled = weights.map((w) => w / sum);
      return { bones, rows, weights: scaled, error: this.#measure(bones, rows, scaled) };
    }
  }

  /** Bones outside a support by their gain along e_l − w, best first, at most count. */
  #screen(s: Support, count: number, excluded = -1): { bone: number; gain: number }[] {
    const found: { bone: number; gain: number }[] = [];
    for (let j = 0; j < this.#boneCount; j++) {
      if (j === excluded || s.bones.includes(j)) continue;
      let r = 0;
      for (let a = 0; a < s.bones.length; a++) r += s.weights[a] * s.rows[a][j];
      const top = s.error - r;
      const bottom = s.error - 2 * r + this.#diagonal[j];
      const gain = top > 0 && bottom > this.#tiny ? top * Math.min(top / bottom, 1) : 0;
      if (gain > this.#tiny) found.push({ bone: j, gain });
    }
    return found.sort((a, b) => b.gain - a.gain || a.bone - b.bone).slice(0, count);
  }

  /** Bones outside a support by falling gain, at most count. */
  listCandidates(s: Support, count: number): number[] {
    return this.#screen(s, count).map(({ bone }) => bone);
  }

  /** Adds the screened bone of the largest exact gain until there are K bones or no gain. */
  grow(start: Support): Support {
    let s = start;
    for (let iteration = 0; iteration < 2 * this.#influences; iteration++) {
      if (s.bones.length >= Math.min(this.#influences, this.#boneCount)) return s;
      const { factor, ones } = this.#factor(s.bones, s.rows);
      const total = ones.reduce((sum, z) => sum + z * z, 0);
      let chosen = -1;
      let highest = total;
      for (const { bone } of this.#screen(s, SURVIVORS)) {
        let d = this.#diagonal[bone] * (1 + this.#ridge) + this.#tiny;
        const floor = d * PIVOT_FLOOR;
        let top = 1;
        const y: number[] = [];
        for (let a = 0; a < s.bones.length; a++) {
          let h = s.rows[a][bone];
          for (let b = 0; b < a; b++) h -= factor[a][b] * y[b];
          y.push(h * factor[a][a]);
          d -= y[a] * y[a];
          top -= y[a] * ones[a];
        }
        if (!(top > 0)) continue;
        const value = total + (top * top) / Math.max(d, floor);
        if (value > highest) {
          highest = value;
          chosen = bone;
        }
      }
      if (chosen < 0) return s;
      const next = this.solve([...s.bones, chosen], [...s.rows, this.#row(chosen)]);
      if (!(next.error < s.error)) return s;
      s = next;
    }
    return s;
  }

  /** Exchanges on a full support: of the best incoming bones and all members, swaps the pair with the lowest error while the error falls. */
  exchange(start: Support): Support {
    let s = start;
    for (let pass = 0; pass < PASSES; pass++) {
      const size = s.bones.length;
      if (size < this.#influences || this.#boneCount <= this.#influences) return s;
      const { factor, ones } = this.#factor(s.bones, s.rows);
      const inverse = invertFactor(factor);
      const square = ones.reduce((sum, z) => sum + z * z, 0);
      let best = square * (1 + MIN_RAISE);
      let incoming = -1;
      let outgoing = -1;
      for (const { bone } of this.#screen(s, INCOMING)) {
        const h = s.rows.map((row) => row[bone]);
        const y = inverse.map((row) => row.reduce((sum, l, b) => sum + l * h[b], 0));
        const full = this.#diagonal[bone] * (1 + this.#ridge) + this.#tiny;
        const d = Math.max(
          y.reduce((left, v) => left - v * v, full),
          full * PIVOT_FLOOR,
        );
        const top = y.reduce((left, v, a) => left - v * ones[a], 1);
        for (let a = 0; a < size; a++) {
          let t = 0;
          let x = 0;
          let own = 0;
          for (let b = a; b < size; b++) {
            t += inverse[b][a] * y[b];
            x += inverse[b][a] * ones[b];
            own += inverse[b][a] ** 2;
          }
          x -= (top / d) * t;
          const value = square + (top * top) / d - (x * x) / (own + (t * t) / d);
          if (value > best) {
            best = value;
            incoming = bone;
            outgoing = a;
          }
        }
      }
      if (incoming < 0) return s;
      const next = this.solve(s.bones.with(outgoing, incoming), s.rows.with(outgoing, this.#row(incoming)));
      if (!(next.error < s.error)) return s;
      s = next;
    }
    return s;
  }

  /** The cost of removing member a: the error re-solved without it, less the best single gain of another bone. */
  removalCost(s: Support, a: number): number {
    const bone = s.bones[a];
    let error = this.#boneCount === 1 ? this.#square : Number.POSITIVE_INFINITY;
    if (s.bones.length === 1) {
      for (let j = 0; j < this.#boneCount; j++) if (j !== bone) error = Math.min(error, this.#diagonal[j]);
    } else {
      const without = this.solve(s.bones.toSpliced(a, 1), s.rows.toSpliced(a, 1));
      error = without.error - (this.#screen(without, 1, bone)[0]?.gain ?? 0);
    }
    return Math.max(0, error - s.error);
  }
}

/** L⁻¹, lower triangle by rows; the diagonal of the factor holds inverses. */
function invertFactor(factor: number[][]): number[][] {
  const inverse = factor.map((row) => row.map(() => 0));
  for (let b = 0; b < factor.length; b++) {
    for (let a = b; a < factor.length; a++) {
      let sum = a === b ? 1 : 0;
      for (let c = b; c < a; c++) sum -= factor[a][c] * inverse[c][b];
      inverse[a][b] = sum * factor[a][a];
    }
  }
  return inverse;
}
