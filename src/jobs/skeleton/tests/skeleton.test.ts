// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const FAST = ['--iterations', '3', '--threads', '1'];
/** Passes find joints, which --hierarchy gives. */
const fastOf = (words: readonly string[]) => (words.includes('--hierarchy') ? FAST : [...FAST, '--passes', '2']);
const run = (...words: string[]) => captureCli(['skeleton', ...words, ...fastOf(words)]);
const json = async (...words: string[]) => {
  const { status, out, err } = await run(...words, '--json');
  expect(status, err).toBe(0);
  return JSON.parse(out);
};
const read = async (name: string) => readAsset([{ name, bytes: new Uint8Array(await readFile(at(name))) }]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-skeleton-'));
  for (const [sample, file, resolution, frames] of [
    ['bar-bend', 'bar.glb', '200', '10'],
    ['creature', 'creature.glb', '400', '8'],
    ['bar-bend', 'one.obj', '100', '1'],
  ]) {
    const words = ['sample', sample, at(file), '--resolution', resolution, '--frames', frames];
    const { status, err } = await captureCli(words);
    expect(status, err).toBe(0);
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('skeleton', () => {
  it('writes joints that only turn, under one root that also moves, and the validator finds nothing', async () => {
    const report = await json(at('creature.glb'), at('out.glb'), '--bones', '12', '--end-joints');
    expect(report).toMatchObject({
      command: 'skeleton',
      options: { method: 'multipass', bones: 12, influences: 4 },
      result: { method: 'multipass', bones: 12, bodies: 1, joints: 11, outside: 0, roots: ['root'] },
    });
    expect(report.metrics.rmsePercent).toBeCloseTo(report.result.rmsePercentSolved, 3);
    const bytes = new Uint8Array(await readFile(at('out.glb')));
    const { issues } = await validateBytes(bytes);
    expect(issues.messages).toEqual([]);
    const asset = await read('out.glb');
    const { skeleton, nodeOfBone } = asset.rig!;
    expect(skeleton.parents.filter((p) => p < 0)).toHaveLength(1);
    const root = nodeOfBone[skeleton.parents.indexOf(-1)];
    for (const { node, path } of asset.animations[0].tracks)
      expect(
        path === 'rotation' || (path === 'translation' && node === root),
        `${asset.nodes.names[node]} ${path}`,
      ).toBe(true);
    expect(skeleton.names.filter((name) => name.endsWith('_end')).length).toBeGreaterThan(2);
    const json1 = asset.source!.json as {
      nodes: { name: string; extras?: { jointLimits?: { rotation: number[][] } } }[];
    };
    const limited = json1.nodes.filter(({ extras }) => extras?.jointLimits);
    expect(limited).toHaveLength(12);
    for (const { extras } of limited) {
      expect(extras!.jointLimits!.rotation).toHaveLength(3);
      for (const [low, high] of extras!.jointLimits!.rotation) expect(low).toBeLessThan(high);
    }
  });

  it('says what it did, for people', async () => {
    const { status, out, err } = await run(at('bar.glb'), at('bar-out.glb'), '--bones', '6', '--bvh', at('bar.bvh'));
    expect(status, err).toBe(0);
    expect(out).toMatch(/6 bones/);
    expect(out).toMatch(/outside the body/);
    expect(out).toMatch(/root\n {2}mid1_1 > mid1_2/);
    expect(out).toMatch(/bar\.bvh/);
    const bvh = await readFile(at('bar.bvh'), 'utf8');
    expect(bvh).toMatch(/^HIERARCHY\nROOT root/);
    expect(bvh).toMatch(/Frames: 10\n/);
  });

  it('feeds the limits of its joints to compress', async () => {
    await json(at('bar.glb'), at('limits.glb'), '--bones', '4');
    const words = ['compress', at('limits.glb'), at('two.glb'), '--ranges', 'limits', '--virtual-bones', '12'];
    const { status, err } = await captureCli([...words, '--iterations', '1', '--quiet']);
    expect(status, err).toBe(0);
  });

  it('imposes the joints of a file, skinned or a list', async () => {
    const joints = [
      { name: 'tip', parent: 'base', position: [0, 0.9, 0] },
      { name: 'base', position: [0, 0.1, 0] },
    ];
    await writeFile(at('list.json'), JSON.stringify(joints));
    const report = await json(at('bar.glb'), at('two-bones.glb'), '--hierarchy', at('list.json'));
    expect(report.result).toMatchObject({ bones: 2, roots: ['base'] });
    const { skeleton } = (await read('two-bones.glb')).rig!;
    expect(skeleton.names).toEqual(['base', 'tip']);
    const again = await json(at('bar.glb'), at('again.glb'), '--hierarchy', at('two-bones.glb'));
    expect(again.result).toMatchObject({ bones: 2, roots: ['base'] });
    for (const [text, fault] of [
      ['[{"name":"a","position":[0,0,0]},{"name":"a","position":[0,0,0]}]', /two joints called "a"/],
      ['[{"name":"a","parent":"b","position":[0,0,0]}]', /parent of "a", "b", is not in the list/],
      ['[{"name":"a","parent":"b","position":[0,0,0]},{"name":"b","parent":"a","position":[0,0,0]}]', /own ancestor/],
      ['[{"name":"a","position":[0,0]}]', /position of "a" must be three numbers/],
      ['{', /is not JSON/],
      ['[]', /expected a list of joints/],
      ['[{"name":"a","position":[0,0,0]},{"name":"b","position":[0,0,0]}]', /has 2 roots/],
    ] as const) {
      await writeFile(at('bad.json'), text);
      const { status, err } = await run(at('bar.glb'), at('no.glb'), '--hierarchy', at('bad.json'));
      expect(status).toBe(1);
      expect(err).toMatch(fault);
    }
    expect(existsSync(at('no.glb'))).toBe(false);
  });

  it('notes what is odd about an input, in one sentence', async () => {
    const still = await run(`${at('one.obj')}+${at('one.obj')}`, at('still.glb'));
    expect([still.status, still.err]).toEqual([0, expect.stringMatching(/nothing moves; writing one bone/)]);
    const gate = await run(at('bar.glb'), at('gate.glb'), '--bones', '2', '--max-error', '0.0001%');
    expect(gate.status).toBe(3);
    expect(existsSync(at('gate.glb'))).toBe(true);
  });

  it('notes that --denoise found no noise, or has too few frames to find any', async () => {
    const words = [at('bar.glb'), at('clean.glb'), '--bones', '3', '--denoise', at('clean.pc2')];
    const clean = await run(...words);
    expect(clean.err).toMatch(/^note: --denoise: no noise was found; writing the frames of the skin as it is\n/);
    const few = await run(...words, '--frames', '0:3');
    expect(few.err).toMatch(/^note: --denoise: noise cannot be estimated from 4 frames, 6 are needed; writing the/);
  });

  it('refuses wrong usage before it starts', async () => {
    for (const [words, fault] of [
      [[at('bar.glb'), at('out.obj')], /must end in \.glb/],
      [[at('bar.glb'), at('o.glb'), '--bones', '0'], /--bones/],
      [[at('bar.glb'), at('o.glb'), '--method', 'magic'], /multipass/],
      [[at('bar.glb'), at('o.glb'), '--bvh', at('o.txt')], /must end in \.bvh/],
      [[at('bar.glb'), at('o.glb'), '--tidy', '--anywhere'], /--tidy: cannot be used with --anywhere/],
      [[at('bar.glb'), at('o.glb'), '--hierarchy', 'x.json', '--bones', '3'], /--bones/],
    ] as const) {
      const { status, err } = await run(...words);
      expect([status, err], words.join(' ')).toEqual([2, expect.stringMatching(fault)]);
    }
    const root = await run(at('bar.glb'), at('o.glb'), '--bones', '3', '--root', 'nobody');
    expect([root.status, root.err]).toEqual([1, expect.stringMatching(/no bone "nobody"/)]);
  });
});

const DATA = join(process.env.OSSIFY_DATA ?? '../shared', 'datasets/cat-poses');

describe('captured motion', () => {
  it.skipIf(!existsSync(DATA))(
    'of a cat becomes a skeleton as accurate as the table in docs/benchmarks/skeleton.md, joints inside (skipped where OSSIFY_DATA has no cat-poses)',
    async () => {
      const input = `${join(DATA, 'rest.obj')}+${join(DATA, 'motion.pc2')}`;
      const words = ['skeleton', input, at('cat.glb'), '--bones', '28', '--json', '--threads', '2'];
      const { status, out, err } = await captureCli(words);
      expect(status, err).toBe(0);
      const { metrics, result } = JSON.parse(out);
      expect(metrics.rmsePercent).toBeLessThan(0.24);
      expect(result.outside).toBeLessThanOrEqual(0.15 * result.joints);
    },
    240_000,
  );
});
