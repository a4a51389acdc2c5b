// SPDX-License-Identifier: MIT
// Convex weights on at most K of many candidates: min wᵀHw, w ≥ 0, Σw = 1, at most K of them above zero. H is symmetric and positive semidefinite; a least
// squares target is part of it (with Σw = 1 the residual Σ wⱼaⱼ − v is Σ wⱼ(aⱼ − v)). Finding the best support is combinatorial; the search changes one member
// at a time, and the error never rises.
//
// Two rules propose the next member. They share the state (sparse-support.ts) and the linear algebra (support-factor.ts).
// - exact: of all candidates, the one with the largest increase of 1ᵀH⁻¹1 (grow); on a full support the best pair of a member and a candidate (exchange).
// - line:  the candidate with the largest gain along e − w, which needs only Hw: (E − r)²/(E − 2r + hₗₗ), r = (Hw)ₗ < E; on a full support it replaces
//   the member whose removal costs least (improve). Cheaper per step, for dense H of a few candidates.
//
// core/kernels/weights/convex-weights.ts solves the same problem for all vertices of a clip, by a kernel.
import { type SparseSimplexProblem, SparseSupport, type SparseSupportOptions } from './sparse-support.ts';

/** Maximum number of exchanges per call: each swaps the best pair of a member and a candidate. */
const MAX_EXCHANGES = 3;
/** Minimum relative gain of 1ᵀH⁻¹1 in an exchange; rounding could otherwise exchange forever. */
const MIN_RAISE = 1e-9;
/** Maximum number of steps of improve per call. */
const MAX_STEPS = 40;
/** Candidates that improve tries before it stops. */
const MAX_TRIALS = 3;

export interface SparseSimplexOptions extends SparseSupportOptions {
  /** Minimum relative error reduction of a step of improve. Default: 0. */
  minGain?: number;
}

/** A search over candidates 0 … candidateCount − 1 of one problem after the other; no allocation after construction. */
export class SparseSimplex extends SparseSupport {
  readonly #minGain: number;
  readonly #others: { members: Int32Array; offsets: Int32Array };
  readonly #gains: Float64Array;
  readonly #blended: Float64Array;
  readonly #losses: Float64Array;
  #minFall = 0;

  constructor(maxMembers: number, maxCandidates: number, options: SparseSimplexOptions) {
    super(maxMembers, maxCandidates, options);
    this.#minGain = options.minGain ?? 0;
    this.#others = { members: new Int32Array(this.maxMembers + 1), offsets: new Int32Array(this.maxMembers + 1) };
    this.#gains = new Float64Array(maxCandidates);
    this.#blended = new Float64Array(maxCandidates);
    this.#losses = new Float64Array(this.maxMembers + 1);
  }

  /**
   * Begins a problem, with an empty support.
   * @param tiny rounding of H: added to its diagonal
   * @param minFall minimum error reduction of a member that grow adds
   */
  override enter(problem: SparseSimplexProblem, candidateCount: number, tiny: number, minFall = 0): void {
    super.enter(problem, candidateCount, tiny);
    this.#minFall = minFall;
  }

  /** Starts from the first K of the given weights, and solves them. With at most K given, the error never rises above theirs. */
  startFrom(candidates: readonly number[], weights: readonly number[]): void {
    this.clear();
    for (let a = 0; a < Math.min(candidates.length, this.maxMembers); a++) this.join(candidates[a], weights[a]);
    if (candidates.length <= this.maxMembers) this.measure();
    this.keep();
    this.solve();
    if (!(this.error < this.keptError)) this.restore();
  }

  /** Adds the candidate with the largest exact gain until the support is full or there is no gain. An empty support gets the best single candidate first. */
  grow(isExcluded?: Uint8Array): void {
    if (this.size === 0) {
      this.join(this.#findBestAlone(isExcluded));
      this.solve();
    }
    while (this.size < this.maxMembers) {
      this.factorSupport();
      const { candidate } = this.#findExact(0, isExcluded);
      if (candidate < 0) return;
      this.keep();
      this.join(candidate);
      this.solve();
      if (!(this.error < this.keptError - this.#minFall)) {
        this.restore();
        return;
      }
    }
  }

  /** The candidate with the lowest error alone, of those that are not excluded. */
  #findBestAlone(isExcluded?: Uint8Array): number {
    const problem = this.problem;
    let best = -1;
    let lowest = 0;
    for (let j = 0; j < this.candidateCount; j++) {
      if (isExcluded?.[j]) continue;
      const error = problem.diagonalAt(j);
      if (best < 0 || error < lowest) {
        best = j;
        lowest = error;
      }
    }
    return best;
  }

  /** Exchanges members of a full support: of all members and all other candidates, swaps the pair with the lowest error while the error falls. */
  exchange(): void {
    const { members, offsets } = this.#others;
    for (let n = 0; n < MAX_EXCHANGES; n++) {
      const { size } = this;
      if (size < this.maxMembers || size === this.candidateCount) return;
      let best = (1 + MIN_RAISE) / Math.max(this.error, this.tiny);
      let incoming = -1;
      let outgoing = -1;
      for (let out = 0; out < size; out++) {
        let count = 0;
        for (let a = 0; a < size; a++) {
          if (a === out) continue;
          members[count] = this.members[a];
          offsets[count++] = this.offsets[a];
        }
        this.factor.factor(this.problem.values, members, offsets, count, this.tiny);
        const found = this.#findExact(best);
        if (found.candidate < 0) continue;
        best = found.total;
        incoming = found.candidate;
        outgoing = out;
      }
      if (incoming < 0) return;
      this.keep();
      this.join(incoming);
      this.leave(outgoing);
      this.solve();
      if (!(this.error < this.keptError)) {
        this.restore();
        return;
      }
    }
  }

  readonly #found = { candidate: -1, total: 0 };

  /** The candidate outside the support that, added to the factored members, gives the largest 1ᵀH⁻¹1 above lowest. */
  #findExact(lowest: number, isExcluded?: Uint8Array): { candidate: number; total: number } {
    const found = this.#found;
    const problem = this.problem;
    found.candidate = -1;
    found.total = Math.max(lowest, this.factor.total);
    for (let j = 0; j < this.candidateCount; j++) {
      if (this.isMember[j] || isExcluded?.[j]) continue;
      const total = this.factor.totalWith(j, problem.diagonalAt(j));
      if (total > found.total) {
        found.total = total;
        found.candidate = j;
      }
    }
    return found;
  }

