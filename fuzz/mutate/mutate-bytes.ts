// SPDX-License-Identifier: MIT
import type { Random } from '../../src/core/math/random.ts';
import { pick } from '../fuzz-format.ts';

/** Whole numbers at the edges of types and of common limits. */
export const INTEGERS = [
  ...[0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 127, 128, 255, 256, 1000, 32767, 32768, 65535, 65536, 0xffffff],
  ...[0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 1e6, 1e9],
];
/** Numbers at the edges of float32 and float64, and those that are none. */
export const FLOATS = [
  ...[0, -0, 1, -1, 0.5, 2, 1e-45, 1e-38, 1e-30, 1e-6, 1e6, 1e12, 1e17, 1e19, 1e30, 3.4e38, -3.4e38],
  ...[Number.NaN, Infinity, -Infinity],
];

/** Changes bytes without regard to their meaning: flips, edge values, removed, repeated and moved ranges, a cut end. */
export function mutateBytes(random: Random, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes.length === 0) return Uint8Array.of(random.below(256));
  const at = random.below(bytes.length);
  const length = 1 + random.below(Math.min(64, bytes.length - at));
  const out = bytes.slice();
  switch (random.below(9)) {
    case 0:
      out[at] ^= 1 << random.below(8);
      return out;
    case 1:
      out[at] = random.below(256);
      return out;
    case 2:
    case 3: {
      if (bytes.length < 4) return out;
      const view = new DataView(out.buffer, out.byteOffset);
      const word = 4 * random.below(bytes.length >> 2);
      const isLittle = random.below(4) > 0;
      if (random.below(2)) view.setUint32(word, pick(random, INTEGERS), isLittle);
      else view.setFloat32(word, pick(random, FLOATS), isLittle);
      return out;
    }
    case 4:
      return bytes.slice(0, at);
    case 5:
      return join(bytes.subarray(0, at), bytes.subarray(at + length));
    case 6:
      return join(bytes.subarray(0, at + length), bytes.subarray(at));
    case 7:
      out.fill(pick(random, [0, 255, 0x20, random.below(256)]), at, at + length);
      return out;
    default:
      out.copyWithin(at, random.below(bytes.length), random.below(bytes.length));
      return out;
  }
}

/** The beginning of a file and the end of another. */
export function splice(random: Random, a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  return join(a.subarray(0, random.below(a.length + 1)), b.subarray(random.below(b.length + 1)));
}

export function join(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
