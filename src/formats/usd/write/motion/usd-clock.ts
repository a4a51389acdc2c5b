// SPDX-License-Identifier: MIT
import type { Animation } from '../../../../core/model/clip/animation.ts';

/** Common frame rates, and the one for keys that fit none. */
const RATES = [24, 30, 25, 60, 48, 50, 120, 15, 20, 12];
const OTHER = 60;
/** Times this close to a whole number of frames are written as that number. */
const SNAP = 1e-4;
/** Seconds between times that are close. */
const CLOSE = 1e-4;

/** Seconds as time codes. */
export class UsdClock {
  readonly rate: number;
  /** Whether all times are frames of the rate. Others are kept as they are: a fast motion would show a rounding of microseconds. */
  readonly #isRegular: boolean;
  #end = 0;

  /** @param others times besides those of keys */
  constructor(animations: readonly Animation[], others: Iterable<number> = []) {
    const times = new Set([
      ...others,
      ...animations.flatMap(({ tracks }) => tracks.flatMap((track) => [...track.times])),
    ]);
    const isWhole = (rate: number): boolean =>
      [...times].every((time) => Math.abs(time * rate - Math.round(time * rate)) < SNAP * Math.max(1, time));
    const rate = RATES.find(isWhole);
    this.rate = rate ?? OTHER;
    this.#isRegular = rate !== undefined;
  }

  /** The last time code that was asked for. */
  get end(): number {
    return this.#end;
  }

  /** Time codes of rising times. Those that are close, such as the two of a jump, are not rounded to frames, and stay apart. */
  codesOf(times: readonly number[]): number[] {
    const isClose = (k: number): boolean => k > 0 && k < times.length && times[k] - times[k - 1] < CLOSE;
    return times.map((time, k) => this.codeOf(time, isClose(k) || isClose(k + 1)));
  }

  /** @param isExact the time is not rounded to a frame */
  codeOf(seconds: number, isExact = false): number {
    const code = seconds * this.rate;
    const whole = Math.round(code);
    const snapped = this.#isRegular && !isExact && Math.abs(code - whole) < SNAP ? whole : code;
    this.#end = Math.max(this.#end, snapped);
    return snapped;
  }
}
