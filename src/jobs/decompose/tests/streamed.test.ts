// SPDX-License-Identifier: MIT
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const input = () => `${at('walk.obj')}+${at('walk.pc2')}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-streamed-'));
  const words = ['sample', 'quadruped', at('walk.pc2'), '--resolution', '400', '--frames', '12'];
  expect((await captureCli(words)).status).toBe(0);
});
afterAll(() => rm(folder, { recursive: true }));

describe('a point cache larger than --max-memory', () => {
  it('is decomposed in blocks, with about the error of a clip in memory', async () => {
    const run = async (output: string, ...words: string[]) => {
      const { status, out, err } = await captureCli([
        'decompose',
        input(),
        at(output),
        '--bones',
        '8',
        ...words,
        '--json',
      ]);
      expect(status, err).toBe(0);
      return { report: JSON.parse(out), err };
    };
    const { report: whole } = await run('whole.glb');
    const { report: streamed, err } = await run('streamed.glb', '--max-memory', '60kB');
    expect(err).toContain('is read in blocks');
    expect(streamed.result.isStreamed).toBe(true);
    expect(streamed.metrics.eRms).toBeLessThan(1.05 * whole.metrics.eRms);
    expect(streamed.metrics.eRms).toBeCloseTo(streamed.result.eRmsSolved, 3);
    expect((await readFile(at('streamed.glb'))).length).toBe(streamed.bytes.file);
    // the same file, measured as any other
    const { out } = await captureCli(['compare', input(), at('streamed.glb'), '--json']);
    const { metrics } = JSON.parse(out);
    for (const key of ['eRms', 'max', 'distortion', 'normalDegrees'])
      expect(streamed.metrics[key] / metrics[key]).toBeCloseTo(1, 4);
    expect(streamed.metrics.p99 / metrics.p99).toBeCloseTo(1, 2);
  }, 60_000);

  it('is refused by other jobs, and with options that need the whole clip', async () => {
    for (const words of [
      ['skeleton', input(), at('out.glb')],
      ['decompose', input(), at('out.glb'), '--method', 'lssp'],
      ['decompose', input(), at('out.glb'), '--max-error', '1%'],
    ]) {
      const { status, err } = await captureCli([...words, '--max-memory', '60kB']);
      expect(status).toBe(1);
      expect(err).toContain('above the limit of 0.06 MB; use fewer frames (--frames), or raise the limit');
    }
  });

  it.each([
    [['--noise', '0.5%', '--denoise', 'clean.pc2']],
    [['--noise', '0.5%']],
    [['--denoise', 'clean.pc2']],
    [['--noise', 'auto']],
  ])('is not read in blocks with %s, which need the whole clip', async (words) => {
    const own = words.map((word) => (word.endsWith('.pc2') ? at(word) : word));
    const { status, err } = await captureCli(['decompose', input(), at('out.glb'), ...own, '--max-memory', '60kB']);
    expect(status).toBe(1);
    expect(err).toContain('above the limit of 0.06 MB; use fewer frames (--frames)');
    if (words.includes('0.5%') || words.includes('--denoise')) expect(err).toContain('--noise 0 without --denoise');
  });

  it('is read in blocks with --noise 0', async () => {
    const words = ['--bones', '8', '--noise', '0', '--max-memory', '60kB', '--iterations', '2'];
    const { status, err } = await captureCli(['decompose', input(), at('exact.glb'), ...words]);
    expect([status, err]).toEqual([0, expect.stringContaining('is read in blocks')]);
  });

  it('is refused as any clip for one coordinate that is too large to solve, and solved where all points are one', async () => {
    const walk = await readFile(at('walk.pc2'));
    const run = async (name: string, change: (positions: Float32Array) => void) => {
      const positions = new Float32Array(Uint8Array.from(walk.subarray(32)).buffer);
      change(positions);
      await copyFile(at('walk.obj'), at(`${name}.obj`));
      await writeFile(at(`${name}.pc2`), Buffer.concat([walk.subarray(0, 32), Buffer.from(positions.buffer)]));
      const words = ['--bones', '3', '--iterations', '2', '--max-memory', '60kB', '--json'];
      return captureCli(['decompose', `${at(name)}.obj+${at(name)}.pc2`, at(`${name}.glb`), ...words]);
    };
    const spike = await run('spike', (positions) => {
      positions[Math.floor(0.6 * positions.length)] = 9e17;
    });
    expect([spike.status, spike.out]).toEqual([1, '']);
    expect(spike.err).toContain('has a coordinate of 9.0e+17; bones are solved up to 1e+16');
    const point = await run('point', (positions) => positions.fill(0));
    expect([point.status, point.err]).toEqual([0, expect.stringContaining('is read in blocks')]);
    expect(JSON.parse(point.out)).toMatchObject({ result: { isStreamed: true } });
    // in thousandths of the size; measured 0.18
    expect(JSON.parse(point.out).metrics.eRms).toBeLessThan(0.3);
  });

  it('must belong to its mesh', async () => {
    const words = ['sample', 'quadruped', at('other.pc2'), '--resolution', '300', '--frames', '20'];
    expect((await captureCli(words)).status).toBe(0);
    const { status, err } = await captureCli([
      ...['decompose', `${at('walk.obj')}+${at('other.pc2')}`, at('out.glb'), '--max-memory', '60kB'],
    ]);
    expect(status).toBe(1);
    expect(err).toMatch(/other\.pc2: it moves \d+ vertices, but .*walk\.obj has \d+/);
  });
});
