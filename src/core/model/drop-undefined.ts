// SPDX-License-Identifier: MIT

/** Options without those that are given as undefined, so that they do not erase a default. */
export function dropUndefined<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}
