// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { makeDdm } from '../../../deformers/direct-delta-mush/make-ddm.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { packGlb } from '../../../formats/gltf/document/pack-glb.ts';
import { splitGlb as parseGlb } from '../../../formats/gltf/document/split-glb.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

const DATA = process.env.OSSIFY_DATA ?? '../shared';
const RIGS = join(DATA, 'rigs');
let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli(['mush', ...words]);
const json = async (...words: string[]) => {
  const { status, out, err } = await run(...words, '--json', '--quiet');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const open = async (path: string) => readAsset([{ name: path, bytes: new Uint8Array(await readFile(path)) }]);

/** Runs a line once for all tests that read its files and its report. */
const runs = new Map<string, ReturnType<typeof captureCli>>();
function share(...words: string[]): ReturnType<typeof captureCli> {
  const line = words.join(' ');
  const made = runs.get(line) ?? run(...words);
  runs.set(line, made);
  return made;
}
const reportOf = async (name: string) => JSON.parse(await readFile(at(name), 'utf8'));
/** The creature with default settings, and with a strength of 20; the bar. */
const shareCreature = () => share(at('creature.glb'), at('full.glb'), '--threads', '2', '--report', at('full.json'));
const shareStrong = () =>
  share(at('creature.glb'), at('strong.glb'), '--lambda', '20', '--json', '--quiet', '--report', at('strong.json'));
const shareBar = () => share(at('bar.glb'), at('bar-mushed.glb'), '--report', at('bar.json'));

/** How far a file's Direct Delta Mush moves its rest shape in the identity pose, in parts of the size. */
async function measureIdentity(path: string): Promise<number> {
  const { ddm, mesh } = await open(path);
  const posed = new Float64Array(mesh.positions.length);
  makeDdm(ddm!).deformInto({ bones: makeIdentities(ddm!.skeleton.names.length) }, posed);
  const far = posed.reduce((most, x, c) => Math.max(most, Math.abs(x - mesh.positions[c])), 0);
  return far / measureBounds(mesh.positions).diagonal;
}

/** Errors and warnings of the validator. */
async function countFaults(bytes: Uint8Array): Promise<[number, number]> {
  const { messages } = (await validateBytes(bytes)).issues;
  const count = (severity: number) => messages.filter((message) => message.severity === severity).length;
  return [count(0), count(1)];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-mush-'));
  for (const [sample, file] of [
    ['creature', 'creature.glb'],
    ['bar-bend', 'bar.glb'],
    ['parts', 'parts.glb'],
    ['sheet', 'sheet.glb'],
  ]) {
    const words = ['sample', sample, at(file), '--resolution', '500', '--frames', '8'];
    const { status, err } = await captureCli(words);
    expect(status, err).toBe(0);
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('mush', () => {
  it('writes a file that plays as the model does, and reports what it measured', async () => {
    const { status, out, err } = await shareStrong();
    expect([status, err]).toEqual([0, '']);
    const report = JSON.parse(out);
    expect(await reportOf('strong.json')).toMatchObject({
      command: 'mush',
      options: { variant: 0, iterations: 20, alpha: 0.9, map: 'distance', bind: 'rigid', method: 'implicit' },
      result: report.result,
    });
    expect(report.metrics.maxOfHeight).toBeLessThan(1e-3);
    expect(report.metrics.ddmVsLbs).toBeGreaterThan(0.01);
    expect(report.result).toMatchObject({ variant: 0, settings: { iterations: 20, lambda: 20, kappa: 1, alpha: 0.9 } });
    expect(report.result.entriesPerVertex).toBeGreaterThan(1);
    expect(report.result.plain.influences).toBe(4);
    expect(report.result.plain.rmseOfHeight).toBeGreaterThan(report.metrics.rmseOfHeight);
    expect(report.result.dropped.maxOfHeight).toBeLessThan(0.2);
    const bytes = new Uint8Array(await readFile(at('strong.glb')));
    expect(report.bytes.file).toBe(bytes.length);
    expect(report.bytes.ddm).toBeLessThan(bytes.length);
    expect(await countFaults(bytes)).toEqual([0, 0]);
    expect(await measureIdentity(at('strong.glb'))).toBeLessThan(1e-6);
  });

  it('says in words what it did', async () => {
    const { status, out, err } = await shareCreature();
    expect([status, err]).toEqual([0, '']);
    for (const words of [/after .*variant 0, .* entries per vertex/, /^written /m, /^plain skin /m, /^own skin /m])
      expect(out).toMatch(words);
    expect(out).not.toContain('uncompressed');
    // numbers are counted before compression, and may take more than the file
    expect((await run(at('creature.glb'), at('said.glb'), '--meshopt')).out).toMatch(
      /after .* per vertex \(.* uncompressed\)/,
    );
  });

  it('stores half the bytes with --quantize, and says what that costs', async () => {
    await shareCreature();
    const full = await reportOf('full.json');
    const half = await json(at('creature.glb'), at('half.glb'), '--quantize');
    expect(half.bytes.ddm).toBeLessThan(0.6 * full.bytes.ddm);
    expect(half.metrics.max).toBeGreaterThan(full.metrics.max);
    expect(half.metrics.maxOfHeight).toBeLessThan(0.05);
    expect(await measureIdentity(at('half.glb'))).toBeLessThan(1e-6);
  });

  it('gives the same bytes whatever the number of threads', async () => {
    await json(at('creature.glb'), at('one.glb'), '--threads', '1');
    await shareCreature();
    expect(await readFile(at('full.glb'))).toEqual(await readFile(at('one.glb')));
  });

  it('takes a skin that decompose made, and parts with seams', async () => {
    const { status, err } = await captureCli(['decompose', at('sheet.glb'), at('skin.glb'), '--bones', '5', '--quiet']);
    expect([status, err]).toEqual([0, '']);
    for (const file of ['skin.glb', 'parts.glb']) {
      await json(at(file), at('mushed.glb'), '--quantize', '--meshopt');
      expect(await measureIdentity(at('mushed.glb')), file).toBeLessThan(1e-6);
    }
  });

  it('takes strengths from vertex attributes', async () => {
    const { json: gltf, binary } = parseGlb(new Uint8Array(await readFile(at('creature.glb'))));
    const def = gltf as { accessors: { count: number }[]; meshes: { primitives: { attributes: Json }[] }[] };
    // all zeros: an accessor without a view
    const { attributes } = def.meshes[0].primitives[0];
    const { count } = def.accessors[attributes.POSITION];
    attributes._HELD = def.accessors.push({ componentType: 5126, type: 'SCALAR', count } as never) - 1;
    await writeFile(at('painted.glb'), packGlb(def, binary));
    const held = await json(at('painted.glb'), at('held.glb'), '--lambda', '20*_HELD', '--alpha', '_HELD');
    expect(held.result.entriesPerVertex).toBe(1);
    const unknown = await run(at('painted.glb'), at('no.glb'), '--kappa', '_SOFT');
    expect([unknown.status, unknown.err]).toEqual([
      2,
      'ossify: --kappa: the file has no vertex attribute "_SOFT"; it has _HELD\n',
    ]);
  });

  it.each<[string[], number, RegExp]>([
    [['--lambda', '0'], 2, /'--lambda <value>' argument '0' is invalid. Give a number above 0/],
    [['--lambda', '-3'], 2, /--lambda/],
    [['--lambda', '1e20'], 2, /Give a number above 0, up to 1000000/],
    [['--reach', '1e20'], 2, /Give a number above 0, up to 10\./],
    [['--reach', '0.1', '--lambda', '20'], 2, /--reach: cannot be combined with --lambda/],
    [['--reach', '0'], 2, /--reach/],
    [['--alpha', '1'], 2, /'--alpha <value>' argument '1' is invalid/],
    [['--alpha', '-0.1'], 2, /--alpha/],
    [['--kappa', '21'], 2, /--kappa: must not exceed --lambda, got 21 and 20/],
    [['--iterations', '0'], 2, /--iterations/],
    [['--variant', '6'], 2, /--variant/],
    [['--method', 'explicit', '--lambda', '2'], 2, /--lambda: must be at most 1 with explicit smoothing/],
    [['--lambda', '!'], 2, /Give a number or a vertex attribute/],
    [['--map', '_SOFT'], 2, /--map: the file has no vertex attribute "_SOFT"/],
  ])('refuses %j in one sentence', async (words, status, message) => {
    const result = await run(at('bar.glb'), at('bad.glb'), ...words);
    expect(result.status).toBe(status);
    expect(result.err).toMatch(message);
    expect(result.err.trim().split('\n')).toHaveLength(1);
    expect(existsSync(at('bad.glb'))).toBe(false);
  });

  it('refuses files that it cannot mush, by name', async () => {
    const still = await run(at('sheet.glb'), at('bad.glb'));
    expect([still.status, still.err]).toEqual([
      1,
      `ossify: ${at('sheet.glb')}: the file has no skin; bind its mesh to bones first\n`,
    ]);
    await shareBar();
    const again = await run(at('bar-mushed.glb'), at('bad.glb'));
    expect(again.err).toContain('the file has it already; start from the rig that it was made of');
    const wrong = await run(at('bar.glb'), at('bad.obj'));
    expect([wrong.status, wrong.err]).toEqual([
      2,
      `ossify: mush: the output must end in .glb, .vrm, .gltf, .fbx, .usda, .usdc, .usdz, not "${at('bad.obj')}"\n`,
    ]);
  });

  it('reports the error of the plain skin for a format that holds nothing else', async () => {
    await shareBar();
    const { out } = await run(at('bar.glb'), at('plain.fbx'), '--report', at('plain.json'));
    const [whole, plain] = [await reportOf('bar.json'), await reportOf('plain.json')];
    expect(plain.metrics.rmse).toBeCloseTo(whole.result.plain.rmse, 12);
    expect(plain.metrics.rmse).toBeGreaterThan(100 * whole.metrics.rmse);
    expect(out).toContain('the plain skin against variant 0');
    expect(out).not.toContain('what other viewers show');
  });

  it('refuses bones that scale for the variants of quaternions, and takes them for the others', async () => {
    const { json: gltf, binary } = parseGlb(new Uint8Array(await readFile(at('bar.glb'))));
    const def = gltf as { nodes: { name: string; scale?: number[] }[]; skins: { joints: number[] }[] };
    def.nodes[def.skins[0].joints[2]].scale = [1, 1.5, 1];
    await writeFile(at('scaled.glb'), packGlb(def, binary));
    for (const variant of ['2', '4']) {
      const { status, err } = await run(at('scaled.glb'), at('bad.glb'), '--variant', variant);
      expect(status).toBe(1);
      expect(err).toMatch(/scaled, sheared or mirrored in this pose; use variant 0, 1, 3 or 5/);
    }
    for (const variant of ['0', '1', '3', '5'])
      expect((await json(at('scaled.glb'), at('ok.glb'), '--variant', variant)).metrics.maxOfHeight).toBeLessThan(1e-2);
  });
});

describe('other commands on a file of mush', () => {
  it('info says so, compare and draw play it, --plain plays the skin', async () => {
    await shareStrong();
    expect((await captureCli(['info', at('strong.glb')])).out).toMatch(
      /direct delta mush +variant 0, .*iterations 20, lambda 20, kappa 1, alpha 0.9/,
    );
    const distance = async (...words: string[]) =>
      JSON.parse((await captureCli(['compare', at('creature.glb'), at('strong.glb'), '--json', ...words])).out).result
        .clips[0].metrics;
    const report = await reportOf('strong.json');
    expect((await distance()).rmseOfHeight).toBeCloseTo(report.metrics.ddmVsLbs, 5);
    expect((await distance('--plain')).rmseOfHeight).not.toBeCloseTo(report.metrics.ddmVsLbs, 3);
    const draw = async (out: string, ...words: string[]) => {
      const { status, err } = await captureCli([
        'draw',
        at('strong.glb'),
        at(out),
        '--frame',
        '4',
        '--size',
        '64x64',
        '--quiet',
        ...words,
      ]);
      expect(status, err).toBe(0);
      return readFile(at(out));
    };
    expect(await draw('a.png')).not.toEqual(await draw('b.png', '--plain'));
  });
});

type Json = Record<string, number>;

describe('rigs as people make them', () => {
  const rigs = [
    'CesiumMan',
    'Fox',
    'Michelle',
    'RecursiveSkeletons',
    'RiggedSimple',
    'RobotExpressive',
    'Xbot',
    'ninja',
  ];
  it.skipIf(!existsSync(RIGS)).each(rigs)(
    'keep their rest shape in the identity pose, and their own warnings only: %s (needs the data folder)',
    async (name) => {
      const input = join(RIGS, `${name}.glb`);
      // few steps and frames: the rigs are unusual, not the smoothing
      const report = await json(input, at(`${name}.glb`), '--quantize', '--iterations', '5', '--frames', '0:12');
      expect(await measureIdentity(at(`${name}.glb`))).toBeLessThan(1e-6);
      expect(report.metrics.maxOfHeight).toBeLessThan(0.1);
      const [, warnings] = await countFaults(new Uint8Array(await readFile(input)));
      const faults = await countFaults(new Uint8Array(await readFile(at(`${name}.glb`))));
      expect(faults[0]).toBe(0);
      expect(faults[1]).toBeLessThanOrEqual(warnings);
    },
    60_000,
  );
});

describe('skins that decompose gives to captured motion', () => {
  const clips = ['cat-poses', 'horse-collapse', 'pdance'];
  it.skipIf(!existsSync(join(DATA, 'datasets'))).each(clips)(
    'keep the rest shape in the identity pose, and give no warning: %s (needs the data folder)',
    async (name) => {
      const input = ['rest.obj', 'motion.pc2'].map((file) => join(DATA, 'datasets', name, file)).join('+');
      const words = ['--bones', '6', '--iterations', '1', '--frames', '0:4', '--quiet'];
      const { status, err } = await captureCli(['decompose', input, at('clip.glb'), ...words]);
      expect([status, err]).toEqual([0, '']);
      await json(at('clip.glb'), at('clip-mushed.glb'), '--iterations', '8');
      expect(await measureIdentity(at('clip-mushed.glb'))).toBeLessThan(1e-6);
      expect(await countFaults(new Uint8Array(await readFile(at('clip-mushed.glb'))))).toEqual([0, 0]);
    },
    60_000,
  );
});
