// SPDX-License-Identifier: MIT
// Results of a suite in a file of JSON lines, one per measured value, appended as soon as it is known. A run that is stopped loses only what it was measuring, the next run
// continues, several processes may measure different rows of one suite, and a page can be made from the file alone.
import { appendFile, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeMachine, formatMachine } from '../../src/hosts/cli/index.ts';
import { makeFolder } from '../../src/hosts/disk/index.ts';
import type { BenchContext, Circumstances } from './bench-suite.ts';

/** A measured value, and where and when it was measured. */
export interface Recorded<T> {
  value: T;
  measured: Circumstances;
  milliseconds: number;
}

/** The values of one suite. Without a file, values are measured and not kept. */
export class ResultStore {
  readonly #context: BenchContext;
  readonly #known = new Map<string, Recorded<unknown>>();
  readonly #measured: Circumstances;

  private constructor(context: BenchContext) {
    this.#context = context;
    this.#measured = describeRun(context);
  }

  static async open(context: BenchContext): Promise<ResultStore> {
    const store = new ResultStore(context);
    if (context.results !== undefined) {
      await makeFolder(dirname(context.results));
      for (const line of (await readIfPresent(context.results)).split('\n')) store.#add(line);
    }
    return store;
  }

  /** The value of earlier runs, or measures it; undefined when the time of the run is over. */
  async take<T>(key: string, measure: (signal: AbortSignal) => Promise<T>): Promise<Recorded<T> | undefined> {
    const place = this.#context.quick ? `quick, ${key}` : key;
    const known = this.#known.get(place);
    if (known) return known as Recorded<T>;
    const { results, deadline = Number.POSITIVE_INFINITY, signal } = this.#context;
    const left = deadline - performance.now();
    if (left <= 0) return undefined;
    const start = performance.now();
    // timers take at most 31 bits of milliseconds
    const limit = Number.isFinite(left)
      ? AbortSignal.any([signal, AbortSignal.timeout(Math.min(Math.ceil(left), 2 ** 31 - 1))])
      : signal;
    let value: T;
    try {
      value = await measure(limit);
    } catch (error) {
      signal.throwIfAborted();
      if (limit.aborted) return undefined;
      throw error;
    }
    const recorded = { value, measured: this.#measured, milliseconds: performance.now() - start };
    this.#known.set(place, recorded);
    // the line break comes first: a stopped run may have left half a line
    if (results !== undefined) await appendFile(results, `\n${JSON.stringify({ key: place, ...recorded })}`);
    return recorded;
  }

  /** A line that a stopped run did not finish is measured again. */
  #add(line: string): void {
    try {
      const { key, ...recorded } = JSON.parse(line) as Recorded<unknown> & { key: string };
      if (typeof key === 'string') this.#known.set(key, recorded);
    } catch {}
  }
}

async function readIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function describeRun({ threads }: BenchContext): Circumstances {
  const machine = describeMachine();
  const date = new Date().toISOString().slice(0, 10);
  return { date, machine: formatMachine(machine), cores: machine.cores, load: machine.load, threads };
}
