// SPDX-License-Identifier: MIT

/** Instances of the full mesh in a crowd with levels, if no capacities are given, and how many more each further level has. */
const NEAREST = 256;
const MORE = 4;

/**
 * The number of instances that each level of a crowd can draw, the full mesh first. The last level can draw all of them.
 * @param given capacities that were asked for; levels without one have the usual number
 */
export function listCapacities(levelCount: number, count: number, given: readonly number[] = []): number[] {
  return Array.from({ length: levelCount }, (_, n) =>
    n === levelCount - 1 ? count : Math.min(count, given[n] ?? NEAREST * MORE ** n),
  );
}