  /** Adds candidates by their gain along e − w, or exchanges members for them, until none lowers the error by the ratio minGain. */
  improve(): void {
    for (let step = 0; step < MAX_STEPS; step++) if (!this.#improveOnce()) return;
  }

  #improveOnce(): boolean {
    const { error, size } = this;
    const minGain = this.#minGain;
    if (!(error > 0)) return false;
    this.#measureGains();
    const gains = this.#gains;
    for (let n = 0; n < MAX_TRIALS; n++) {
      let best = -1;
      let gain = minGain * error;
      for (let l = 0; l < this.candidateCount; l++) {
        if (gains[l] > gain) {
          gain = gains[l];
          best = l;
        }
      }
      if (best < 0) return false;
      gains[best] = 0;
      this.keep();
      this.join(best);
      if (size >= this.maxMembers) this.leave(this.#findCheapest());
      this.solve();
      if (this.error < error * (1 - minGain)) return true;
      this.restore();
    }
    return false;
  }

  /** Fills the gain of every candidate along e − w; 0 for members. */
  #measureGains(): void {
    const problem = this.problem;
    const { values } = problem;
    const count = this.candidateCount;
    const blended = this.#blended.fill(0, 0, count);
    for (let a = 0; a < this.size; a++) {
      const row = this.offsets[a];
      for (let l = 0; l < count; l++) blended[l] += this.weights[a] * values[row + l];
    }
    for (let l = 0; l < count; l++) {
      const top = this.error - blended[l];
      const bottom = this.error - 2 * blended[l] + problem.diagonalAt(l);
      this.#gains[l] = top > 0 && bottom > 0 ? top * Math.min(1, top / bottom) : 0;
    }
    for (let a = 0; a < this.size; a++) this.#gains[this.members[a]] = 0;
  }

  /** The member with the lowest removal cost, except the last one. */
  #findCheapest(): number {
    this.factorSupport();
    this.factor.invert();
    let best = 0;
    let lowest = Number.POSITIVE_INFINITY;
    for (let a = 0; a < this.size - 1; a++) {
      const loss = this.factor.lossOf(a);
      // a member that would become negative costs nothing
      const cost = loss <= 0 ? -1 : loss;
      if (cost < lowest) {
        lowest = cost;
        best = a;
      }
    }
    return best;
  }

  /** Fills the removal cost of each member: the error increase without it. The other weights may become negative, so it is a lower bound. */
  lossesInto(out: Float64Array): void {
    const problem = this.problem;
    if (this.size === 1) {
      // the best other candidate replaces it
      let lowest = Number.POSITIVE_INFINITY;
      for (let l = 0; l < this.candidateCount; l++)
        if (l !== this.members[0]) lowest = Math.min(lowest, problem.diagonalAt(l));
      out[0] = lowest < Number.POSITIVE_INFINITY ? Math.max(0, lowest - this.error) : lowest;
      return;
    }
    this.factorSupport();
    this.factor.invert();
    const { total } = this.factor;
    for (let a = 0; a < this.size; a++) {
      const left = total - Math.abs(this.factor.lossOf(a));
      const other = problem.diagonalAt(this.members[a === 0 ? 1 : 0]);
      out[a] = Math.min(left > 0 ? Math.max(0, 1 / left - 1 / total) : other, other);
    }
  }

  /** Removes members, cheapest first, while the error rises by no more than a floor. */
  prune(floor: number): void {
    const limit = this.error + floor;
    while (this.size > 1) {
      this.lossesInto(this.#losses);
      let cheapest = 0;
      for (let a = 1; a < this.size; a++) if (this.#losses[a] < this.#losses[cheapest]) cheapest = a;
      this.keep();
      this.leave(cheapest);
      this.solve();
      if (!(this.error < limit)) {
        this.restore();
        return;
      }
    }
  }
}
