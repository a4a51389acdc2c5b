// SPDX-License-Identifier: MIT
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Files of a format that were made with a seed, and what came of them. */
export interface FuzzShard {
  format: string;
  seed: number;
  /** Files that were to be made. */
  count: number;
  files: number;
  accepted: number;
  refused: number;
  defects: number;
  /** Milliseconds of the slowest file. */
  slowest: number;
}

/** Shards of a long run, a line of JSON each, so that it can be stopped and continued. */
export class FuzzRecord {
  readonly #path: string;
  readonly #shards: FuzzShard[];

  constructor(path: string) {
    this.#path = path;
    // a line that was cut off by the end of a process is not counted
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    this.#shards = lines.flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as FuzzShard] : []));
  }

  /** Whether a shard is finished. */
  has(format: string, seed: number, count: number): boolean {
    return this.#shards.some((one) => one.format === format && one.seed === seed && one.count === count);
  }

  add(shard: FuzzShard): void {
    this.#shards.push(shard);
    appendFileSync(this.#path, `${JSON.stringify(shard)}\n`);
  }

  /** Sums of all shards by format. */
  total(): FuzzShard[] {
    const sums = new Map<string, FuzzShard>();
    for (const { format, files, accepted, refused, defects, slowest } of this.#shards) {
      const sum = sums.get(format) ?? {
        ...{ format, seed: 0, count: 0, files: 0, accepted: 0, refused: 0, defects: 0, slowest: 0 },
      };
      sum.files += files;
      sum.accepted += accepted;
      sum.refused += refused;
      sum.defects += defects;
      sum.slowest = Math.max(sum.slowest, slowest);
      sums.set(format, sum);
    }
    return [...sums.values()];
  }
}
