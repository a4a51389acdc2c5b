// SPDX-License-Identifier: MIT
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import type { Report } from '../../engine/report/report.ts';

interface Corrections {
  rank: number;
  as: string;
  eRms: number[];
  max: number[];
  normalDegrees?: number[];
}

let folder = '';
let input = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-corrections-'));
  const cache = join(folder, 'walk.pc2');
  await captureCli(['sample', 'quadruped', cache, '--resolution', '400', '--frames', '10']);
  input = `${join(folder, 'walk.obj')}+${cache}`;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = async (name: string, ...words: string[]) => {
  const path = join(folder, name);
  const { status, out, err } = await captureCli(['decompose', input, path, '--bones', '8', '--json', ...words]);
  const report = out.startsWith('{') ? (JSON.parse(out) as Report) : undefined;
  return { path, status, err, report, corrections: report?.result.corrections as Corrections | undefined };
};

describe('decompose --corrections', () => {
  it.each(['extension', 'morphs'])('is closer than bones alone, in the file that was written, as %s', async (as) => {
    const plain = await run('plain.glb');
    const { path, status, report, corrections } = await run(
      'corrected.glb',
      '--corrections',
      '3',
      '--corrections-as',
      as,
    );
    expect(status).toBe(0);
    expect(corrections).toMatchObject({ rank: 3, as });
    expect(report!.metrics.eRms!).toBeLessThan(0.75 * plain.report!.metrics.eRms!);
    expect(report!.metrics.eRms! / corrections!.eRms[3]).toBeCloseTo(1, 2);
    expect(corrections!.eRms).toHaveLength(4);
    const { issues } = await validateBytes(new Uint8Array(await readFile(path)));
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const info = await captureCli(['info', path]);
    expect(info.out).toMatch(as === 'morphs' ? /morph targets +3/ : /corrective shapes +rank 3 over 10 frames/);
  });

  it('finds as many as hold an error, quantized and with fewer keys, and says when none do', async () => {
    const words = ['--corrections', 'auto', '--max-error', '1%', '--quantize', '--keys'];
    const held = await run('auto.glb', ...words);
    expect(held.status, held.err).toBe(0);
    expect(held.corrections!.rank).toBeGreaterThan(0);
    expect(held.corrections!.rank).toBeLessThan(10);
    expect((held.report!.result.gate as { isMet: boolean }).isMet).toBe(true);
    const looser = await run('looser.glb', '--corrections-error', '2%');
    expect(looser.corrections!.rank).toBeLessThan(held.corrections!.rank);
  });

  it('meets an error between poses that are far apart, with keys between them', async () => {
    const cache = join(folder, 'twist.pc2');
    await captureCli(['sample', 'bar-twist', cache, '--resolution', '100', '--frames', '3']);
    const words = ['--bones', '3', '--corrections', 'auto', '--max-error', '1%', '--threads', '1', '--json'];
    const at = join(folder, 'twist.glb');
    const { status, out, err } = await captureCli(['decompose', `${join(folder, 'twist.obj')}+${cache}`, at, ...words]);
    expect(status, err).toBe(0);
    const { result } = JSON.parse(out) as Report;
    const { max } = result.between as { max: number };
    expect(max).toBeLessThanOrEqual((result.gate as { maxError: number }).maxError);
    // straight paths between half turns: bones alone are far off there
    expect((result.anyViewer as { between: { max: number } }).between.max).toBeGreaterThan(3 * max);
  });

  it('leaves given bones and weights as they are', async () => {
    const { path } = await run('rig.glb');
    for (const given of ['--skeleton', '--weights']) {
      const out = join(folder, 'given.glb');
      const {
        status,
        out: text,
        err,
      } = await captureCli(['decompose', input, out, given, path, '--corrections', '2', '--json']);
      expect(status, err).toBe(0);
      const { eRms } = (JSON.parse(text) as Report).result.corrections as unknown as Corrections;
      expect(eRms[2]).toBeLessThan(eRms[0]);
    }
  });

  it('corrects normals by either rule', async () => {
    for (const rule of ['inverse-transpose', 'blend']) {
      const { corrections } = await run('normals.glb', '--corrections', '3', '--corrections-normals', rule);
      expect(corrections!.normalDegrees![3]).toBeLessThan(corrections!.normalDegrees![0]);
    }
  });

  it('compares a corrected file as it plays, or as a plain skin', async () => {
    const { path, report } = await run('compared.glb', '--corrections', '3');
    const compare = async (...words: string[]): Promise<number> => {
      const { out } = await captureCli(['compare', input, path, '--json', ...words]);
      return JSON.parse(out).result.clips[0].metrics.eRms;
    };
    expect((await compare()) / report!.metrics.eRms!).toBeCloseTo(1, 3);
    expect(await compare('--plain')).toBeGreaterThan(1.2 * report!.metrics.eRms!);
  });

  it.each([
    [['--corrections', 'some'], /whole number, from 0 to 10000, or auto/],
    [['--corrections', '-1'], /whole number, from 0/],
    [['--corrections', 'auto'], /requires --corrections-error or --max-error/],
    [['--corrections-as', 'morphs'], /require --corrections/],
    [['--corrections-normals', 'blend'], /require --corrections/],
    [['--corrections', '3', '--corrections-error', '1%'], /use it with --corrections auto/],
    [['--corrections-error', '1%', '--max-error', '2%'], /cannot be used with --max-error/],
    [['--corrections-error', '0'], /above zero/],
    [['--corrections', '3', '--corrections-as', 'sprites'], /extension, morphs/],
  ])('refuses %s with status 2', async (words, message) => {
    const { status, err } = await run('never.glb', ...words);
    expect(status).toBe(2);
    expect(err).toMatch(message);
  });
});
