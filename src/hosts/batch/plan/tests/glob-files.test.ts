// SPDX-License-Identifier: MIT
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandBraces, globFiles } from '../glob-files.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-glob-'));
  for (const name of ['a.abc', 'b2.abc', 'b10.abc', 'x/c.abc', 'x/y/d.abc', 'x/y/e.glb', '.hidden/f.abc', 'x/.g.abc']) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const list = async (pattern: string) => (await globFiles(join(folder, pattern))).map(({ below }) => below);

describe('globFiles', () => {
  it('finds files in folders of any depth, in natural order, without hidden ones', async () => {
    expect(await list('**/*.abc')).toEqual(['a.abc', 'b2.abc', 'b10.abc', 'x/c.abc', 'x/y/d.abc']);
    expect(await list('x/**')).toEqual(['c.abc', 'y/d.abc', 'y/e.glb']);
  });

  it('knows stars, question marks and alternatives', async () => {
    expect(await list('b?.abc')).toEqual(['b2.abc']);
    expect(await list('*/*/*')).toEqual(['x/y/d.abc', 'x/y/e.glb']);
    expect(await list('{a,x/c}.abc')).toEqual(['a.abc', 'c.abc']);
    expect(expandBraces('{a,b{c,d}}.x').sort()).toEqual(['a.x', 'a.x', 'bc.x', 'bd.x']);
  });

  it('takes names that exist unchanged', async () => {
    writeFileSync(join(folder, 'odd*{1}.glb'), '');
    expect(await list('odd*{1}.glb')).toEqual(['odd*{1}.glb']);
    rmSync(join(folder, 'odd*{1}.glb'));
  });

  it('does not follow links to folders in circles', async () => {
    symlinkSync(folder, join(folder, 'x/loop'));
    expect(await list('**/e.glb')).toEqual(['x/y/e.glb']);
    rmSync(join(folder, 'x/loop'));
  });

  it('reports patterns that match nothing, folders, and too many alternatives', async () => {
    await expect(list('*.fbx')).rejects.toThrow('no file matches');
    await expect(list('missing/*.fbx')).rejects.toThrow('no file matches');
    await expect(list('nope.glb')).rejects.toThrow('no such file');
    await expect(list('x')).rejects.toThrow("is a folder; give a pattern such as '");
    expect(() => expandBraces('{a,b}'.repeat(20))).toThrow('more than 1000 patterns');
  });
});
