// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../capture-cli.ts';
import { askCommand, formatCommand } from '../ask-command.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-ask-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const answer = (...answers: (string | undefined)[]) =>
  askCommand(
    async () => answers.shift(),
    () => {},
  );

describe('ossify without arguments', () => {
  it('asks what to do with which file, with defaults', async () => {
    expect(await answer('', 'cloth.abc', '', '')).toEqual([
      'decompose',
      'cloth.abc',
      'cloth.bones.glb',
      '--bones',
      '20',
    ]);
    expect(await answer('9', 'x', '1', '', 'a.glb', 'b.glb', 'soon', '2mm')).toEqual([
      ...['decompose', 'a.glb', 'b.glb', '--max-error', '2mm'],
    ]);
    expect(await answer('7', "'frames/*.obj'")).toEqual(['info', 'frames/*.obj']);
    expect(await answer('6', 'rest.obj+motion.pc2', '')).toEqual([
      ...['bake', 'rest.obj+motion.pc2', 'rest.bones', '--as', 'bone-texture'],
    ]);
    expect((await answer('2', 'scan/frames/', ''))![2]).toBe('scan/frames.skeleton.glb');
    expect(await answer(undefined)).toBeUndefined();
  });

  it('prints the command that it runs, quoted for shells', async () => {
    expect(formatCommand(['info', "it's *.obj"])).toBe("ossify info 'it'\\''s *.obj'");
    const input = join(folder, 'bar.glb');
    await captureCli(['sample', 'bar-bend', input, '--frames', '3', '--resolution', '200', '--quiet']);
    const { status, out } = await captureCli([], { isTerminal: true, answers: ['7', input] });
    expect(status).toBe(0);
    expect(out).toContain(`$ ossify info ${input}`);
    expect(out).toMatch(/vertices +\d/);
  });
});

describe('ossify init', () => {
  it('adds scripts, a check and a workflow, and keeps what exists', async () => {
    const { status, err } = await captureCli(['init', folder, '--assets', 'caches/*.abc', '--max-error', '2mm']);
    expect([status, err]).toEqual([0, '']);
    const read = (...names: string[]) => readFile(join(folder, ...names), 'utf8');
    const { scripts } = JSON.parse(await read('package.json'));
    expect(scripts.assets).toBe(
      'ossify batch "caches/*.abc" --job decompose --max-error 2mm --out "public/assets" --report ossify-report.json',
    );
    expect(await read('.github', 'workflows', 'assets.yml')).toContain("- 'caches/**'");
    expect(await read('ossify-check.mjs')).toContain('the error has grown');
    const again = await captureCli(['init', folder]);
    expect(again.status).toBe(0);
    expect(again.err).toContain('ossify-check.mjs exists and was kept');
    expect(again.err).toContain('a script "assets" already');
    expect(JSON.parse(await read('package.json')).scripts.assets).toBe(scripts.assets);
    const quoted = await captureCli(['init', folder, '--assets', 'x" && echo "']);
    expect([quoted.status, quoted.err]).toEqual([2, expect.stringContaining('--assets: must not have quotes')]);
  });
});
