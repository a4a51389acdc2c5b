// SPDX-License-Identifier: MIT
// The state of a search for sparse convex weights (sparse-simplex.ts): members of a support, their weights and the error wᵀHw.
import { makeSimplexSolver, type SimplexSolver } from './simplex-least-squares.ts';
import { SupportFactor, type SupportFactorOptions } from './support-factor.ts';

/** H as read by a search. */
export interface SparseSimplexProblem {
  /** Holds the rows of H. */
  readonly values: Float64Array;
  /**
   * Offset of row j of H in values. A problem that computes its rows writes the row to the given slot: 0 up to the largest number of members, not the slot of
   * another member.
   */
  rowAt(candidate: number, slot: number): number;
  diagonalAt(candidate: number): number;
}

export interface SparseSupportOptions extends SupportFactorOptions {
  /**
   * How weights are solved on a support: by active sets from the present weights (simplex-least-squares.ts), or in closed form, dropping the smallest
   * weight until none is negative.
   */
  solve: 'active-set' | 'elimination';
}

/** A support of candidates 0 … candidateCount − 1, for one problem after the other; no allocation after construction. */
export class SparseSupport {
  /** K: the maximum number of members. The support may hold one more temporarily. */
  readonly maxMembers: number;
  /** Members of the support and their weights: the first `size` numbers. */
  readonly members: Int32Array;
  readonly weights: Float64Array;
  size = 0;
  /** wᵀHw */
  error = 0;
  protected readonly factor: SupportFactor;
  protected readonly isMember: Uint8Array;
  /** Offset of the row of each member. */
  protected readonly offsets: Int32Array;
  protected problem!: SparseSimplexProblem;
  protected candidateCount = 0;
  protected tiny = 0;
  protected keptError = 0;
  readonly #solveBy: SparseSupportOptions['solve'];
  readonly #solver: SimplexSolver;
  /** Slots of the members, followed by the free slots. */
  readonly #slots: Int32Array;
  readonly #small: Float64Array;
  readonly #zeros: Float64Array;
  readonly #x: Float64Array;
  readonly #kept: { members: Int32Array; weights: Float64Array; offsets: Int32Array; slots: Int32Array };
  #keptSize = 0;

  constructor(maxMembers: number, maxCandidates: number, options: SparseSupportOptions) {
    this.maxMembers = Math.min(maxMembers, maxCandidates);
    const length = this.maxMembers + 1;
    this.factor = new SupportFactor(length, options);
    this.members = new Int32Array(length);
    this.weights = new Float64Array(length);
    this.offsets = new Int32Array(length);
    this.isMember = new Uint8Array(maxCandidates);
    this.#solveBy = options.solve;
    this.#solver = makeSimplexSolver(length);
    this.#slots = Int32Array.from({ length }, (_, slot) => slot);
    this.#small = new Float64Array(length * length);
    this.#zeros = new Float64Array(length);
    this.#x = new Float64Array(length);
    this.#kept = {
      members: new Int32Array(length),
      weights: new Float64Array(length),
      offsets: new Int32Array(length),
      slots: new Int32Array(length),
    };
  }

  /**
   * Begins a problem, with an empty support.
   * @param tiny rounding of H: added to its diagonal
   */
  enter(problem: SparseSimplexProblem, candidateCount: number, tiny: number): void {
    this.clear();
    this.problem = problem;
    this.candidateCount = candidateCount;
    this.tiny = tiny;
  }

  clear(): void {
    for (let a = 0; a < this.size; a++) this.isMember[this.members[a]] = 0;
    this.size = 0;
    this.error = Number.POSITIVE_INFINITY;
  }

  /** Adds a candidate to the support. The error is not updated before measure or solve is called. */
  join(candidate: number, weight = 0): void {
    const slot = this.#slots[this.size];
    this.offsets[this.size] = this.problem.rowAt(candidate, slot);
    this.isMember[candidate] = 1;
    this.weights[this.size] = weight;
    this.members[this.size++] = candidate;
  }

  protected leave(a: number): void {
    const { members, weights, size } = this;
    this.isMember[members[a]] = 0;
    const slot = this.#slots[a];
    members.copyWithin(a, a + 1, size);
    weights.copyWithin(a, a + 1, size);
    this.offsets.copyWithin(a, a + 1, size);
    this.#slots.copyWithin(a, a + 1, size);
    this.#slots[--this.size] = slot;
  }

  /** Measures the present weights. */
  measure(): number {
    const { members, weights, size } = this;
    const { values } = this.problem;
    let error = 0;
    for (let a = 0; a < size; a++) {
      const row = this.offsets[a];
      let sum = 0;
      for (let b = 0; b < size; b++) sum += weights[b] * values[row + members[b]];
      error += weights[a] * sum;
    }
    this.error = Math.max(0, error);
    return this.error;
  }

  /** Solves the weights on the support; members whose weight is not positive are removed. */
  solve(): void {
    if (this.#solveBy === 'active-set') this.#solveByActiveSets();
    else this.#solveByElimination();
  }

  #solveByActiveSets(): void {
    const { size, members, weights } = this;
    const { values } = this.problem;
    const small = this.#small;
    const x = this.#x;
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < size; b++) small[a * size + b] = values[this.offsets[a] + members[b]];
      small[a * size + a] += this.tiny;
      x[a] = weights[a];
    }
    this.#solver.solveInto(small, this.#zeros, x, size);
    this.error = 0;
    for (let a = 0; a < size; a++) {
      weights[a] = x[a];
      for (let b = 0; b < size; b++) this.error += x[a] * x[b] * small[a * size + b];
    }
    for (let a = size - 1; a >= 0; a--) if (!(weights[a] > 0)) this.leave(a);
  }

  #solveByElimination(): void {
    const { weights } = this;
    for (;;) {
      this.factorSupport();
      this.factor.weightsInto(weights);
      let worst = -1;
      let total = 0;
      for (let a = this.size - 1; a >= 0; a--) {
        total += weights[a];
        if (weights[a] <= 0 && (worst < 0 || weights[a] < weights[worst])) worst = a;
      }
      if (worst < 0 || this.size === 1) {
        for (let a = 0; a < this.size; a++) weights[a] = this.size === 1 ? 1 : weights[a] / total;
        this.measure();
        return;
      }
      this.leave(worst);
    }
  }

  protected factorSupport(): void {
    this.factor.factor(this.problem.values, this.members, this.offsets, this.size, this.tiny);
  }

  /** Saves the support, for restore. */
  protected keep(): void {
    const kept = this.#kept;
    kept.members.set(this.members);
    kept.weights.set(this.weights);
    kept.offsets.set(this.offsets);
    kept.slots.set(this.#slots);
    this.#keptSize = this.size;
    this.keptError = this.error;
  }

  /** Restores the saved support. Its rows are still in their slots: at most one candidate was added since, in a free slot. */
  protected restore(): void {
    const kept = this.#kept;
    for (let a = 0; a < this.size; a++) this.isMember[this.members[a]] = 0;
    this.members.set(kept.members);
    this.weights.set(kept.weights);
    this.offsets.set(kept.offsets);
    this.#slots.set(kept.slots);
    this.size = this.#keptSize;
    this.error = this.keptError;
    for (let a = 0; a < this.size; a++) this.isMember[this.members[a]] = 1;
  }
}
