// SPDX-License-Identifier: MIT
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSettings, TARGET_NAMES, TARGETS } from '../../../formats/targets/index.ts';
import { version } from '../../disk/package-version.ts';
import { captureCli } from '../capture-cli.ts';
import { COMMANDS } from '../commands.ts';

const TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
let folder = '';
let triangle = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-cli-'));
  triangle = join(folder, 'triangle.obj');
  await writeFile(triangle, TRIANGLE);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('usage', () => {
  it('prints help for the program and for every command, with examples, and exits 0', async () => {
    const all = await captureCli(['--help']);
    expect(all.status).toBe(0);
    for (const spec of COMMANDS) {
      expect(all.out).toContain(`${spec.name} `);
      const { status, out, err } = await captureCli(['help', spec.name]);
      expect([status, err], spec.name).toEqual([0, '']);
      expect((await captureCli([spec.name, '--help'])).out).toBe(out);
      expect(out.split('\n\n')[1], spec.name).toMatch(/^[A-Z][\s\S]*\.$/);
      expect(out).toMatch(/Examples?:\n {2}\$ ossify /);
      for (const option of ['--json', '--report', '--quiet', '--verbose', '--threads', '--seed']) {
        expect(out, spec.name).toContain(option);
      }
    }
    expect((await captureCli(['--version'])).out).toBe(`${version}\n`);
  });

  it('prints the presets of --for with their reasons, in lines of 80 characters', async () => {
    const { status, out, err } = await captureCli(['help', 'presets']);
    expect([status, err]).toEqual([0, '']);
    for (const name of TARGET_NAMES) {
      expect(out).toContain(`--for ${name}: ${TARGETS[name].title}`);
      for (const { reason } of listSettings(TARGETS[name])) expect(out.replace(/\s+/g, ' ')).toContain(reason);
    }
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each([
    [['inof', 'x.glb'], /unknown command 'inof' \(Did you mean info\?\)/],
    [['help', 'nope'], /unknown command 'nope'/],
    [['help', 'inof'], /unknown command 'inof' \(Did you mean info\?\)/],
    [['info'], /missing required argument 'input'/],
    [['info', 'a.obj', 'b.obj'], /too many arguments.*Quote a pattern/],
    [['info', 'a.obj', '--jsno'], /unknown option '--jsno' \(Did you mean --json\?\)/],
    [['info', 'a.obj', '--fps', 'fast'], /--fps.*'fast' is invalid.*number above zero/],
    [['info', 'a.obj', '--fps', '-1'], /above zero/],
    [['draw', 'a.obj', 'a.png', '--frames', '9:1'], /ends before it starts/],
    [['info', 'a.obj', '--up', 'w'], /x, y or z/],
    [['info', 'a.obj', '--unit', 'parsec'], /metres in one file unit/],
    [['info', 'a.obj', '--threads', '0'], /from 1 to 256/],
    [['info', 'a.obj', '--seed', '1.5'], /whole number/],
    [['draw', 'a.obj', 'a.png', '--rate', '5', '--keys'], /cannot be used with/],
    [['info', 'a.obj', '--quiet', '--verbose'], /--quiet: cannot be used with --verbose/],
    [['compare', 'a.obj', 'b.obj', '--max-error', '1parsec'], /unknown unit/],
    [['completion', 'tcsh'], /not one of bash, zsh, fish/],
    [['bench', 'nothing'], /no suite "nothing"/],
    [['info', ''], /input is empty/],
  ])('answers %j with one sentence and status 2', async (argv, sentence) => {
    const { status, out, err } = await captureCli(argv);
    expect(status).toBe(2);
    expect(err).toMatch(sentence);
    expect(err).toMatch(/^ossify: [^\n]+\n$/);
    expect(out).toBe('');
  });

  it('prints defaults as they are written, and what --json prints', async () => {
    expect((await captureCli(['help', 'draw'])).out).toContain('(default: three-quarter)');
    expect((await captureCli(['help', 'view'])).out).toContain('print the address and the names of the files as JSON');
    expect((await captureCli(['help', 'bench'])).out).toMatch(/with --list,\s+the suites/);
    expect((await captureCli(['help', 'completion'])).out).toContain('no effect; the script is printed');
  });

  it('prints help and exits 2 without a command', async () => {
    const { status, err } = await captureCli([]);
    expect(status).toBe(2);
    expect(err).toContain('Usage: ossify <command>');
  });
});

describe('errors', () => {
  it('name the file and the fault, without a stack unless --verbose', async () => {
    const missing = join(folder, 'missing.glb');
    const plain = await captureCli(['info', missing]);
    expect(plain).toEqual({ status: 1, out: '', err: `ossify: ${missing}: no such file\n` });
    const verbose = await captureCli(['info', missing, '--verbose']);
    expect(verbose.status).toBe(1);
    expect(verbose.err).toMatch(/\n {4}at /);
  });

  it('are red on a terminal, unless NO_COLOR', async () => {
    const argv = ['info', join(folder, 'missing.glb')];
    expect((await captureCli(argv, { isTerminal: true })).err).toContain('\u001b[31m');
    expect((await captureCli(argv, { isTerminal: true, environment: { NO_COLOR: '1' } })).err).not.toContain(
      '\u001b[31m',
    );
  });

  it('cannot steer the terminal through a file name', async () => {
    const { err } = await captureCli(['info', join(folder, '\u001b[2J.glb')]);
    expect(err).not.toContain('\u001b');
  });
});

describe('streams', () => {
  it('keep results and remarks apart: --json is one document, --quiet is silent', async () => {
    const json = await captureCli(['info', triangle, '--json'], { isTerminal: true });
    expect(json.status).toBe(0);
    expect(JSON.parse(json.out)).toMatchObject({ command: 'info', result: { mesh: { vertices: 3, triangles: 1 } } });
    expect(json.err).toBe('');
    expect(await captureCli(['info', triangle, '--quiet'])).toEqual({ status: 0, out: '', err: '' });
  });

  it('show progress on a terminal only, and take it away', async () => {
    const shown = await captureCli(['info', triangle], { isTerminal: true });
    expect(shown.err).toContain('read');
    expect(shown.err.endsWith('\r\u001b[2K')).toBe(true);
    expect((await captureCli(['info', triangle])).err).toBe('');
  });

  it('have no escape codes on a terminal that is dumb', async () => {
    const options = { isTerminal: true, environment: { TERM: 'dumb' } };
    for (const words of [
      ['info', triangle],
      ['info', join(folder, 'none.obj')],
      ['help', 'info'],
      ['compare', triangle, triangle],
    ]) {
      const { out, err } = await captureCli(words, options);
      expect(out + err, words.join(' ')).not.toContain('\u001b');
    }
  });

  it('stop with 130 when interrupted, leaving no output', async () => {
    const report = join(folder, 'interrupted.json');
    const { status, err } = await captureCli(['info', triangle, '--report', report], { signal: AbortSignal.abort() });
    expect([status, err]).toEqual([130, 'ossify: interrupted; nothing was written\n']);
    expect(existsSync(report)).toBe(false);
  });
});

describe('reports', () => {
  it('say the version, the command, its options, the input and the time', async () => {
    const path = join(folder, 'report.json');
    const { status } = await captureCli([
      'info',
      triangle,
      '--fps',
      '30',
      '--seed',
      '7',
      '--threads',
      '2',
      '--report',
      path,
    ]);
    expect(status).toBe(0);
    const { default: report } = await import(path, { with: { type: 'json' } });
    expect(report).toMatchObject({
      reportVersion: 1,
      ossify: version,
      command: 'info',
      options: { fps: 30 },
      inputs: [{ name: triangle, vertices: 3, triangles: 1, bytes: TRIANGLE.length }],
      bytes: { input: TRIANGLE.length },
      threads: 2,
      seed: 7,
    });
    expect(report.seconds.total).toBeGreaterThan(0);
    expect(report.peakMemory).toBeGreaterThan(1e6);
  });

  it('are refused before the work where they would overwrite the input or have no folder', async () => {
    const before = await readdir(folder);
    const over = await captureCli(['info', triangle, '--report', triangle]);
    expect([over.status, over.out]).toEqual([1, '']);
    expect(over.err).toMatch(/is an input of this command/);
    const nowhere = await captureCli(['info', triangle, '--report', join(folder, 'no', 'report.json')]);
    expect(nowhere.status).toBe(1);
    expect(nowhere.err).toMatch(/no" does not exist; make it first\n$/);
    expect(await readdir(folder)).toEqual(before);
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('names every command and option in %s', async (shell) => {
    const { status, out } = await captureCli(['completion', shell]);
    expect(status).toBe(0);
    for (const word of [...COMMANDS.map(({ name }) => name), 'max-error', 'fps', 'report']) expect(out).toContain(word);
  });

  it.skipIf(process.platform === 'win32')('completes in bash', async () => {
    const { out } = await captureCli(['completion', 'bash']);
    const complete = (...words: string[]) => {
      const line = `COMP_WORDS=(ossify ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`;
      const script = `${out}\n${line}; _ossify; echo "\${COMPREPLY[*]}"`;
      return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim();
    };
    expect(complete('compare', '--ma')).toBe('--max-error --max-memory');
    expect(complete('inf')).toBe('info');
    expect(complete('in')).toBe('info init');
    expect(complete('sample', 'bar')).toBe('bar-bend bar-twist bar-joint');
    expect(complete('sample', 'sheet', '')).toBe('');
    expect(complete('completion', 'z')).toBe('zsh');
    expect(complete('draw', 'a.glb', 'a.png', '--background', 'd')).toBe('dark');
    expect(complete('compare', '')).toBe('');
  });
});

const main = fileURLToPath(new URL('../../../../dist/cli/main.js', import.meta.url));

describe.skipIf(!existsSync(main))('the built command (needs npm run build)', () => {
  const run = (...argv: string[]) => spawnSync(process.execPath, [main, ...argv], { encoding: 'utf8' });

  it('exits with the status of the job', () => {
    expect(run('info', triangle).status).toBe(0);
    expect(run('info', triangle).stdout).toContain('3 once welded');
    expect(run('info', join(folder, 'missing.obj')).status).toBe(1);
    expect(run('nothing').status).toBe(2);
  });

  it.skipIf(process.platform === 'win32')('goes on quietly when its reader goes away', () => {
    const { status, stderr } = spawnSync(
      'bash',
      ['-o', 'pipefail', '-c', `"${process.execPath}" "${main}" help | true`],
      {
        encoding: 'utf8',
      },
    );
    expect([status, stderr]).toEqual([0, '']);
  });
});
