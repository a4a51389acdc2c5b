// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualBoneCountOf } from '../../../core/model/deformed/two-layer.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { packGlb } from '../../../formats/gltf/document/pack-glb.ts';
import { splitGlb as parseGlb } from '../../../formats/gltf/document/split-glb.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import { runCli } from '../../../hosts/cli/run-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli(['compress', ...words]);
const json = async (...words: string[]) => {
  const { status, out, err } = await run(...words, '--json', '--quiet');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const bytesOf = async (name: string) => new Uint8Array(await readFile(at(name)));
const open = async (name: string) => readAsset([{ name, bytes: await bytesOf(name) }]);
const QUICK = ['--iterations', '2', '--virtual-bones', '10', '--influences', '4'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-compress-options-'));
  const { status, err } = await captureCli([
    'sample',
    'bar-bend',
    at('bar.glb'),
    '--resolution',
    '150',
    '--frames',
    '6',
  ]);
  expect(status, err).toBe(0);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('compress, its options', () => {
  it('come closer to the animation with --examples, and take another norm', async () => {
    const plain = await json(at('bar.glb'), at('plain.glb'), ...QUICK);
    const seen = await json(at('bar.glb'), at('seen.glb'), ...QUICK, '--examples', '10');
    expect(seen.metrics.rmse).toBeLessThan(plain.metrics.rmse);
    expect(seen.result).toMatchObject({ examples: 10, norm: 2 });
    const norm = await json(at('bar.glb'), at('norm.glb'), ...QUICK, '--norm', '4');
    expect(norm.metrics.rmse).not.toBe(plain.metrics.rmse);
    const largest = await json(at('bar.glb'), at('largest.glb'), ...QUICK, '--norm', 'max');
    expect(largest.result).toMatchObject({ norm: 'max' });
    expect(largest.metrics.max).toBeLessThan(plain.metrics.max);
  });

  it('smooth the weights of the linear objective', async () => {
    const linear = [...QUICK, '--objective', 'linear'];
    const plain = await json(at('bar.glb'), at('rough.glb'), ...linear);
    const smooth = await json(at('bar.glb'), at('smooth.glb'), ...linear, '--smoothness', '0.1');
    expect(smooth.metrics.rmseFit).toBeGreaterThan(plain.metrics.rmseFit);
  });

  it('take ranges from the limits that joints carry', async () => {
    const none = await run(at('bar.glb'), at('bad.glb'), '--ranges', 'limits');
    expect([none.status, none.err.trim().split('\n').length]).toEqual([1, 1]);
    expect(none.err).toMatch(/bar\.glb: the file has no joint limits \(extras\.jointLimits of nodes\); use a file of/);
    const { json: text, binary } = parseGlb(await bytesOf('bar.glb'));
    const gltf = JSON.parse(JSON.stringify(text)) as { nodes: { name?: string; extras?: unknown }[] };
    const { names } = (await open('bar.glb')).rig!.skeleton;
    const rotation = [
      [-5, 60],
      [-1, 1],
      [-1, 1],
    ];
    for (const node of gltf.nodes) if (names.includes(node.name ?? '')) node.extras = { jointLimits: { rotation } };
    await writeFile(at('limited.glb'), packGlb(gltf as never, binary!));
    const limits = await json(at('limited.glb'), at('ranged.glb'), ...QUICK, '--ranges', 'limits');
    await writeFile(at('same.json'), JSON.stringify({ '*': rotation }));
    const file = await json(at('limited.glb'), at('ranged.glb'), ...QUICK, '--ranges', at('same.json'));
    expect(limits.metrics.rmseFit).toBe(file.metrics.rmseFit);
  });

  it('make the files of a ladder as each count alone does', async () => {
    const quick = ['--iterations', '1', '--quiet'];
    expect((await run(at('bar.glb'), at('step.glb'), '--virtual-bones', '12,6', ...quick)).status).toBe(0);
    expect((await run(at('bar.glb'), at('six.glb'), '--virtual-bones', '6', ...quick)).status).toBe(0);
    expect(await bytesOf('step-6.glb')).toEqual(await bytesOf('six.glb'));
  });

  it('give the same bytes with any number of threads', async () => {
    for (const threads of ['1', '2'])
      expect((await run(at('bar.glb'), at(`t${threads}.glb`), ...QUICK, '--threads', threads, '--quiet')).status).toBe(
        0,
      );
    expect(await bytesOf('t1.glb')).toEqual(await bytesOf('t2.glb'));
  });

  it('work with one virtual bone', async () => {
    const { result } = await json(at('bar.glb'), at('one.glb'), '--virtual-bones', '1', '--iterations', '1');
    expect(result).toMatchObject({ virtualBones: 1, influences: 1 });
  });

  it('write the best so far when interrupted, status 130', async () => {
    const interrupt = new AbortController();
    let err = '';
    const words = ['compress', at('bar.glb'), at('cut.glb'), '--virtual-bones', '9,12', '--iterations', '500'];
    const status = await runCli(words, {
      stdout: { write: () => undefined, isTerminal: false },
      stderr: {
        write: (text) => {
          err += text;
          if (/alternate/.test(text)) interrupt.abort();
        },
        isTerminal: true,
        columns: 80,
      },
      environment: {},
      signal: interrupt.signal,
    });
    expect(status, err).toBe(130);
    expect(err).toContain('note: interrupted; writing the best result so far');
    expect(virtualBoneCountOf((await open('cut-9.glb')).twoLayer!)).toBe(9);
  });

  it.each<[string[], RegExp]>([
    [['--norm', '0.5'], /--norm.*1 to 8/],
    [['--norm', 'inf'], /--norm/],
    [['--examples', '-1'], /--examples.* zero or above/],
    [['--smoothness', 'x'], /--smoothness/],
    [['--smoothness', '0.1'], /--smoothness: requires --objective linear/],
    [['--objective', 'linear', '--examples', '1'], /--examples: requires --objective nonlinear/],
    [['--objective', 'linear', '--norm', '3'], /--norm: other than 2 requires --objective nonlinear/],
  ])('refuse %j as wrong usage', async (words, message) => {
    const { status, err } = await run(at('bar.glb'), at('bad.glb'), ...words);
    expect([status, err.trim().split('\n').length]).toEqual([2, 1]);
    expect(err).toMatch(message);
  });
});
