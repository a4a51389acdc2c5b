// SPDX-License-Identifier: MIT
// Convex weights of at most z bones that make aᵀHa least, from a small dense H (compress-responses.ts): the algebra of kernels/convex-weights.ts,
// where the bones are a point's few candidates. On a support a = H⁻¹1/(1ᵀH⁻¹1) and the error is 1/(1ᵀH⁻¹1); bones join by the gain along e − a;
// on a full support a newcomer replaces the member whose loss costs least: with x = H⁻¹1 on both, x²/(H⁻¹) of that member.

/** Added to the diagonal, relative: only against singular systems. */
const RIDGE = 1e-10;
/**
 * A step that gains less than this part of the error is none. Where points choose to their last digit (1e-7), a person of 100 virtual bones needs 128 KB
 * more for the same error on its animation; 1e-2 takes off 88 KB and adds 3% to that error.
 */
const LEAST_GAIN = 1e-3;
/** Newcomers tried on a full support before it is left. */
const NEWCOMERS = 3;
const MAX_STEPS = 40;

export interface Picker {
  /** After solve: members, their weights and the error. */
  readonly members: Int32Array;
  readonly weights: Float64Array;
  count: number;
  error: number;
  /**
   * Picks members of candidates 0 … size − 1, starting from the ones given (at least one). Never ends above the error of the given weights.
   * @param h size x size, row-major with the given stride
   */
  solve(h: Float64Array, size: number, stride: number, start: readonly number[], startWeights: readonly number[]): void;
  /** Drops members while the cheapest costs less than a floor in error. */
  prune(h: Float64Array, size: number, stride: number, floor: number): void;
  /** What the point would lose without each member, others re-solved on what is left: fills count numbers. */
  removalInto(h: Float64Array, size: number, stride: number, out: Float64Array): void;
}

