// SPDX-License-Identifier: MIT
// Every command on every extreme clip: it works or refuses in a sentence, and what it reports is what a player of plain glTF measures.
// OSSIFY_LARGE=1 adds clips of a million positions and more.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../src/hosts/cli/capture-cli.ts';
import { type ExtremeClip, FPS, makeExtremeClips, writeObj, writePc2 } from './make-extreme-clips.ts';
import { playGlb } from './play-glb.ts';

const isLarge = process.env.OSSIFY_LARGE === '1';

/** Clips that no command can use. */
const UNUSABLE = ['one vertex', 'coordinates of 9e17', 'not a number in one frame'];

interface Metrics {
  max: number;
  rmse: number;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-extreme-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command; undefined where it refuses, which must be one sentence about a file or an option. */
async function run(...words: string[]): Promise<{ metrics: Metrics; result: Record<string, unknown> } | undefined> {
  const line = words.join(' ');
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const { status, out, err } = await captureCli([...words, '--report', report]);
  expect(out + err, line).not.toMatch(/NaN|undefined|Infinity|defect of ossify|\bat .*\.ts/);
  if (status !== 0) {
    expect(err, line).toMatch(/(^|\n)ossify: \S[^\n]*: \S[^\n]*\n$/);
    expect(existsSync(report), line).toBe(false);
    return undefined;
  }
  return JSON.parse(readFileSync(report, 'utf8')) as { metrics: Metrics; result: Record<string, unknown> };
}

function measure(expected: readonly ArrayLike<number>[], found: readonly ArrayLike<number>[]): Metrics {
  let [sum, max, count] = [0, 0, 0];
  expected.forEach((frame, k) => {
    expect(found[k].length).toBe(frame.length);
    for (let c = 0; c < frame.length; c += 3) {
      const d = Math.hypot(found[k][c] - frame[c], found[k][c + 1] - frame[c + 1], found[k][c + 2] - frame[c + 2]);
      sum += d * d;
      max = Math.max(max, d);
      count++;
    }
  });
  return { max, rmse: Math.sqrt(sum / count) };
}

/** Equal up to the rounding of positions to 32-bit floats. */
function expectSame(found: Metrics, reported: Metrics, frames: readonly Float32Array[], line: string): void {
  const size = frames.reduce((most, frame) => frame.reduce((a, b) => Math.max(a, Math.abs(b)), most), 0);
  const rounding = 4 * 2 ** -23 * size;
  for (const key of ['max', 'rmse'] as const)
    expect(
      Math.abs(found[key] - reported[key]),
      `${line}: ${key} ${found[key]}, reported ${reported[key]}`,
    ).toBeLessThanOrEqual(1e-3 * found[key] + rounding);
}

describe.each(makeExtremeClips(isLarge).map((clip) => [clip.name, clip] as const))(
  '%s',
  { timeout: 600_000 },
  (name, clip: ExtremeClip) => {
    const at = (suffix: string) => join(folder, `${name.replace(/[^a-z0-9]+/gi, '-')}${suffix}`);
    const input = () => `${at('.obj')}+${at('.pc2')}`;
    const times = clip.frames.map((_, k) => k / FPS);
    const small = ['--fps', String(FPS), '--threads', '1'];
    beforeAll(() => {
      writeFileSync(at('.obj'), writeObj(clip));
      writeFileSync(at('.pc2'), writePc2(clip));
    });

    it.each([
      ['decompose', ['--bones', '3', '--iterations', '3']],
      ['decompose', ['--bones', '3', '--iterations', '2', '--max-memory', '64kB']],
      ['decompose', ['--bones', '2', '--method', 'sma']],
      ['decompose', ['--bones', '2', '--method', 'fsd']],
      ['decompose', ['--bones', '2', '--method', 'lssp']],
      ['skeleton', ['--bones', '2', '--method', 'schaefer']],
      ['skeleton', ['--bones', '2', '--method', 'hasler']],
    ])('%s %j reports what a player measures', async (command, options) => {
      const output = at(`-${command}-${options.join('')}.glb`);
      const report = await run(command, input(), output, ...options, ...small);
      expect(existsSync(output)).toBe(report !== undefined);
      if (options.includes('--iterations')) expect(report === undefined).toBe(UNUSABLE.includes(name));
      if (!report) return;
      const played = playGlb(readFileSync(output), times);
      expectSame(measure(clip.frames, played), report.metrics, clip.frames, `${command} ${options.join(' ')}`);
      const compared = await run('compare', input(), output, '--fps', String(FPS));
      expectSame(measure(clip.frames, played), compared!.metrics, clip.frames, 'compare');
    });

    it.each([
      ['reduce', ['--method', 'klargest', '--influences', '1']],
      ['reduce', ['--influences', '1']],
      ['mush', ['--iterations', '2']],
      ['lod', []],
      ['compress', ['--virtual-bones', '1', '--iterations', '1']],
      ['compress', ['--virtual-bones', '3', '--iterations', '1']],
      ['convert', ['--helpers', '1', '--samples', '3', '--iterations', '1', '--poses', '5']],
    ])('%s %j works on its skin or refuses it', async (command, options) => {
      const rig = at('-rig.glb');
      if (!existsSync(rig) && !(await run('decompose', input(), rig, '--bones', '3', '--iterations', '2', ...small)))
        return;
      const output = at(`-${command}-${options.join('')}.glb`);
      const report = await run(command, rig, output, ...options, '--threads', '1');
      expect(existsSync(output)).toBe(report !== undefined);
      if (!report || command !== 'reduce') return;
      const source = playGlb(readFileSync(rig), times);
      expectSame(measure(source, playGlb(readFileSync(output), times)), report.metrics, clip.frames, command);
    });

    it('info, draw and compare work on it or refuse it', async () => {
      await run('info', input(), ...small);
      await run('draw', input(), at('.png'), '--size', '32x32', '--frame', '0', ...small);
      const same = await run('compare', input(), input(), ...small);
      if (same) expect(same.metrics.max).toBe(0);
    });
  },
);
