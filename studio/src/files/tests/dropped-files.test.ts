// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { listDropped } from '../dropped-files.ts';

type Entry = { isFile: boolean; isDirectory: boolean };
const file = (name: string) => ({
  isFile: true,
  isDirectory: false,
  file: (ok: (one: object) => void) => ok({ name }),
});
/** A folder gives its entries in portions of two. */
const folder = (...entries: Entry[]) => ({
  isFile: false,
  isDirectory: true,
  createReader: () => {
    const left = [...entries];
    return { readEntries: (ok: (some: Entry[]) => void) => ok(left.splice(0, 2)) };
  },
});
const drop = (...entries: Entry[]) =>
  listDropped({
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files: [{ name: 'plain' }],
  } as unknown as DataTransfer);

describe('what was dropped', () => {
  it('holds the files of folders', async () => {
    const files = await drop(folder(file('a.obj'), file('b.obj'), folder(file('c.obj'))), file('d.obj'));
    expect(files.map(({ name }) => name)).toEqual(['a.obj', 'b.obj', 'c.obj', 'd.obj']);
  });

  it('is taken as it is without folders', async () => {
    expect((await drop(file('a.obj'))).map(({ name }) => name)).toEqual(['plain']);
  });
});
