// SPDX-License-Identifier: MIT
// Convex weights on at most K of many candidates: min wᵀHw, w ≥ 0, Σw = 1, at most K of them above zero. H is symmetric and positive semidefinite; a least
// squares target is part of it (with Σw = 1 the residual Σ wⱼaⱼ − v is Σ wⱼ(aⱼ − v)). Finding the best support is combinatorial; the search changes one member
// at a time, and an error never rises.
//
// Two rules propose the next member. They share the state (sparse-support.ts) and the linear algebra (support-factor.ts).
// - exact: the candidate that raises 1ᵀH⁻¹1 most, of all of them (grow); on a full support the best pair of a member and a candidate (exchange).
// - line:  the candidate with the largest gain along e − w, which needs only Hw: (E − r)²/(E − 2r + hₗₗ), r = (Hw)ₗ < E; on a full support it takes the place of
//   the member whose loss costs least (improve). Cheaper per step, for dense H of a few candidates.
//
// kernels/convex-weights.ts has the same problem for all vertices of a clip at once, by kernels.
import { type SparseSimplexProblem, SparseSupport, type SparseSupportOptions } from './sparse-support.ts';

/** Exchanges per call: each takes the best pair of a member that leaves and a candidate that joins. */
const MAX_EXCHANGES = 3;
/** An exchange must raise 1ᵀH⁻¹1 by this ratio: rounding could exchange for ever otherwise. */
const MIN_RAISE = 1e-9;
/** Steps of improve per call. */
const MAX_STEPS = 40;
/** Candidates that improve tries before it stops. */
const MAX_TRIALS = 3;

export interface SparseSimplexOptions extends SparseSupportOptions {
  /** Steps of improve must lower the error by this ratio. Default: 0. */
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

  constructor(most: number, maxCandidates: number, options: SparseSimplexOptions) {
    super(most, maxCandidates, options);
    this.#minGain = options.minGain ?? 0;
    this.#others = { members: new Int32Array(this.most + 1), offsets: new Int32Array(this.most + 1) };
    this.#gains = new Float64Array(maxCandidates);
    this.#blended = new Float64Array(maxCandidates);
    this.#losses = new Float64Array(this.most + 1);
  }

  /**
   * Begins a problem, with an empty support.
   * @param tiny rounding of H: added to its diagonal
   * @param minFall what a member that grow adds must take off the error
   */
  override enter(problem: SparseSimplexProblem, candidateCount: number, tiny: number, minFall = 0): void {
    super.enter(problem, candidateCount, tiny);
    this.#minFall = minFall;
  }

  /** Starts from given weights, of which the first K count, and solves them; never ends above the error of weights that are at most K. */
  startFrom(candidates: readonly number[], weights: readonly number[]): void {
    this.clear();
    for (let a = 0; a < Math.min(candidates.length, this.most); a++) this.join(candidates[a], weights[a]);
    if (candidates.length <= this.most) this.measure();
    this.keep();
    this.solve();
    if (!(this.error < this.keptError)) this.restore();
  }

  /** Adds the candidate with the largest exact gain until the support is full or nothing is gained. From an empty support, the best single candidate first. */
  grow(isBarred?: Uint8Array): void {
    if (this.size === 0) {
      this.join(this.#findBestAlone(isBarred));
      this.solve();
    }
    while (this.size < this.most) {
      this.factorSupport();
      const { candidate } = this.#findExact(0, isBarred);
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

  /** The candidate with the least error alone, of those that are not barred. */
  #findBestAlone(isBarred?: Uint8Array): number {
    const problem = this.problem;
    let best = -1;
    let least = 0;
    for (let j = 0; j < this.candidateCount; j++) {
      if (isBarred?.[j]) continue;
      const error = problem.diagonalAt(j);
      if (best < 0 || error < least) {
        best = j;
        least = error;
      }
    }
    return best;
  }

  /** Exchanges members of a full support: of all members and all other candidates, the pair that lowers the error most, while one does. */
  exchange(): void {
    const { members, offsets } = this.#others;
    for (let n = 0; n < MAX_EXCHANGES; n++) {
      const { size } = this;
      if (size < this.most || size === this.candidateCount) return;
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

  /** The candidate outside the support that makes 1ᵀH⁻¹1 largest beside the members that were factored, where that is above least. */
  #findExact(least: number, isBarred?: Uint8Array): { candidate: number; total: number } {
    const found = this.#found;
    const problem = this.problem;
    found.candidate = -1;
    found.total = Math.max(least, this.factor.total);
    for (let j = 0; j < this.candidateCount; j++) {
      if (this.isMember[j] || isBarred?.[j]) continue;
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
      if (size >= this.most) this.leave(this.#findCheapest());
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

  /** The member whose loss costs least, the last one excluded. */
  #findCheapest(): number {
    this.factorSupport();
    this.factor.invert();
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let a = 0; a < this.size - 1; a++) {
      const loss = this.factor.lossOf(a);
      // a member that would turn negative is no loss
      const cost = loss <= 0 ? -1 : loss;
      if (cost < least) {
        least = cost;
        best = a;
      }
    }
    return best;
  }

  /** Fills, per member, by how much the error rises without it. Weights of the others may turn negative, so it is a lower bound. */
  lossesInto(out: Float64Array): void {
    const problem = this.problem;
    if (this.size === 1) {
      // the best other candidate takes over
      let least = Number.POSITIVE_INFINITY;
      for (let l = 0; l < this.candidateCount; l++)
        if (l !== this.members[0]) least = Math.min(least, problem.diagonalAt(l));
      out[0] = least < Number.POSITIVE_INFINITY ? Math.max(0, least - this.error) : least;
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

  /** Removes members, the cheapest first, while the error stays within a floor of what it is now. */
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