export function makePicker(most: number, maxSize: number): Picker {
  const room = most + 1;
  const factor = new Float64Array(room * room);
  const inverse = new Float64Array(room * room);
  const ones = new Float64Array(room);
  const trial = new Int32Array(room);
  const trialWeights = new Float64Array(room);
  let trialCount = 0;
  const blended = new Float64Array(maxSize);
  const gains = new Float64Array(maxSize);
  const losses = new Float64Array(room);

  /** Cholesky factor of H on the trial support (diagonal inverted), and L⁻¹1. */
  const factorTrial = (h: Float64Array, stride: number): void => {
    for (let a = 0; a < trialCount; a++) {
      const row = trial[a] * stride;
      let sum = 1;
      for (let b = 0; b < a; b++) {
        let v = h[row + trial[b]];
        for (let c = 0; c < b; c++) v -= factor[a * room + c] * factor[b * room + c];
        v *= factor[b * room + b];
        factor[a * room + b] = v;
        sum -= v * ones[b];
      }
      const d = h[row + trial[a]] * (1 + RIDGE) + 1e-300;
      let pivot = d;
      for (let c = 0; c < a; c++) pivot -= factor[a * room + c] ** 2;
      const inv = 1 / Math.sqrt(Math.max(pivot, d * RIDGE));
      factor[a * room + a] = inv;
      ones[a] = sum * inv;
    }
  };

  const measure = (h: Float64Array, stride: number, members: Int32Array, weights: Float64Array, n: number): number => {
    let error = 0;
    for (let a = 0; a < n; a++) {
      const row = members[a] * stride;
      let sum = 0;
      for (let b = 0; b < n; b++) sum += weights[b] * h[row + members[b]];
      error += weights[a] * sum;
    }
    return Math.max(0, error);
  };

  /** Solves on the trial support, dropping the most negative weight until none is. Returns the error. */
  const solveTrial = (h: Float64Array, stride: number): number => {
    for (;;) {
      factorTrial(h, stride);
      let worst = -1;
      let total = 0;
      for (let a = trialCount - 1; a >= 0; a--) {
        let w = ones[a];
        for (let b = a + 1; b < trialCount; b++) w -= factor[b * room + a] * trialWeights[b];
        w *= factor[a * room + a];
        trialWeights[a] = w;
        total += w;
        if (w <= 0 && (worst < 0 || w < trialWeights[worst])) worst = a;
      }
      if (worst < 0 || trialCount === 1) {
        for (let a = 0; a < trialCount; a++) trialWeights[a] = trialCount === 1 ? 1 : trialWeights[a] / total;
        return measure(h, stride, trial, trialWeights, trialCount);
      }
      dropTrial(worst);
    }
  };

  const dropTrial = (at: number): void => {
    for (let a = at; a + 1 < trialCount; a++) trial[a] = trial[a + 1];
    trialCount--;
  };

  /** L⁻¹ of the trial's factor, lower. */
  const invertTrial = (): void => {
    for (let c = 0; c < trialCount; c++) {
      inverse[c * room + c] = factor[c * room + c];
      for (let a = c + 1; a < trialCount; a++) {
        let sum = 0;
        for (let b = c; b < a; b++) sum -= factor[a * room + b] * inverse[b * room + c];
        inverse[a * room + c] = sum * factor[a * room + a];
      }
    }
  };

  /** The member, not the newcomer at the end, whose loss costs least on the trial support. */
  const cheapestMember = (h: Float64Array, stride: number): number => {
    factorTrial(h, stride);
    invertTrial();
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let a = 0; a < trialCount - 1; a++) {
      let x = 0;
      let own = 0;
      for (let b = a; b < trialCount; b++) {
        x += inverse[b * room + a] * ones[b];
        own += inverse[b * room + a] ** 2;
      }
      // a member that would turn negative is no loss
      const cost = x <= 0 ? -1 : (x * x) / own;
      if (cost < least) {
        least = cost;
        best = a;
      }
    }
    return best;
  };

  const picker: Picker = {
    members: new Int32Array(room),
    weights: new Float64Array(room),
    count: 0,
    error: Number.POSITIVE_INFINITY,
    solve(h, size, stride, start, startWeights) {
      trialCount = Math.min(start.length, most);
      for (let a = 0; a < trialCount; a++) {
        trial[a] = start[a];
        trialWeights[a] = startWeights[a];
      }
      take(start.length > most ? Number.POSITIVE_INFINITY : measure(h, stride, trial, trialWeights, trialCount));
      const first = solveTrial(h, stride);
      if (first < picker.error) take(first);
      for (let step = 0; step < MAX_STEPS; step++) {
        if (!join(h, size, stride)) return;
      }
    },
    prune(h, size, stride, floor) {
      const limit = picker.error + floor;
      while (picker.count > 1) {
        picker.removalInto(h, size, stride, losses);
        let cheapest = 0;
        for (let a = 1; a < picker.count; a++) if (losses[a] < losses[cheapest]) cheapest = a;
        trial.set(picker.members);
        trialCount = picker.count;
        dropTrial(cheapest);
        const next = solveTrial(h, stride);
        if (!(next < limit)) return;
        take(next);
      }
    },
    removalInto(h, size, stride, out) {
      trial.set(picker.members);
      trialCount = picker.count;
      if (trialCount === 1) {
        // alone: the best other candidate takes over
        let least = Number.POSITIVE_INFINITY;
        for (let l = 0; l < size; l++) if (l !== trial[0]) least = Math.min(least, h[l * stride + l]);
        out[0] = least < Number.POSITIVE_INFINITY ? Math.max(0, least - picker.error) : least;
        return;
      }
      factorTrial(h, stride);
      invertTrial();
      let total = 0;
      for (let a = 0; a < trialCount; a++) total += ones[a] * ones[a];
      for (let a = 0; a < trialCount; a++) {
        let x = 0;
        let own = 0;
        for (let b = a; b < trialCount; b++) {
          x += inverse[b * room + a] * ones[b];
          own += inverse[b * room + a] ** 2;
        }
        // 1ᵀH⁻¹1, the inverse of the error, falls by x²/(H⁻¹); what is left may hold negative weights, so this is a bound from below
        const left = total - (x * x) / own;
        const other = trial[a === 0 ? 1 : 0] * (stride + 1);
        out[a] = Math.min(left > 0 ? Math.max(0, 1 / left - 1 / total) : h[other], h[other]);
      }
    },
  };

  const take = (error: number): void => {
    picker.members.set(trial);
    picker.weights.set(trialWeights);
    picker.count = trialCount;
    picker.error = error;
  };

  /** One more member, or one for another; false where none gains. */
  const join = (h: Float64Array, size: number, stride: number): boolean => {
    const { members, weights, error } = picker;
    if (!(error > 0)) return false;
    blended.fill(0, 0, size);
    for (let a = 0; a < picker.count; a++) {
      const row = members[a] * stride;
      for (let l = 0; l < size; l++) blended[l] += weights[a] * h[row + l];
    }
    for (let l = 0; l < size; l++) {
      const top = error - blended[l];
      const bottom = error - 2 * blended[l] + h[l * stride + l];
      gains[l] = top > 0 && bottom > 0 ? top * Math.min(1, top / bottom) : 0;
    }
    for (let a = 0; a < picker.count; a++) gains[members[a]] = 0;
    const isFull = picker.count >= most;
    for (let n = 0; n < NEWCOMERS; n++) {
      let best = -1;
      let gain = LEAST_GAIN * error;
      for (let l = 0; l < size; l++) {
        if (gains[l] > gain) {
          gain = gains[l];
          best = l;
        }
      }
      if (best < 0) return false;
      gains[best] = 0;
      trial.set(members);
      trialCount = picker.count;
      trial[trialCount++] = best;
      if (isFull) dropTrial(cheapestMember(h, stride));
      const next = solveTrial(h, stride);
      if (next < error * (1 - LEAST_GAIN)) {
        take(next);
        return true;
      }
    }
    return false;
  };
  return picker;
}
