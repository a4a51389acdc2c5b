// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { readFiles } from './read-files.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const triangle = bytesOf('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
const quad = bytesOf('v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 3 2 4\n');

describe('readFiles', () => {
  it('reads frames that have the same faces', async () => {
    const files = ['a1.obj', 'a2.obj'].map((name) => ({ name, bytes: triangle }));
    const { asset, notes } = await readFiles(files, {});
    expect([asset.clips[0].times.length, notes]).toEqual([2, []]);
  });

  it('names the command that makes a clip of frames that differ, in one sentence', async () => {
    const files = [triangle, quad].map((bytes, k) => ({ name: `scan/a${k}.obj`, bytes }));
    await expect(readFiles(files, {})).rejects.toThrow(
      /^The 2 frames have different vertices or faces, .*: ossify track 'folder\/\*\.obj' out\.glb$/,
    );
  });
});
