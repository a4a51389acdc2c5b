// SPDX-License-Identifier: MIT
// The smallest number (of virtual bones, of influences) with which a maximum error is met. Numbers that fail and numbers that suffice form a bracket. A number above one
// that failed continues from its solution, so that the search costs a few solves of the final size. The next number follows from the errors, which fall about as
// a power of the number.
import { powerOf } from '../../core/math/sine.ts';
import { InputError } from '../../core/model/errors.ts';

/** Minimum and maximum ratio of one number to the one before, while the bracket is open. */
const MIN_STEP = 1.25;
const MAX_STEP = 4;
/** Part of the bracket, in logarithms, that a trial removes at least. */
const MIN_PART = 0.2;
const MAX_TRIALS = 9;
/** The search stalls when this number of larger numbers in a row lowers the error by less than this ratio. By the power, they would lower it by a third or more. */
const IDLE_TRIALS = 3;
const MIN_FALL = 0.1;

/** A number that was tried. */
export interface CountTrial<T> {
  count: number;
  /** Its maximum error. */
  max: number;
  result: T;
}

export interface SearchCountOptions<T> {
  maxError: number;
  /** Smallest, largest and first number. */
  range: [smallest: number, largest: number];
  first: number;
  /** Errors fall about as the number to this power. */
  power: number;
  /** The search ends when the number found is at most this ratio of one that fails. */
  close: number;
  /** For the text of the bracket: what is counted, in the singular (`helper`), and the length that percentages refer to. */
  noun: string;
  diagonal: number;
  /**
   * Solves for a number.
   * @param from the solution of the largest number that failed; it is smaller than count
   * @param phase the bracket, for progress
   */
  solve(
    count: number,
    from: CountTrial<T> | undefined,
    phase: string,
  ): Promise<{ result: T; max: number; isStopped: boolean }>;
}

export interface FoundCount<T> {
  /** The smallest number that meets the error; if none does, that with the smallest error. */
  best: CountTrial<T>;
  /** 'stalled': no number meets the error. */
  status: 'converged' | 'stalled' | 'stopped';
  /** All tried numbers, in order. */
  tried: { count: number; max: number }[];
}

export async function searchCount<T>(options: SearchCountOptions<T>): Promise<FoundCount<T>> {
  const { maxError, range, first, solve } = options;
  const tried: { count: number; max: number }[] = [];
  let held: CountTrial<T> | undefined;
  let failed: CountTrial<T> | undefined;
  let closest: CountTrial<T> | undefined;
  let isStopped = false;
  /** The error that the next trials have to lower, and the number of trials since it was reached. */
  let [level, idle] = [Number.POSITIVE_INFINITY, 0];
  let count: number | undefined = Math.min(range[1], Math.max(range[0], first));
  while (count !== undefined && tried.length < MAX_TRIALS && !isStopped) {
    const solved = await solve(count, failed, describeBracket(options, count, held, failed));
    const trial: CountTrial<T> = { count, max: solved.max, result: solved.result };
    tried.push({ count, max: trial.max });
    ({ isStopped } = solved);
    if (trial.max <= maxError) held = trial;
    else failed = trial;
    if (!closest || trial.max < closest.max) closest = trial;
    idle++;
    if (trial.max < (1 - MIN_FALL) * level) [level, idle] = [trial.max, 0];
    if (!held && idle >= IDLE_TRIALS) break;
    count = chooseCount(options, held, failed);
  }
  const best = held ?? closest;
  if (!best) throw new InputError('searchCount', 'no number was tried');
  return { best, status: isStopped ? 'stopped' : held ? 'converged' : 'stalled', tried };
}

/** The next number; undefined if the bracket is narrow enough, or the largest number fails. */
function chooseCount<T>(
  { maxError, range: [smallest, largest], power, close }: SearchCountOptions<T>,
  held: CountTrial<T> | undefined,
  failed: CountTrial<T> | undefined,
): number | undefined {
  const predict = ({ count, max }: CountTrial<T>) =>
    count * powerOf(Math.max(max, Number.MIN_VALUE) / maxError, 1 / power);
  if (!held) {
    if (!failed || failed.count >= largest) return undefined;
    const step = Math.min(MAX_STEP, Math.max(MIN_STEP, predict(failed) / failed.count));
    return Math.min(largest, Math.ceil(failed.count * step));
  }
  const low = failed?.count ?? smallest - 1;
  if (held.count - low <= 1 || (failed && held.count <= close * low)) return undefined;
  if (!failed)
    return Math.max(
      smallest,
      Math.floor(held.count / Math.min(MAX_STEP, Math.max(MIN_STEP, held.count / predict(held)))),
    );
  // the power law through both trials
  const [x0, x1, y0, y1] = [low, held.count, failed.max, Math.max(held.max, Number.MIN_VALUE)].map(Math.log);
  const part = y0 > y1 ? (y0 - Math.log(maxError)) / (y0 - y1) : 0.5;
  const wanted = Math.exp(x0 + (x1 - x0) * Math.min(1 - MIN_PART, Math.max(MIN_PART, part)));
  return Math.max(low + 1, Math.min(held.count - 1, Math.round(wanted)));
}

/** `31 bones: 1.2 %, 24 bones: too few, trying 27`; percent of the box diagonal. */
function describeBracket<T>(
  { noun, diagonal }: SearchCountOptions<T>,
  count: number,
  held?: CountTrial<T>,
  failed?: CountTrial<T>,
): string {
  const text = (number: number) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const parts = [
    ...(held ? [`${text(held.count)}: ${((100 * held.max) / diagonal).toPrecision(2)} %`] : []),
    ...(failed ? [`${text(failed.count)}: too few`] : []),
    `trying ${count}`,
  ];
  return parts.join(', ');
}
