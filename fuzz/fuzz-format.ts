// SPDX-License-Identifier: MIT
import type { Random } from '../src/core/math/random.ts';

/** A valid file that mutations start from. */
export interface Seed {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * What a target did with a file that it accepted: nothing, or what is wrong with the result. Targets throw the errors of their reader; those that
 * are sentences about the file count as refusals.
 */
export type Verdict = string | undefined;

/** A format, or another way to read one. A new format is one more entry of FORMATS (formats.ts). */
export interface FuzzFormat {
  /** Extension of reproducers. */
  extension: string;
  makeSeeds(): Promise<Seed[]>;
  /** Makes a damaged file. The same random numbers give the same bytes. */
  mutate(random: Random, seeds: readonly Seed[]): Uint8Array<ArrayBuffer>;
  /** Reads a file and checks what was read. */
  target(bytes: Uint8Array<ArrayBuffer>): Promise<Verdict>;
  /** The file without its n-th value, by the structure of the format; undefined where it has fewer. */
  shrink?(bytes: Uint8Array<ArrayBuffer>, n: number): Uint8Array<ArrayBuffer> | undefined;
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)];
}
