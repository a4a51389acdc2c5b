// SPDX-License-Identifier: MIT
// Times of Alembic samples. A uniform sampling has one time per cycle, a cyclic one several (motion blur), an acyclic one lists all.
import type { AbcArchive, AbcTimeSampling } from './archive/abc-archive.ts';
import { type AbcProperty, isConstant } from './archive/abc-property.ts';

/** Times this close are one frame, as in the Alembic library. */
const TIME_TOLERANCE = 1e-5;

/** More frames than this are a damaged count. */
const MAX_FRAMES = 1_000_000;

/** Where a time is among the samples of a property. */
export interface SamplePlace {
  index: number;
  /** 0: the sample itself; otherwise the share of the next sample. */
  ratio: number;
}

/**
 * The times at which any of the properties has a sample, rising, in seconds. Empty if none changes.
 * @param last the last frame that is needed
 */
export function listFrameTimes(
  { file, samplings }: AbcArchive,
  properties: readonly AbcProperty[],
  last = Number.POSITIVE_INFINITY,
): Float64Array {
  const counts = new Map<number, number>();
  for (const property of properties) {
    if (isConstant(property)) continue;
    const limit = samplings[property.sampling].timePerCycle === Number.POSITIVE_INFINITY;
    const stored = limit ? samplings[property.sampling].times.length : Number.POSITIVE_INFINITY;
    const count = Math.min(property.sampleCount, stored);
    counts.set(property.sampling, Math.max(counts.get(property.sampling) ?? 0, count));
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total > MAX_FRAMES)
    throw file.fault('limit', `it has ${total} samples over time; at most ${MAX_FRAMES} are read`);
  file.spend(total);
  const times = new Float64Array(total);
  let at = 0;
  for (const [sampling, count] of counts) {
    for (let k = 0; k < count; k++) times[at++] = sampleTime(samplings[sampling], k);
  }
  times.sort();
  const distinct = times.filter((time, n) => n === 0 || time - times[n - 1] > TIME_TOLERANCE);
  return last + 1 < distinct.length ? distinct.slice(0, last + 1) : distinct;
}

/** The sample of a property at a time. Before the first sample it is the first, after the last one the last. */
export function placeOf({ samplings }: AbcArchive, property: AbcProperty, time: number): SamplePlace {
  const sampling = samplings[property.sampling];
  let low = 0;
  let high = property.sampleCount - 1;
  if (sampling.timePerCycle === Number.POSITIVE_INFINITY) high = Math.min(high, sampling.times.length - 1);
  if (high <= 0 || time <= sampleTime(sampling, 0) + TIME_TOLERANCE) return { index: 0, ratio: 0 };
  if (time >= sampleTime(sampling, high) - TIME_TOLERANCE) return { index: high, ratio: 0 };
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (sampleTime(sampling, middle) <= time + TIME_TOLERANCE) low = middle;
    else high = middle;
  }
  const start = sampleTime(sampling, low);
  const ratio = time - start <= TIME_TOLERANCE ? 0 : (time - start) / (sampleTime(sampling, high) - start);
  return { index: low, ratio };
}

function sampleTime({ timePerCycle, rate, times }: AbcTimeSampling, k: number): number {
  if (timePerCycle === Number.POSITIVE_INFINITY) return times[Math.min(k, times.length - 1)];
  const cycle = Math.floor(k / times.length);
  return times[k % times.length] + (rate === undefined ? timePerCycle * cycle : cycle / rate);
}
