// SPDX-License-Identifier: MIT
import type { HelperFollow } from '../../../core/model/deformed/helper-bones.ts';

/** Delays in frames, and damping ratios, that are tried. */
const FRAMES = [0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24];
const DAMPINGS = [1, 0.7, 0.5, 0.35, 0.25, 0.15];

/**
 * The delays that a controller is chosen from.
 * @param delay seconds for all helpers; 'auto': none or the one with the lowest error, for poses with times
 * @param times seconds of the poses, which follow each other; absent for single poses
 */
export function listFollows(
  delay: number | 'auto',
  times: Float64Array | undefined,
): readonly (HelperFollow | undefined)[] {
  if (delay !== 'auto') return [delay > 0 ? { delay, damping: 1 } : undefined];
  if (!times || times.length < 2) return [undefined];
  const interval = (times[times.length - 1] - times[0]) / (times.length - 1);
  return [undefined, ...FRAMES.flatMap((n) => DAMPINGS.map((damping) => ({ delay: n * interval, damping })))];
}
