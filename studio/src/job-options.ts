// SPDX-License-Identifier: MIT
// What a job of the page is, and kinds of options.
import type { AssetFacts } from '../../src/index.ts';

interface OptionWords {
  key: string;
  label: string;
  /** What it means, a sentence. */
  note: string;
  /** Shown only when asked for. */
  isFine?: boolean;
  /** Whether it means something beside the other options; always, where absent. */
  isFor?(options: Readonly<Record<string, unknown>>): boolean;
  /** What it starts with beside the other options, where that depends on them. */
  valueFor?(options: Readonly<Record<string, unknown>>): unknown;
}

export type JobOption = OptionWords &
  (
    | { kind: 'number'; value: number; min: number; max: number; step: number; isLog?: boolean }
    | { kind: 'choice'; value: string | number; choices: { value: string | number; label: string; title?: string }[] }
    | { kind: 'switch'; value: boolean }
    /** In file units; 0 stands for "not asked for". */
    | { kind: 'length'; value: number }
  );

export interface Job {
  name: string;
  title: string;
  /** What it does, a sentence. */
  does: string;
  /** Undefined where it can run on such a file, else why not. */
  refuses(facts: AssetFacts): string | undefined;
  options: JobOption[];
  /** The name that a result goes by. */
  titleOf(options: Record<string, unknown>): string;
}

export const seed: JobOption = {
  key: 'seed',
  label: 'Seed',
  note: 'Of everything random. The same seed gives the same bytes.',
  kind: 'number',
  value: 0,
  min: 0,
  max: 2 ** 32 - 1,
  step: 1,
  isFine: true,
};

export function number(
  key: string,
  label: string,
  note: string,
  value: number,
  [min, max, step]: [number, number, number],
  more: Pick<OptionWords, 'isFine' | 'isFor' | 'valueFor'> & { isLog?: boolean } = {},
): JobOption {
  return { key, label, note, kind: 'number', value, min, max, step, ...more };
}
