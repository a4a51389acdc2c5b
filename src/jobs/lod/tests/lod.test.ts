// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli([...words, '--quiet', '--threads', '1']);
const json = async (...words: string[]) => {
  const { status, out, err } = await run('lod', ...words, '--json');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const open = async (name: string) => readAsset([{ name, bytes: new Uint8Array(await readFile(at(name))) }]);
const checkValid = async (name: string) => {
  const { messages } = (await validateBytes(new Uint8Array(await readFile(at(name))))).issues;
  expect(messages.filter(({ severity }) => severity < 2)).toEqual([]);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-lod-'));
  const small = ['--resolution', '600', '--frames', '6'];
  await run('sample', 'creature', at('rig.glb'), ...small);
  await run('sample', 'sheet', at('sheet.obj'), ...small);
  await run('sample', 'sheet', at('sheet.pc2'), ...small);
  const clip = `${at('sheet.obj')}+${at('sheet.pc2')}`;
  for (const as of ['extension', 'morphs'])
    await run('decompose', clip, at(`${as}.glb`), '--bones', '4', '--corrections', '3', '--corrections-as', as);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('lod', () => {
  it('writes one level as a valid file with the animations and at most the weights of the input', async () => {
    const { result } = await json(at('rig.glb'), at('far.glb'), '--triangles', '300');
    await checkValid('far.glb');
    const [before, after] = [await open('rig.glb'), await open('far.glb')];
    expect(after.mesh.triangles.length / 3).toBe(result.levels[0].triangles);
    expect(result.levels[0].triangles).toBeLessThanOrEqual(300);
    expect(result.levels[0].triangles).toBeGreaterThan(290);
    expect(result.levels[0].maxPercent).toBeLessThan(5);
    expect(after.animations.map(({ name }) => name)).toEqual(before.animations.map(({ name }) => name));
    expect(maxInfluencesOf(after.rig!.skin)).toBeLessThanOrEqual(maxInfluencesOf(before.rig!.skin));
  });

  it('keeps precomputed light: every vertex of a level has that of its place', async () => {
    await run('light', at('rig.glb'), at('lit.glb'), '--rays', '16', '--rank', '3', '--kind', 'occlusion');
    await json(at('lit.glb'), at('lit-far.glb'), '--triangles', '300');
    await checkValid('lit-far.glb');
    const [before, after] = [await open('lit.glb'), await open('lit-far.glb')];
    const [full, level] = [before.light!, after.light!];
    expect(level.tracks).toEqual(full.tracks);
    const [all, some] = [before.mesh.positions.length / 3, after.mesh.positions.length / 3];
    expect(some).toBeLessThan(all);
    const rowsOf = ({ rank, basis }: typeof full, count: number) => {
      const width = basis.length / rank / count;
      return Array.from({ length: count }, (_, i) =>
        Array.from({ length: rank }, (__, r) =>
          basis.slice((r * count + i) * width, (r * count + i + 1) * width),
        ).join(),
      );
    };
    const known = rowsOf(full, all);
    // vertices of a level keep the order of the full mesh
    let from = 0;
    for (const row of rowsOf(level, some)) {
      from = known.indexOf(row, from);
      expect(from).toBeGreaterThanOrEqual(0);
    }
  });

  it('names no extension that nothing in the file has', async () => {
    await run('mush', at('rig.glb'), at('mush.glb'), '--iterations', '2');
    expect((await open('mush.glb')).source!.json.extensionsUsed).toContain('OSSIFY_direct_delta_mush');
    await json(at('mush.glb'), at('mush-far.glb'), '--triangles', '300');
    expect((await open('mush-far.glb')).source!.json.extensionsUsed ?? []).toEqual([]);
  });

  it('writes several levels with MSFT_lod, whose nodes share the skin, or a file per level', async () => {
    await json(at('rig.glb'), at('levels.glb'), '--levels', '0.5,0.2');
    await checkValid('levels.glb');
    const asset = await open('levels.glb');
    // readers without the extension show the full mesh
    expect(asset.mesh.triangles).toEqual((await open('rig.glb')).mesh.triangles);
    const { nodes, extensionsUsed } = asset.source!.json as {
      nodes: {
        skin?: number;
        mesh?: number;
        extensions?: { MSFT_lod?: { ids: number[] } };
        extras?: Record<string, number[]>;
      }[];
      extensionsUsed: string[];
    };
    expect(extensionsUsed).toContain('MSFT_lod');
    const node = nodes.find(({ extensions }) => extensions?.MSFT_lod)!;
    const { ids } = node.extensions!.MSFT_lod!;
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(nodes[id].skin).toBe(node.skin);
    const coverage = node.extras!.MSFT_screencoverage;
    expect(coverage).toHaveLength(3);
    expect([...coverage].sort((a, b) => b - a)).toEqual(coverage);
    // the extension survives another command
    await run('reduce', at('levels.glb'), at('reduced.glb'), '--influences', '2');
    expect(JSON.stringify((await open('reduced.glb')).source!.json)).toContain('MSFT_lod');

    const { files } = await json(at('rig.glb'), at('part.glb'), '--levels', '0.5,0.2', '--separate');
    expect(files.map(({ path }: { path: string }) => path)).toEqual([at('part-1.glb'), at('part-2.glb')]);
    expect((await open('part-2.glb')).mesh.triangles.length).toBeLessThan(
      (await open('part-1.glb')).mesh.triangles.length,
    );
  });

  it.each(['extension', 'morphs'])('keeps corrections stored as %s, and UVs', async (as) => {
    const { result } = await json(at(`${as}.glb`), at(`${as}-far.glb`), '--triangles', '200');
    await checkValid(`${as}-far.glb`);
    const [before, after] = [await open(`${as}.glb`), await open(`${as}-far.glb`)];
    if (as === 'extension') expect(after.correction!.rank).toBe(before.correction!.rank);
    else expect(after.morphs!.targets).toHaveLength(before.morphs!.targets.length);
    expect(after.mesh.attributes.map(({ name }) => name)).toEqual(before.mesh.attributes.map(({ name }) => name));
    expect(result.levels[0].maxPercent).toBeLessThan(10);
  });

  it.each([
    ['Direct Delta Mush', ['mush', '--variant', '0']],
    ['second layer of the skin', ['compress', '--virtual-bones', '8', '--iterations', '1']],
  ])('simplifies the plain skin of a file with %s, with a note', async (name, [command, ...given]) => {
    expect(await run(command, at('rig.glb'), at('rich.glb'), ...given)).toMatchObject({ status: 0 });
    const rich = await open('rich.glb');
    expect(rich.ddm ?? rich.twoLayer).toBeDefined();
    const words = ['lod', at('rich.glb'), at('far.glb'), '--triangles', '300', '--threads', '1'];
    const { status, err } = await captureCli(words);
    expect([status, err]).toEqual([0, expect.stringContaining(`${name} dropped: lod to GLB does not keep this`)]);
    await checkValid('far.glb');
    const far = await open('far.glb');
    expect([far.ddm, far.twoLayer, far.linearTwoLayer]).toEqual([undefined, undefined, undefined]);
    // the full mesh of a file with several levels is that of the input
    expect(await run('lod', at('rich.glb'), at('levels.glb'), '--levels', '0.5,0.2')).toMatchObject({ status: 0 });
    await checkValid('levels.glb');
  });

  it('finds a level by its error, and fails the gate of levels beyond it', async () => {
    const { result } = await json(at('rig.glb'), at('near.glb'), '--max-error', '2%');
    expect(result.levels[0].maxPercent).toBeLessThanOrEqual(2);
    expect(result.gate.isMet).toBe(true);
    const { status } = await run('lod', at('rig.glb'), at('gate.glb'), '--triangles', '100', '--max-error', '0.1%');
    expect(status).toBe(3);
  });

  it('writes levels of a still mesh, and in other formats', async () => {
    await json(at('sheet.obj'), at('sheet.glb'), '--levels', '0.3');
    expect((await open('sheet.glb')).mesh.triangles.length / 3).toBeLessThanOrEqual(
      0.3 * (await open('sheet.obj')).mesh.triangles.length,
    );
    await json(at('rig.glb'), at('far.usda'), '--triangles', '300');
    expect((await open('far.usda')).mesh.triangles.length / 3).toBeLessThanOrEqual(300);
  });

  it('measures every level in the file of its format', async () => {
    const words = [at('rig.glb'), at('several.fbx'), '--levels', '0.5,0.2', '--separate'];
    const { result, files, output } = await json(...words);
    for (const [n, { path, bytes }] of files.entries()) {
      const { mesh } = await open(path.slice(folder.length + 1));
      expect(result.levels[n]).toMatchObject({ bytes, triangles: mesh.triangles.length / 3 });
    }
    expect(output.triangles).toBe(result.levels[0].triangles);
    const { result: one } = await json(at('rig.glb'), at('single.fbx'), '--levels', '0.2');
    expect(result.levels[1].max).toBeCloseTo(one.levels[0].max, 5);
  });

  it('refuses what it cannot simplify, in one sentence, and writes nothing', async () => {
    await writeFile(at('points.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\n');
    const cases: [string[], number, RegExp][] = [
      [[at('rig.glb'), at('no.glb'), '--triangles', '0'], 2, /triangles/],
      [[at('rig.glb'), at('no.glb'), '--triangles', '999999'], 2, /not smaller/],
      [[at('rig.glb'), at('no.glb'), '--levels', '0.1,0.5'], 2, /must fall/],
      [[at('rig.glb'), at('no.fbx'), '--levels', '0.5,0.1'], 2, /--separate/],
      [[`${at('sheet.obj')}+${at('sheet.pc2')}`, at('no.glb')], 1, /decompose/],
      [[at('points.obj'), at('no.glb')], 1, /no triangles|faces/],
    ];
    for (const [words, expected, message] of cases) {
      const { status, err } = await run('lod', ...words);
      expect(err).toMatch(message);
      expect(status, err).toBe(expected);
      expect(err.trim().split('\n')).toHaveLength(1);
    }
    await expect(stat(at('no.glb'))).rejects.toThrow();
  });
});
