// SPDX-License-Identifier: MIT
// The steps of a small file. One length scales the steps of positions and motion: at the optimum, all parts save the same number of bytes for the same squared error, and for
// uniform steps this is so if the squared errors of two parts relate as their numbers of values; steps that are about equal have that. Numbers of weight steps are few
// (divisors of 255), so each is tried. For each, the length follows from the errors: the squared error is E₀² + cℓ², so two trials give the ℓ that meets the limit.
// All errors and sizes are those of written files.
import type { ErrorGoal } from '../../../core/progress/error-goal.ts';
import type { SmallGlb, SmallPrecision } from '../../../formats/gltf/index.ts';

/** Numbers of steps in a weight of one, coarse ones first. */
const WEIGHT_STEPS = [17, 51, 85, 255];
/**
 * First length, relative to the limit, and the part of a squared step that is error, before two trials measure it (the mean, horse-gallop: 0.15 to 0.3). Steps
 * add to a largest error as lengths, so they have to be shorter.
 */
const FIRST_STEP = { rms: 0.6, max: 0.12 };
const STEP_ERROR = { rms: 0.25, max: 3 };
/** Steps of motion relative to those of positions. */
const MOTION_OF_POSITION = { rms: 0.7, max: 0.4 };
/** A file is close enough to the limit from this part of it on. */
const CLOSE = 0.98;
const AIM = 0.993;
const MAX_TRIALS = 4;
/** A number of weight steps is given up if its first file is larger than the best one by this ratio: longer steps of the rest do not make up for it. */
const TOO_LARGE = 1.05;
/** Shortest length, relative to the limit: finer steps save no error. */
const MIN_STEP = 0.01;

const AIMS = { rms: 'mean', max: 'max' } as const;

/** Bits of attributes that do not move vertices. */
export const LOOK = { normalBits: 7, texcoordBits: 12, colorBits: 8 };

/** A file that was written with some steps. */
export interface SizeTrial {
  precision: SmallPrecision;
  small: SmallGlb;
  error: number;
}

export interface SearchPrecisionOptions {
  /** The error that the file must meet. */
  goal: ErrorGoal;
  /** Writes a file and measures it. */
  attempt(precision: SmallPrecision): Promise<Omit<SizeTrial, 'precision'>>;
}

export interface FoundPrecision {
  /** The smallest file that meets the limit; if none does, that with the smallest error. */
  best: SizeTrial;
  isMet: boolean;
  /** All files, in order. */
  tried: SizeTrial[];
}

export async function searchPrecision({ goal, attempt }: SearchPrecisionOptions): Promise<FoundPrecision> {
  const { kind, limit } = goal;
  const tried: SizeTrial[] = [];
  let best: SizeTrial | undefined;
  for (const weightSteps of WEIGHT_STEPS) {
    const own: SizeTrial[] = [];
    const isLarge = () => best !== undefined && own[0].small.bytes.length > TOO_LARGE * best.small.bytes.length;
    let length: number | undefined = FIRST_STEP[kind] * limit;
    while (length !== undefined && own.length < MAX_TRIALS) {
      const motion = { motionStep: MOTION_OF_POSITION[kind] * length, aim: AIMS[kind] };
      const precision = { ...LOOK, ...motion, positionStep: length, weightSteps };
      const trial = { precision, ...(await attempt(precision)) };
      own.push(trial);
      tried.push(trial);
      length = isLarge() ? undefined : chooseLength(own, goal);
    }
    if (isLarge()) break;
    const held = own.filter(({ error }) => error <= limit);
    const smallest = held.sort((a, b) => a.small.bytes.length - b.small.bytes.length)[0];
    if (smallest && best && smallest.small.bytes.length >= best.small.bytes.length) break;
    best = smallest ?? best;
  }
  const closest = tried.reduce((a, b) => (b.error < a.error ? b : a));
  return { best: best ?? closest, isMet: best !== undefined, tried };
}

/** The next length for a number of weight steps; undefined if the last file is close to the limit, or no length meets it. */
function chooseLength(own: readonly SizeTrial[], { kind, limit }: ErrorGoal): number | undefined {
  const last = own[own.length - 1];
  if (last.error <= limit && last.error >= CLOSE * limit) return undefined;
  const [a, b] = closestTwo(own, limit);
  const square = ({ precision }: SizeTrial) => precision.positionStep ** 2;
  const measured = b ? (a.error ** 2 - b.error ** 2) / (square(a) - square(b)) : STEP_ERROR[kind];
  const slope = measured > 0 ? measured : STEP_ERROR[kind];
  const wanted = square(a) + ((AIM * limit) ** 2 - a.error ** 2) / slope;
  const least = (MIN_STEP * limit) ** 2;
  if (wanted <= least) return undefined;
  const next = Math.sqrt(Math.max(least, Math.min(wanted, 16 * square(a))));
  return own.some(({ precision }) => Math.abs(precision.positionStep / next - 1) < 0.01) ? undefined : next;
}

/** The trials with errors nearest to the limit. */
function closestTwo(own: readonly SizeTrial[], limit: number): [SizeTrial, SizeTrial | undefined] {
  const [a, b] = [...own].sort((x, y) => Math.abs(x.error - limit) - Math.abs(y.error - limit));
  return [a, b];
}
