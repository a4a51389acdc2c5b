// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lightInto } from '../../../deformers/light/light-into.ts';
import { sampleLightInto } from '../../../deformers/light/sample-light.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { packGlb } from '../../../formats/gltf/document/pack-glb.ts';
import { splitGlb } from '../../../formats/gltf/document/split-glb.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import type { Report } from '../../engine/report/report.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli([...words, '--threads', '1']);
const report = async (...words: string[]): Promise<Report> => {
  const { out, err } = await run(...words, '--json');
  if (out === '') throw new Error(err);
  return JSON.parse(out) as Report;
};
const open = async (name: string) => readAsset([{ name, bytes: new Uint8Array(await readFile(at(name))) }]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-light-'));
  const small = ['--resolution', '200', '--frames', '6', '--quiet'];
  await run('sample', 'quadruped', at('rig.glb'), ...small);
  await run('sample', 'sheet', at('sheet.obj'), ...small);
  await run('sample', 'sheet', at('sheet.pc2'), ...small);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('ossify light', () => {
  it.each([
    ['occlusion'],
    ['transfer', '--ground'],
    ['prelit', '--ground', '0.5', '--sun', '30,20', '--quantize'],
    ['occlusion', '--meshopt', '--quantize'],
  ])('writes %s %s %s that is measured from the file and valid', async (kind, ...words) => {
    const { result, bytes } = await report(
      'light',
      at('rig.glb'),
      at('lit.glb'),
      '--kind',
      kind,
      '--rays',
      '16',
      ...words,
    );
    const errors = result.relativeErrors as number[];
    expect(result.kind).toBe(kind);
    expect(errors.length).toBe(Number(result.rank) + 1);
    for (let r = 1; r < errors.length; r++) expect(errors[r]).toBeLessThanOrEqual(errors[r - 1]);
    expect(Math.abs(Number(result.relativeError) - errors.at(-1)!)).toBeLessThan(1e-4);
    expect(bytes.light).toBeGreaterThan(0);
    const { issues } = await validateBytes(new Uint8Array(await readFile(at('lit.glb'))));
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
  });

  it('stores the mean light as vertex colours', async () => {
    await report('light', at('rig.glb'), at('lit.glb'), '--rays', '16', '--rank', '3');
    const { light, mesh } = await open('lit.glb');
    const mean = new Float32Array(light!.rank);
    sampleLightInto(light!, undefined, 0, mean);
    const expected = new Float32Array(mesh.positions.length);
    lightInto(light!, mean, expected);
    const colors = mesh.attributes.find(({ name }) => name === 'COLOR_0')!.values;
    expected.forEach((x, c) => {
      expect(colors[c]).toBeCloseTo(Math.min(1, x), 5);
    });
  });

  it('keeps bones, weights and motion, and lights a lit file as if it were not lit', async () => {
    await report('light', at('rig.glb'), at('once.glb'), '--rays', '16', '--kind', 'prelit');
    await report('light', at('once.glb'), at('twice.glb'), '--rays', '16', '--kind', 'prelit');
    const [rig, once, twice] = await Promise.all(['rig.glb', 'once.glb', 'twice.glb'].map(open));
    expect(once.rig!.skin).toEqual(rig.rig!.skin);
    expect(once.animations.length).toBe(rig.animations.length);
    expect(twice.light).toEqual(once.light);
    expect(twice.mesh.attributes).toEqual(once.mesh.attributes);
  });

  it('gives the same bytes on one thread and on two', async () => {
    const words = ['light', at('rig.glb'), '--rays', '16', '--quiet'];
    await captureCli([...words, at('one.glb'), '--threads', '1']);
    await captureCli([...words, at('two.glb'), '--threads', '2']);
    expect(await readFile(at('two.glb'))).toEqual(await readFile(at('one.glb')));
  });

  it('holds the mean light in animations that were not chosen', async () => {
    await report('light', at('rig.glb'), at('lit.glb'), '--rays', '8', '--frames', '1:3', '--animation', '0');
    const { light } = await open('lit.glb');
    expect(light!.tracks[0].times.length).toBe(3);
  });

  it('gives a rig without animations the mean light of poses within joint ranges, as vertex colours alone', async () => {
    const { json, binary } = splitGlb(new Uint8Array(await readFile(at('rig.glb'))));
    const still = JSON.parse(JSON.stringify(json)) as { animations?: unknown };
    delete still.animations;
    await writeFile(at('still.glb'), packGlb(still as never, binary!));
    const words = ['--rays', '16', '--rank', '3', '--kind', 'occlusion'];
    const { result } = await report('light', at('still.glb'), at('still-lit.glb'), ...words);
    expect(result).toMatchObject({ poses: 'ranges', poseCount: 48, frames: 48 });
    expect(Number(result.relativeError)).toBeGreaterThan(0.005);
    const { light, mesh, source, animations } = await open('still-lit.glb');
    expect([light, source!.json.extensionsUsed, animations]).toEqual([undefined, undefined, []]);
    // stiff joints: the mean is the light of the rest pose
    await writeFile(at('stiff.json'), JSON.stringify({ '*': 0 }));
    const ranges = ['--ranges', at('stiff.json')];
    const stiff = await report('light', at('still.glb'), at('stiff-lit.glb'), ...words, ...ranges);
    expect(Number(stiff.result.relativeError)).toBeLessThan(1e-3);
    const [colors, others] = [mesh, (await open('stiff-lit.glb')).mesh].map(
      ({ attributes }) => attributes.find(({ name }) => name === 'COLOR_0')!.values,
    );
    expect(Math.max(...colors.map((x, c) => Math.abs(x - others[c])))).toBeGreaterThan(0.05);
    const { issues } = await validateBytes(new Uint8Array(await readFile(at('still-lit.glb'))));
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
  });

  it.each([
    [['sheet.obj'], 'has no skin to light; decompose its motion first'],
    [['sheet.obj+sheet.pc2'], 'has no skin to light; decompose its motion first'],
    [['rig.glb', '--kind', 'transfer', '--sun', '10'], 'give azimuth and elevation in degrees'],
    [['rig.glb', '--kind', 'occlusion', '--sun', '10,20'], 'requires --kind transfer or prelit'],
    [['rig.glb', '--max-memory', '1kB'], 'memory'],
    [['rig.glb', '--frames', '99:'], 'frame 99 does not exist'],
  ])('refuses %j with one sentence', async ([input, ...words], fault) => {
    const name = input.split('+').map(at).join('+');
    const { status, err } = await run('light', name, at('never.glb'), ...words);
    expect(status).toBeGreaterThan(0);
    expect(err).toContain(fault);
    expect(err.trim().split('\n').length).toBeLessThan(4);
  });
});
