// SPDX-License-Identifier: MIT
import type { InputFile } from '../../src/entry/index.ts';

/** A hostile input that grows: its cost must stay in proportion. */
export interface GrowingInput {
  /** A format that is read, or a command that is run. */
  format: string;
  /** What grows. */
  name: string;
  /**
   * bytes: `size` is about the number of bytes, and reading must stay within the budget. claim: the file claims `size` of something in few bytes; the same budget. work: a
   * command runs over `size` items, and what it allocates must grow in proportion to them.
   */
  grows: 'bytes' | 'claim' | 'work';
  /** The files of a size. For a reader: the input, and the files beside it or its point cache. */
  make(size: number): readonly InputFile[];
  /** Of work: the first and the last size. */
  sizes?: readonly [first: number, last: number];
  /** Of work: bytes of a file that an item takes, about. Default: 128. */
  bytesPerItem?: number;
  /** Of work: the command and its options. */
  options?: Readonly<Record<string, string | number | boolean>>;
  /** Why the budget is not met yet. Such inputs are measured and listed, and are no defects. */
  pending?: string;
}

export type FormatInput = Omit<GrowingInput, 'format'>;

/** A file of lines, and of lists of lines: very many cannot be arguments of a function. */
export const textFile = (name: string, ...lines: (string | readonly string[])[]): InputFile => ({
  name,
  bytes: new TextEncoder().encode(`${lines.flat().join('\n')}\n`),
});

/** A list of as many items as take some number of bytes. */
export function fill(size: number, make: (n: number) => string): string[] {
  const items: string[] = [];
  for (let length = 0; length < size; ) {
    const item = make(items.length);
    items.push(item);
    length += item.length + 1;
  }
  return items;
}
