// SPDX-License-Identifier: MIT
// The linear algebra of sparse-simplex.ts: weights of any sign on a support S that sum to one and minimize wᵀHw are
//   w = H⁻¹1 / (1ᵀH⁻¹1), with the error 1/(1ᵀH⁻¹1);   with H_SS = LLᵀ and z = L⁻¹1:   1ᵀH⁻¹1 = |z|².
// - Adding a candidate j with y = L⁻¹h, h = H_Sj, increases |z|² by (1 − yᵀz)²/(h_jj − yᵀy): its exact gain.
// - With x = H⁻¹1 = L⁻ᵀz, removing member a reduces |z|² by x_a²/(H⁻¹)_aa.

export interface SupportFactorOptions {
  /** Regularization, relative to the diagonal of H. */
  ridge: number;
  /** Minimum pivot, relative to the diagonal: similar candidates make H singular. */
  pivotFloor: number;
}

/** The Cholesky factor of H on a support; no allocation after construction. */
export class SupportFactor {
  readonly #maxSize: number;
  readonly #ridge: number;
  readonly #pivotFloor: number;
  /** maxSize x maxSize, lower; the diagonal holds inverses */
  readonly #lower: Float64Array;
  readonly #inverse: Float64Array;
  readonly #z: Float64Array;
  readonly #y: Float64Array;
  #values: Float64Array = new Float64Array(0);
  #offsets: Int32Array = new Int32Array(0);
  #tiny = 0;
  size = 0;
  /** |z|² = 1ᵀH⁻¹1 */
  total = 0;

  constructor(maxSize: number, { ridge, pivotFloor }: SupportFactorOptions) {
    this.#maxSize = maxSize;
    this.#ridge = ridge;
    this.#pivotFloor = pivotFloor;
    this.#lower = new Float64Array(maxSize * maxSize);
    this.#inverse = new Float64Array(maxSize * maxSize);
    this.#z = new Float64Array(maxSize);
    this.#y = new Float64Array(maxSize);
  }

  /**
   * Factors H on a support.
   * @param values holds the rows of H
   * @param members candidates of the support, in order
   * @param offsets offset of the row of each member
   * @param tiny added to the diagonal: the rounding error of H
   */
  factor(values: Float64Array, members: Int32Array, offsets: Int32Array, size: number, tiny: number): void {
    const lower = this.#lower;
    const z = this.#z;
    const stride = this.#maxSize;
    this.#values = values;
    this.#offsets = offsets;
    this.#tiny = tiny;
    this.size = size;
    this.total = 0;
    for (let a = 0; a < size; a++) {
      const row = offsets[a];
      let sum = 1;
      for (let b = 0; b < a; b++) {
        let h = values[row + members[b]];
        for (let c = 0; c < b; c++) h -= lower[a * stride + c] * lower[b * stride + c];
        h *= lower[b * stride + b];
        lower[a * stride + b] = h;
        sum -= h * z[b];
      }
      const diagonal = values[row + members[a]] * (1 + this.#ridge) + tiny;
      let pivot = diagonal;
      for (let c = 0; c < a; c++) pivot -= lower[a * stride + c] ** 2;
      lower[a * stride + a] = 1 / Math.sqrt(Math.max(pivot, diagonal * this.#pivotFloor));
      z[a] = sum * lower[a * stride + a];
      this.total += z[a] * z[a];
    }
  }

  /** |z|² with one more candidate; 0 if its weight would not be positive. */
  totalWith(candidate: number, diagonalOfH: number): number {
    const lower = this.#lower;
    const y = this.#y;
    const stride = this.#maxSize;
    const diagonal = diagonalOfH * (1 + this.#ridge) + this.#tiny;
    let left = diagonal;
    let top = 1;
    for (let a = 0; a < this.size; a++) {
      let h = this.#values[this.#offsets[a] + candidate];
      for (let b = 0; b < a; b++) h -= lower[a * stride + b] * y[b];
      y[a] = h * lower[a * stride + a];
      left -= y[a] * y[a];
      top -= y[a] * this.#z[a];
    }
    return top > 0 ? this.total + (top * top) / Math.max(left, diagonal * this.#pivotFloor) : 0;
  }

  /** Fills H⁻¹1, not scaled. */
  weightsInto(out: Float64Array): void {
    const stride = this.#maxSize;
    for (let a = this.size - 1; a >= 0; a--) {
      let w = this.#z[a];
      for (let b = a + 1; b < this.size; b++) w -= this.#lower[b * stride + a] * out[b];
      out[a] = w * this.#lower[a * stride + a];
    }
  }

  /** Computes L⁻¹, which lossOf reads. */
  invert(): void {
    const lower = this.#lower;
    const inverse = this.#inverse;
    const stride = this.#maxSize;
    for (let c = 0; c < this.size; c++) {
      inverse[c * stride + c] = lower[c * stride + c];
      for (let a = c + 1; a < this.size; a++) {
        let sum = 0;
        for (let b = c; b < a; b++) sum -= lower[a * stride + b] * inverse[b * stride + c];
        inverse[a * stride + c] = sum * lower[a * stride + a];
      }
    }
  }

  /** x_a²/(H⁻¹)_aa of member a, negative if x_a is: the reduction of |z|² without it. */
  lossOf(a: number): number {
    const inverse = this.#inverse;
    const stride = this.#maxSize;
    let x = 0;
    let own = 0;
    for (let b = a; b < this.size; b++) {
      x += inverse[b * stride + a] * this.#z[b];
      own += inverse[b * stride + a] ** 2;
    }
    return x <= 0 ? -((x * x) / own) : (x * x) / own;
  }
}
