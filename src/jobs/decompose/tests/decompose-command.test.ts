// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { writeGlb } from '../../../formats/gltf/write-glb.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import { runCli } from '../../../hosts/cli/run-cli.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { assetOfSample, skinnedOfSample } from '../../sample/sample-asset.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const clip = () => `${at('bar.obj')}+${at('bar.pc2')}`;
const run = async (words: string[]) => captureCli(['decompose', ...words]);
const json = async (...words: string[]) => {
  const { status, out, err } = await run([...words, '--json']);
  expect(status, err).toBe(0);
  return JSON.parse(out);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-decompose-'));
  for (const [sample, file, ...more] of [
    ['bar-bend', 'bar.pc2'],
    ['bar-bend', 'bar.glb'],
    ['sheet', 'sheet.glb'],
    ['parts', 'parts.glb', '--resolution', '600'],
    ['creature', 'creature.glb', '--resolution', '600'],
  ]) {
    const words = ['sample', sample, at(file), '--resolution', '300', '--frames', '10', ...more];
    const { status, err } = await captureCli(words);
    expect(status, err).toBe(0);
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('decompose', () => {
  it('writes a file that plays the clip with the error that the report says', async () => {
    const report = await json(clip(), at('out.glb'), '--bones', '6', '--fps', '30', '--report', at('report.json'));
    const written = JSON.parse(await readFile(at('report.json'), 'utf8'));
    expect(written).toMatchObject({
      command: 'decompose',
      options: { bones: 6, influences: 4, transforms: 'rigid', method: 'ssdr' },
      result: { method: 'ssdr', bones: 6, influences: 4, eRmsSolved: report.result.eRmsSolved },
      metrics: report.metrics,
      bytes: { file: (await readFile(at('out.glb'))).length },
    });
    for (const field of ['blendsPerVertex', 'reseeds', 'relocations', 'iterations', 'eRmsBeforeRest', 'restGain'])
      expect(report.result[field], field).toBeGreaterThanOrEqual(0);
    const compared = await captureCli(['compare', clip(), at('out.glb'), '--fps', '30', '--json']);
    const { metrics } = JSON.parse(compared.out).result.clips[0];
    expect(report.metrics.eRms).toBeCloseTo(metrics.eRms, 9);
    expect(report.metrics.max).toBeCloseTo(metrics.max, 12);
    // Six bones made the clip.
    expect(report.metrics.eRms).toBeLessThan(1);
    expect(Math.abs(report.metrics.eRms - report.result.eRmsSolved)).toBeLessThan(1e-3);
  });

  it('prints what a person wants to know, in one table', async () => {
    const { status, out, err } = await run([clip(), at('said.glb'), '--bones', '4']);
    expect(status, err).toBe(0);
    // ten frames of a wide bend: vertices of the clip move straight between them
    expect(err).toMatch(/^note: between frames vertices are off by up to \S+, \S+ times as much as at the frames\n$/);
    for (const words of [/before .*clip, \d+ vertices/, /after .*4 rigid bones, 4 influences/, /E_RMS/])
      expect(out).toMatch(words);
    for (const words of [
      /E_RMS +RMSE +of size +p99 +max +of size +normals +distortion/,
      /written +[\d.e-]+ +[\d.e-]+ +[\d.e-]+ % .* 10 frames/,
      /rest pose was corrected/,
      /solve .* s/,
    ])
      expect(out).toMatch(words);
  });

  it.each([
    ['affine', 'nnls', []],
    ['rigid', 'bounded', ['--negativity', '0.2']],
    ['affine', 'tsvd', []],
  ])(
    'by sma writes %s bones and %s weights that the validator accepts, as close as solved',
    async (kind, rule, more) => {
      const words = ['--method', 'sma', '--transforms', kind, '--weights-by', rule, ...more];
      const { result, metrics, options } = await json(at('parts.glb'), at('sma.glb'), ...words);
      expect(options).toMatchObject({ method: 'sma', epsilon: 0.05, bonesBy: 'patches' });
      expect(options.iterations).toBeUndefined();
      expect(result.eta).toBeGreaterThan(0.5);
      expect(result.bonesFound).toBeGreaterThan(1);
      if (rule === 'nnls') expect(result.bones).toBe(result.bonesFound);
      expect(Math.abs(metrics.eRms - result.eRmsSolved)).toBeLessThan(0.01);
      const { issues } = await validateBytes(new Uint8Array(await readFile(at('sma.glb'))));
      expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    },
  );

  it('gives the same bytes whatever the number of threads', async () => {
    await json(at('creature.glb'), at('one.glb'), '--bones', '8', '--threads', '1');
    await json(at('creature.glb'), at('two.glb'), '--bones', '8', '--threads', '2');
    expect((await readFile(at('one.glb'))).equals(await readFile(at('two.glb')))).toBe(true);
  });

  it.each([
    '',
    '--keys --quantize --meshopt',
    '--transforms affine --influences 6',
    '--transforms similarity --keys 1mm',
  ])('writes what the validator accepts, with all vertices and materials (%s)', async (options) => {
    const words = options.split(' ').filter((word) => word !== '');
    const { metrics, result } = await json(at('parts.glb'), at('valid.glb'), '--bones', '8', ...words);
    const bytes = await readFile(at('valid.glb'));
    const { issues } = await validateBytes(new Uint8Array(bytes));
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const [before, after] = await Promise.all(
      ['parts.glb', 'valid.glb'].map(async (name) => readAsset([{ name, bytes: await readFile(at(name)) }])),
    );
    expect(after.mesh.positions.length).toBe(before.mesh.positions.length);
    expect(after.mesh.parts.map(({ material }) => material)).toEqual(before.mesh.parts.map(({ material }) => material));
    expect(after.mesh.attributes.map(({ name }) => name)).toEqual(before.mesh.attributes.map(({ name }) => name));
    expect(after.morphs).toBeUndefined();
    expect(maxInfluencesOf(after.rig!.skin)).toBe(result.influences);
    expect(result.influences).toBeLessThanOrEqual(options.includes('--influences') ? 6 : 4);
    expect(metrics.rmsePercent).toBeLessThan(5);
  });

  it('keeps the rest pose where asked to', async () => {
    const kept = await json(at('bar.glb'), at('kept.glb'), '--bones', '3', '--keep-rest');
    expect(kept.result.restGain).toBe(0);
    const [before, after] = await Promise.all(
      ['bar.glb', 'kept.glb'].map(async (name) => readAsset([{ name, bytes: await readFile(at(name)) }])),
    );
    expect(after.mesh.positions).toEqual(before.mesh.positions);
    const corrected = await json(at('bar.glb'), at('corrected.glb'), '--bones', '3');
    expect(corrected.metrics.eRms).toBeLessThan(kept.metrics.eRms);
  });

  it('turns morph targets, and only the frames asked for', async () => {
    const report = await json(at('sheet.glb'), at('sheet-out.glb'), '--bones', '6', '--frames', '2:7');
    expect(report.inputs[0].kind).toBe('morphing');
    expect(report.metrics.perFrame.rms).toHaveLength(6);
    expect(report.metrics.rmsePercent).toBeLessThan(5);
  });

  it('gives several clips of one mesh one skin and several animations', async () => {
    for (const n of ['1', '2']) {
      const words = [
        'sample',
        'bar-bend',
        at(`turn${n}.mdd`),
        '--resolution',
        '300',
        '--frames',
        n === '1' ? '8' : '5',
      ];
      expect((await captureCli(words)).status).toBe(0);
    }
    const input = `${at('turn1.obj')}+${at('turn1.mdd')},${at('turn2.mdd')}`;
    const { result, metrics } = await json(input, at('both.glb'), '--bones', '6');
    expect(result.clips.map(({ name, frames }: { name: string; frames: number }) => [name, frames])).toEqual([
      ['turn1', 8],
      ['turn2', 5],
    ]);
    expect(metrics.perFrame.max).toHaveLength(13);
    const asset = await readAsset([{ name: 'both.glb', bytes: await readFile(at('both.glb')) }]);
    expect(asset.animations.map(({ name }) => name)).toEqual(['turn1', 'turn2']);
    const one = await json(input, at('one-of.glb'), '--bones', '6', '--animation', 'turn2');
    expect(one.result.clips).toHaveLength(1);
  });

  it('warns of weights that viewers leave out', async () => {
    const { err } = await run([at('bar.glb'), at('six.glb'), '--bones', '8', '--influences', '6', '--json']);
    expect(err).toMatch(/^note: vertices have up to [56] weights; three\.js and other viewers read only four\n$/);
  });

  it('says which number of bones it took where none was asked for, or too many', async () => {
    const plain = await run([clip(), at('plain.glb'), '--json']);
    expect(plain.err).toMatch(/^note: using 20 bones, the default; give --bones or --max-error to change it\n/);
    expect(JSON.parse(plain.out)).toMatchObject({ options: { bones: 20 }, result: { bones: 20 } });
    await writeFile(at('t1.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    await writeFile(at('t2.obj'), 'v 0 0 0\nv 1 0 1\nv 0 2 0\nf 1 2 3\n');
    const tiny = await run([at('t?.obj'), at('tiny.glb'), '--bones', '9', '--json']);
    expect(tiny.status, tiny.err).toBe(0);
    expect(tiny.err).toMatch(/^note: the input has only 3 distinct vertices; using 3 bones instead of 9\n$/);
    expect(JSON.parse(tiny.out).result.bones).toBe(3);
  });
});

describe('decompose --max-error', () => {
  it('is a gate with --bones: status 3, and the file all the same', async () => {
    const words = [at('bar.glb'), at('gate.glb'), '--bones', '2', '--report', at('gate.json')];
    const { status, err } = await run([...words, '--max-error', '1mm', '--quiet']);
    expect(status).toBe(3);
    expect(err).toMatch(/^ossify: .*gate\.glb: the vertex error .* exceeds the maximum of 0\.001 (m|file units)\n$/);
    expect(existsSync(at('gate.glb'))).toBe(true);
    const { result, options } = JSON.parse(await readFile(at('gate.json'), 'utf8'));
    expect(result.gate).toMatchObject({ maxError: 0.001, isMet: false });
    expect(options.maxError).toBe('1mm');
    expect((await run([...words, '--max-error', '100%', '--quiet'])).status).toBe(0);
  });

  it('is a target without: the fewest bones that hold it in the file', async () => {
    const { result } = await json(at('bar.glb'), at('target.glb'), '--max-error', '2%', '--keys');
    expect(result.gate.isMet).toBe(true);
    expect(result.bones).toBeGreaterThan(1);
    const fewer = await run([
      at('bar.glb'),
      at('t.glb'),
      '--bones',
      String(result.bones - 1),
      '--max-error',
      '2%',
      '--quiet',
    ]);
    expect(fewer.status, fewer.err).toBe(3);
  });
});

describe('decompose with parts given', () => {
  it('keeps the bones of a rig and solves weights', async () => {
    const words = [clip(), at('rigged.glb'), '--fps', '30', '--skeleton', at('bar.glb')];
    const { result, metrics, inputs } = await json(...words);
    expect(inputs).toHaveLength(2);
    const rig = await readAsset([{ name: 'bar.glb', bytes: await readFile(at('bar.glb')) }]);
    const made = await readAsset([{ name: 'rigged.glb', bytes: await readFile(at('rigged.glb')) }]);
    expect(made.rig!.skeleton.names).toEqual(rig.rig!.skeleton.names);
    expect(result.bones).toBe(rig.rig!.skeleton.names.length);
    expect(metrics.eRms).toBeLessThan(0.1);
  });

  it('keeps the bones of a rig with sma, whose weights are solved one vertex at a time', async () => {
    const words = [clip(), at('sma.glb'), '--fps', '30', '--method', 'sma', '--skeleton', at('bar.glb')];
    const { result, metrics } = await json(...words);
    const rig = await readAsset([{ name: 'bar.glb', bytes: await readFile(at('bar.glb')) }]);
    expect(result.bones).toBe(rig.rig!.skeleton.names.length);
    expect(metrics.eRms).toBeLessThan(1);
    const { status, err } = await captureCli(['decompose', ...words, '--weights-by', 'tsvd', '--quiet']);
    expect([status, err]).toEqual([2, expect.stringContaining('adds bones for negative weights')]);
  });

  it('keeps weights and solves the motion; locked vertices keep theirs while others change', async () => {
    const { metrics } = await json(clip(), at('moved.glb'), '--fps', '30', '--weights', at('bar.glb'));
    expect(metrics.eRms).toBeLessThan(0.5);
    const sample = makeSample('bar-bend', { resolution: 300, frames: 10 });
    const count = sample.clip.mesh.positions.length / 3;
    const values = Float32Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 1 : 0));
    const mesh = { ...sample.clip.mesh, attributes: [{ name: '_LOCKED', size: 1, values }] };
    const skinned = { ...skinnedOfSample(sample)!, mesh };
    await writeFile(
      at('locked.glb'),
      await writeGlb({ ...assetOfSample(sample), mesh }, { kind: 'skin', model: skinned }),
    );
    const locked = await json(
      clip(),
      at('half.glb'),
      '--fps',
      '30',
      '--weights',
      at('locked.glb'),
      '--locked',
      'LOCKED',
    );
    expect(locked.metrics.eRms).toBeLessThan(0.5);
    const [given, kept] = await Promise.all(
      ['locked.glb', 'half.glb'].map(async (name) => readAsset([{ name, bytes: await readFile(at(name)) }])),
    );
    const rowOf = ({ rig }: typeof given, i: number) =>
      [...rig!.skin.weights.subarray(rig!.skin.rowStart[i], rig!.skin.rowStart[i + 1])].filter((w) => w > 1e-6);
    for (let i = 0; i < count; i += 2) {
      const [a, b] = [rowOf(given, i), rowOf(kept, i)];
      expect(b.length).toBe(a.length);
      for (let e = 0; e < a.length; e++) expect(b[e]).toBeCloseTo(a[e], 5);
    }
  });
});

describe('decompose, cut short', () => {
  it('writes the best so far when interrupted, status 130', async () => {
    const interrupt = new AbortController();
    let err = '';
    const status = await runCli(['decompose', at('parts.glb'), at('cut.glb'), '--bones', '20'], {
      stdout: { write: () => undefined, isTerminal: false },
      stderr: {
        write: (text) => {
          err += text;
          if (/cluster .*E_RMS [\d.]+/.test(text)) interrupt.abort();
        },
        isTerminal: true,
        columns: 80,
      },
      environment: {},
      signal: interrupt.signal,
    });
    expect(status, err).toBe(130);
    expect(err).toContain('note: interrupted; writing the best result so far');
    const asset = await readAsset([{ name: 'cut.glb', bytes: await readFile(at('cut.glb')) }]);
    expect(asset.rig!.skeleton.names).toHaveLength(20);
  });

  it('ends in time where one is given, status 0', async () => {
    const { result } = await json(at('parts.glb'), at('quick.glb'), '--bones', '20', '--time', '0.001');
    expect(result).toMatchObject({ status: 'stopped', bones: 20 });
  });
});

describe('decompose --for size', () => {
  it('writes a smaller file that meets the error, and reports where the bytes went', async () => {
    const small = await json(at('creature.glb'), at('small.glb'), '--for', 'size', '--kg', '4');
    expect(small.result.gate).toMatchObject({ of: 'rms', isMet: true });
    expect(small.metrics.distortion).toBeLessThanOrEqual(4);
    const { bones, size } = small.result;
    const plain = await json(at('creature.glb'), at('plain.glb'), '--bones', String(bones), '--quantize', '--meshopt');
    expect(small.bytes.file).toBeLessThan(plain.bytes.file / 2);
    expect(Object.values(size.parts as Record<string, number>).reduce((sum, n) => sum + n)).toBe(small.bytes.file);
    const compared = await captureCli(['compare', at('creature.glb'), at('small.glb'), '--json']);
    expect(compared.err).toContain('they were matched by position');
    expect(JSON.parse(compared.out).metrics.distortion).toBeCloseTo(small.metrics.distortion, 3);
  });

  it('meets a largest error too', async () => {
    const { result, metrics } = await json(clip(), at('max.glb'), '--for', 'size', '--max-error', '3%');
    expect(result.gate.isMet).toBe(true);
    expect(metrics.maxPercent).toBeLessThanOrEqual(3);
  });

  it('refuses options that it chooses itself, and an error of zero', async () => {
    const words = [clip(), at('x.glb'), '--for', 'size'];
    expect(await run([...words, '--meshopt'])).toMatchObject({
      status: 2,
      err: expect.stringContaining('--meshopt: cannot be used with --for size'),
    });
    expect((await run([...words, '--rms', '0'])).err).toContain('--rms: must be above zero');
    expect((await run([...words, '--corrections', '3'])).status).toBe(2);
  });
});
