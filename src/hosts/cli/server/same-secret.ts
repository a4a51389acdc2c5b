// SPDX-License-Identifier: MIT
import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two texts are equal. The time of the comparison does not tell how much of a guess is right, nor its length. */
export function isSameSecret(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a, b);
}
