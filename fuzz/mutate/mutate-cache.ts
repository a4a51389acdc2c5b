// SPDX-License-Identifier: MIT
import type { Random } from '../../src/core/math/random.ts';
import { pick, type Seed } from '../fuzz-format.ts';
import { FLOATS, INTEGERS, mutateBytes, splice } from './mutate-bytes.ts';

/** A damaged file of 32-bit words: other words in its header or after, or any bytes. */
export function mutateWords(random: Random, seeds: readonly Seed[], headerLength: number, isLittle: boolean) {
  const seed = pick(random, seeds);
  const kind = random.below(8);
  if (kind === 0) return splice(random, seed.bytes, pick(random, seeds).bytes);
  if (kind < 3) return mutateBytes(random, seed.bytes);
  const out = seed.bytes.slice();
  const view = new DataView(out.buffer);
  const changes = 1 + random.below(3);
  for (let n = 0; n < changes; n++) {
    const words = (random.below(3) > 0 ? Math.min(headerLength, out.length) : out.length) >> 2;
    if (words === 0) break;
    const at = 4 * random.below(words);
    const value = view.getInt32(at, isLittle);
    if (random.below(2)) view.setInt32(at, pick(random, [...INTEGERS, value + 1, value - 1, -value]), isLittle);
    else view.setFloat32(at, pick(random, FLOATS), isLittle);
  }
  return out;
}
