// SPDX-License-Identifier: MIT

/** Number of contexts of residuals. */
export const ACTIVITIES = 6;

/** The context of a residual by the mean magnitude of residuals around it. */
export function activityOf(mean: number): number {
  return Math.min(ACTIVITIES - 1, Math.round(1.5 * Math.log2(1 + 2 * mean)));
}
