// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli(['convert', ...words]);
/** Little work: what is tested here is the command. */
const QUICK = ['--samples', '4', '--iterations', '2', '--order', '2', '--poses', '10', '--threads', '1'];
/** A clip has its own poses. */
const QUICK_CLIP = ['--iterations', '2', '--order', '2', '--threads', '1'];
const json = async (...words: string[]) => {
  const { status, out, err } = await run(...words, '--json', '--quiet');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const open = async (path: string) => readAsset([{ name: path, bytes: new Uint8Array(await readFile(path)) }]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-convert-'));
  for (const [sample, output] of [
    ['bar-bend', 'bar.glb'],
    ['bar-bend', 'bar.pc2'],
    ['sheet', 'sheet.glb'],
  ]) {
    const { status, err } = await captureCli(['sample', sample, at(output), '--resolution', '150', '--frames', '8']);
    expect(status, err).toBe(0);
  }
  const mushed = await captureCli(['mush', at('bar.glb'), at('mushed.glb'), '--quiet']);
  expect(mushed.status, mushed.err).toBe(0);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('convert', () => {
  it('has a time limit, which is noted where it ends the solve', async () => {
    const short = await run(at('mushed.glb'), at('short.glb'), ...QUICK, '--time', '1e-6', '--json');
    expect([short.status, short.err]).toEqual([0, expect.stringContaining('stopped after 1e-6 s')]);
    expect(JSON.parse(short.out)).toMatchObject({ options: { time: 1e-6 }, result: { status: 'stopped' } });
    const whole = await json(at('mushed.glb'), at('whole.glb'), ...QUICK, '--helpers', '1');
    expect(whole).toMatchObject({ options: { time: 300 }, result: { status: 'converged' } });
  });

  it('turns delta mush into plain bones with keys, controllers and a report', async () => {
    const report = await json(
      ...[at('mushed.glb'), at('out.glb'), ...QUICK, '--helpers', '2', '--report', at('report.json')],
      ...['--controllers', at('out.json'), '--drivers', 'blender'],
    );
    const { result, metrics } = report;
    expect(JSON.parse(await readFile(at('report.json'), 'utf8'))).toMatchObject({ command: 'convert', metrics });
    expect(result).toMatchObject({ helpers: 2, testPoses: 10, status: 'converged', transforms: 'similarity' });
    expect(metrics.alpha).toBeGreaterThan(0);
    expect(metrics.alpha).toBeLessThan(result.lbs.alpha);
    expect(result.baked).toBeLessThan(1e-4);
    expect(result.controllers.length).toBe(2);
    const file = new Uint8Array(await readFile(at('out.glb')));
    const { messages } = (await validateBytes(file)).issues;
    expect(messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const asset = await open(at('out.glb'));
    expect(asset.ddm).toBeUndefined();
    expect(asset.helpers!.length).toBe(2);
    const controllers = JSON.parse(await readFile(at('out.json'), 'utf8'));
    expect(controllers.helpers.map(({ name }: { name: string }) => name)).toEqual(
      result.controllers.map(({ name }: { name: string }) => name),
    );
    const script = await readFile(at('out.blender.py'), 'utf8');
    expect(script).toContain('import bpy');
    expect(script).not.toMatch(/@FILE|@DATA/);
  });

  it('converts what it wrote once more, and other commands play it', async () => {
    const first = await run(at('mushed.glb'), at('first.glb'), ...QUICK, '--helpers', '1');
    expect(first.status, first.err).toBe(0);
    expect(first.out).toContain('1 helper');
    const { result } = await json(at('first.glb'), at('second.glb'), ...QUICK, '--helpers', '1');
    expect(result.helpers).toBe(1);
    expect((await open(at('second.glb'))).helpers!.length).toBe(1);
    const compared = await captureCli(['compare', at('mushed.glb'), at('first.glb'), '--json']);
    expect(compared.status, compared.err).toBe(0);
  });

  it('says that a plain skin needs no helpers, and writes none', async () => {
    const { status, err } = await run(at('bar.glb'), at('plain.glb'), ...QUICK);
    expect([status, err]).toEqual([0, 'note: the joints alone reproduce the shape; no helper was added\n']);
    const { helpers, rig } = await open(at('plain.glb'));
    expect([helpers, rig!.skeleton.names.length]).toEqual([undefined, 6]);
  });

  it('takes sample rigs by name', async () => {
    const { metrics, result } = await json('sample:delta-mush-pole', at('pole.glb'), ...QUICK, '--helpers', '0');
    expect(result.helpers).toBe(0);
    expect(metrics.alpha).toBeLessThan(result.lbs.alpha);
    const { status, err } = await run('sample:unicorn', at('x.glb'));
    expect([status, err.split('\n').length]).toEqual([2, 2]);
    expect(err).toContain('there is no rig "unicorn"');
  });

  it('takes a clip with the bones that moved in it', async () => {
    const clip = `${at('bar.obj')}+${at('bar.pc2')}`;
    const report = await json(
      clip,
      at('clip.glb'),
      ...QUICK_CLIP,
      '--helpers',
      '1',
      '--skeleton',
      at('bar.glb'),
      '--fps',
      '30',
    );
    expect(report.metrics.alpha).toBeLessThan(1);
    expect((await open(at('clip.glb'))).animations.length).toBe(1);
    const { status, err } = await run(
      clip,
      at('late.glb'),
      ...QUICK_CLIP,
      '--helpers',
      '0',
      '--skeleton',
      at('bar.glb'),
    );
    expect([status, err.includes('give --fps')], err).toEqual([0, true]);
  });

  it('refuses a skeleton that has nothing to do with the clip, and says when some joints have not', async () => {
    for (const output of ['creature.glb', 'creature.pc2'])
      await captureCli(['sample', 'creature', at(output), '--resolution', '150', '--frames', '8']);
    const [bar, creature] = ['bar', 'creature'].map((name) => `${at(`${name}.obj`)}+${at(`${name}.pc2`)}`);
    for (const [command, ...quick] of [
      ['convert', ...QUICK_CLIP, '--helpers', '0'],
      ['decompose', '--iterations', '1', '--threads', '1'],
    ]) {
      const give = (clip: string, fps: string) =>
        captureCli([command, clip, at('other.glb'), '--skeleton', at('creature.glb'), '--fps', fps, ...quick]);
      const { status, err } = await give(bar, '30');
      expect([status, err.trim().split('\n')]).toEqual([
        1,
        [expect.stringMatching(/creature\.glb: none of its 30 moving joints matches the motion of any vertex; give/)],
      ]);
      const late = await give(creature, '24');
      expect(late.err).toMatch(
        /note: only 1\d of the 30 moving joints of .*creature\.glb match the motion of some vertex/,
      );
      expect(late.status).toBe(0);
      expect((await give(creature, '30')).err).not.toContain('moving joints');
    }
  });

  it('holds an error, or says that it does not', async () => {
    const close = await run(at('mushed.glb'), at('gate.glb'), ...QUICK, '--helpers', '0', '--max-error', '0.0001%');
    expect(close.status).toBe(3);
    expect(close.err).toContain('the vertex error');
    const { result } = await json(at('mushed.glb'), at('held.glb'), ...QUICK, '--max-error', '20%');
    expect(result.gate.isMet).toBe(true);
    expect(result.tried[0].helpers).toBe(0);
  });

  it('reports the transforms that were used', async () => {
    const words = [at('mushed.glb'), at('dual.glb'), ...QUICK, '--helpers', '1', '--target', 'dual-quaternion'];
    const { result, options } = await json(...words);
    expect([result.transforms, options.transforms]).toEqual(['rigid', 'rigid']);
    const { status, err } = await run(...words, '--transforms', 'similarity');
    expect([status, err]).toEqual([2, expect.stringContaining('--transforms: must be rigid with --target')]);
  });

  it('writes the script for Blender beside a file of any format', async () => {
    const words = [at('mushed.glb'), at('other.fbx'), ...QUICK, '--helpers', '1', '--drivers', 'blender'];
    const { files } = await json(...words);
    expect(files.map(({ path }: { path: string }) => path)).toEqual([at('other.fbx'), at('other.blender.py')]);
  });

  it('refuses options that its path does not read', async () => {
    const clip = [`${at('bar.obj')}+${at('bar.pc2')}`, at('x.glb'), '--skeleton', at('bar.glb')];
    const cases: [string[], RegExp][] = [
      [
        [at('bar.glb'), at('x.glb'), '--animation', 'nosuch'],
        /--animation: there is no animation "nosuch"; the file has/,
      ],
      [[at('bar.glb'), at('x.glb'), '--frames', '0:9:2'], /--frames: keeps keys, so it has no step here/],
      [[at('bar.glb'), at('x.glb'), '--rate', '5'], /--rate: applies to clips; a rig keeps the keys/],
      [[at('bar.glb'), at('x.glb'), '--pairs', '3'], /--pairs: applies to morph targets/],
      [
        ['sample:delta-mush-pole', at('x.glb'), '--skeleton', at('bar.glb')],
        /--skeleton: has no effect on a sample rig/,
      ],
      [[...clip, '--samples', '4'], /--samples: applies to rigs/],
      [[...clip, '--animation', 'nosuch'], /--animation: there is no animation "nosuch"/],
    ];
    for (const [words, message] of cases) {
      const { status, err } = await run(...words);
      expect([status, err]).toEqual([2, expect.stringMatching(message)]);
    }
  });

  it('refuses bad input in one sentence', async () => {
    await writeFile(at('bad.json'), '{ "bone_1": [30, -30] }');
    await writeFile(at('stranger.json'), '{ "tail": 30 }');
    await writeFile(at('drivers.json'), '[{ "joints": ["x"] }]');
    const cases: [string[], number, RegExp][] = [
      [[at('bar.glb'), at('x.obj')], 2, /must end in \.glb/],
      [[at('bar.glb'), at('x.glb'), '--helpers', '-1'], 2, /helpers/],
      [[at('bar.glb'), at('x.glb'), '--order', '9'], 2, /order/],
      [[at('bar.glb'), at('x.glb'), '--max-error', '0'], 2, /no conversion is exact/],
      [[at('sheet.glb'), at('x.glb'), '--helpers', '2'], 2, /applies to rigs/],
      [[at('bar.glb'), at('x.glb'), '--ranges', at('stranger.json')], 1, /no bone "tail"/],
      [[at('bar.glb'), at('x.glb'), '--around', 'tail'], 1, /no joint named "tail"/],
      [[at('bar.glb'), at('x.glb'), '--morph-drivers', at('drivers.json')], 1, /drivers\.json: .*(format|object)/],
      [[at('bar.glb'), at('x.glb'), '--ranges', at('missing.json')], 1, /missing\.json/],
    ];
    for (const [words, status, message] of cases) {
      const found = await run(...words, ...(words.includes('--order') ? [] : QUICK));
      expect([found.status, found.err.trim().split('\n').length], `${words.join(' ')}: ${found.err}`).toEqual([
        status,
        1,
      ]);
      expect(found.err).toMatch(message);
    }
    const { names } = (await open(at('bar.glb'))).rig!.skeleton;
    await writeFile(at('bad.json'), JSON.stringify({ [names[1]]: [30, -30] }));
    const { status, err } = await run(at('bar.glb'), at('x.glb'), ...QUICK, '--ranges', at('bad.json'));
    expect(status).toBe(1);
    expect(err).toContain('rising pair');
  });
});
