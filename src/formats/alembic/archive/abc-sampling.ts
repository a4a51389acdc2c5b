// SPDX-License-Identifier: MIT
import type { AbcTimeSampling } from './abc-archive.ts';
import type { AbcFile } from './abc-file.ts';

/** Checks the times of a sampling. Acyclic samplings have a time per cycle of DBL_MAX / 32. */
export function makeAbcSampling(
  file: AbcFile,
  timePerCycle: number,
  times: Float64Array,
  byteOffset: number,
): AbcTimeSampling {
  const count = times.length;
  for (let n = 0; n < count; n++)
    if (!Number.isFinite(times[n]) || (n > 0 && times[n] <= times[n - 1]))
      throw file.fault('value', 'the times of a time sampling do not rise', byteOffset);
  const isAcyclic = timePerCycle > 1e300;
  if (!isAcyclic && !(timePerCycle > 0 && times[count - 1] - times[0] <= timePerCycle))
    throw file.fault('value', `a time sampling has ${timePerCycle} seconds per cycle`, byteOffset);
  const rate = Math.round(1 / timePerCycle);
  const isWhole = !isAcyclic && Math.abs(rate * timePerCycle - 1) < 1e-12;
  return { times, ...(isWhole ? { rate } : {}), timePerCycle: isAcyclic ? Number.POSITIVE_INFINITY : timePerCycle };
}
