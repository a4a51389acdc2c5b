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

type When = Pick<OptionWords, 'isFine' | 'isFor' | 'valueFor'>;

export function number(
  key: string,
  label: string,
  note: string,
  value: number,
  [min, max, step]: [number, number, number],
  more: When & { isLog?: boolean } = {},
): JobOption {
  return { key, label, note, kind: 'number', value, min, max, step, ...more };
}

/** @param choices values with their labels, and with a title where one word is not enough */
export function choice(
  key: string,
  label: string,
  note: string,
  value: string | number,
  choices: readonly (readonly [value: string | number, label: string, title?: string])[],
  more: When = {},
): JobOption {
  const listed = choices.map(([one, label, title]) => ({ value: one, label, ...(title ? { title } : {}) }));
  return { key, label, note, kind: 'choice', value, choices: listed, ...more };
}

/** Most weights per vertex, of a job whose default is given. */
export function influences(value: number, note = 'Most weights per vertex.', least = 1, more: When = {}): JobOption {
  return number('influences', 'Influences', note, value, [least, 16, 1], more);
}

export const seed = number(
  'seed',
  'Seed',
  'Of everything random. The same seed gives the same bytes.',
  0,
  [0, 2 ** 32 - 1, 1],
  { isFine: true },
);

/** "1 bone", "2 bones". */
export function counted(count: unknown, one: string): string {
  return `${count} ${one}${Number(count) === 1 ? '' : 's'}`;
}
