// SPDX-License-Identifier: MIT
import type { Written } from '../../measure/index.ts';
import { formatNumber, type JobContext } from '../engine/index.ts';

/** Errors between frames above this ratio of those at the frames are reported, if they are visible: above this ratio of the diagonal. */
const BETWEEN_RATIO = 1.5;
const BETWEEN_OF_DIAGONAL = 1e-3;

/**
 * Notes an error between frames that is much larger than at the frames.
 * @returns the field `warnings` of the report, with the sentence after the given ones; empty if there are none
 */
export function warnBetween(
  context: Pick<JobContext<never>, 'note'>,
  { error, between }: Written,
  warnings: readonly string[] = [],
): { warnings?: string[] } {
  const isLarge = between.max > BETWEEN_RATIO * error.max && between.max > BETWEEN_OF_DIAGONAL * error.diagonal;
  if (!isLarge) return warnings.length > 0 ? { warnings: [...warnings] } : {};
  const text = `between frames vertices are off by up to ${formatNumber(between.max)}, ${formatNumber(between.max / error.max, 2)} times as much as at the frames`;
  context.note(text);
  return { warnings: [...warnings, text] };
}
