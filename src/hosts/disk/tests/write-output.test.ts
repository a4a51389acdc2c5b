// SPDX-License-Identifier: MIT
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nameTemporary } from '../temporary-files.ts';
import { checkOutputs, writeOutputs } from '../write-output.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const isRoot = process.getuid?.() === 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-output-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('writeOutputs', () => {
  it('writes new files and replaces old ones, leaving nothing else', async () => {
    await writeFile(at('a'), 'old');
    await chmod(at('a'), 0o640);
    await writeOutputs([
      { path: at('a'), bytes: 'new' },
      { path: at('b'), bytes: Uint8Array.of(1, 2) },
    ]);
    expect(await readFile(at('a'), 'utf8')).toBe('new');
    expect((await stat(at('a'))).mode & 0o777).toBe(0o640);
    expect([...(await readFile(at('b')))]).toEqual([1, 2]);
    expect((await readdir(folder)).sort()).toEqual(['a', 'b']);
  });

  it('writes all or none', async () => {
    await writeFile(at('a'), 'old');
    const files = [
      { path: at('a'), bytes: 'new' },
      { path: at('b'), bytes: 'new' },
      { path: join(folder, 'missing', 'c'), bytes: 'new' },
    ];
    await expect(writeOutputs(files)).rejects.toThrow(/missing" does not exist; make it first/);
    expect(await readFile(at('a'), 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['a']);
  });

  it('follows a link to the file it names', async () => {
    await writeFile(at('real'), 'old');
    await symlink(at('real'), at('link'));
    await writeOutputs([{ path: at('link'), bytes: 'new' }]);
    expect(await readFile(at('real'), 'utf8')).toBe('new');
    expect((await lstat(at('link'))).isSymbolicLink()).toBe(true);
  });

  it('removes what killed processes of this machine left in the folder, and nothing else', async () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const own = basename(nameTemporary(folder));
    const named = (pid: number) => own.replace(`-${process.pid}-`, `-${pid}-`);
    const left = [named(dead), `${named(dead)}.old`, own];
    const kept = [named(process.ppid), `.ossify-00000000-${dead}-0.tmp`, `.ossify-${dead}-0.tmp`, 'ossify.tmp'];
    for (const name of [...left, ...kept]) await writeFile(at(name), 'x');
    await symlink(at('ossify.tmp'), at(named(dead).replace(/\d+\.tmp$/, '77.tmp')));
    await writeOutputs([{ path: at('a'), bytes: 'new' }]);
    const names = await readdir(folder);
    expect(names.filter((name) => left.includes(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['a', ...kept]));
    expect(names.length).toBe(kept.length + 2);
  });

  it('refuses to overwrite an input, also through a link', async () => {
    await writeFile(at('in.glb'), 'input');
    await symlink(at('in.glb'), at('link.glb'));
    for (const path of [at('in.glb'), at('link.glb'), join(folder, '.', 'in.glb')]) {
      await expect(writeOutputs([{ path, bytes: 'x' }], [at('in.glb')])).rejects.toThrow(/is an input/);
    }
    expect(await readFile(at('in.glb'), 'utf8')).toBe('input');
  });

  it('refuses a folder, a path through a file, and one name for two outputs', async () => {
    await mkdir(at('sub'));
    await writeFile(at('file'), '');
    await expect(checkOutputs([at('sub')])).rejects.toThrow(/is a folder/);
    await expect(checkOutputs([`${folder}/`])).rejects.toThrow(/is a folder/);
    await expect(checkOutputs([join(at('file'), 'x')])).rejects.toThrow(/is a file, not a folder|part of its path/);
    await expect(checkOutputs([at('x'), join(folder, 'sub', '..', 'x')])).rejects.toThrow(/two outputs/);
    expect((await readdir(folder)).sort()).toEqual(['file', 'sub']);
  });

  it.skipIf(!existsSync('/dev/full'))('writes to a device without replacing it, and says when it is full', async () => {
    await writeOutputs([{ path: '/dev/null', bytes: 'x' }]);
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
    await expect(writeOutputs([{ path: '/dev/full', bytes: 'x' }])).rejects.toThrow(/the disk is full/);
  });

  it.skipIf(isRoot)('says when permission is denied (skipped for root, who has it)', async () => {
    await chmod(folder, 0o500);
    await expect(writeOutputs([{ path: at('x'), bytes: 'x' }])).rejects.toThrow(/permission denied/);
    await chmod(folder, 0o700);
  });
});
