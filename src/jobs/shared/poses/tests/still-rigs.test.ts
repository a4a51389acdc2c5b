// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multiplyQuaternions } from '../../../../core/math/quaternion.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../../core/model/asset.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { readAsset } from '../../../../formats/assets/read-asset.ts';
import { packGlb } from '../../../../formats/gltf/document/pack-glb.ts';
import { splitGlb as parseGlb } from '../../../../formats/gltf/document/split-glb.ts';
import { captureCli } from '../../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const open = async (name: string) => readAsset([{ name, bytes: new Uint8Array(await readFile(at(name))) }]);
const json = async (...words: string[]) => {
  const { status, out, err } = await captureCli([...words, '--json', '--quiet', '--threads', '1']);
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};

/** Positions with every joint turned by up to 30 degrees about any axis, pose after pose. */
function turnJoints(asset: Asset, poses: number): Float32Array[] {
  const random = makeRandom(5);
  const { rig, nodes } = asset;
  const joints = [...rig!.nodeOfBone].sort((a, b) => (nodes.names[a] < nodes.names[b] ? -1 : 1));
  return Array.from({ length: poses }, () => {
    const rotations = nodes.rotations.slice();
    for (const node of joints) {
      const axis = [random.next() - 0.5, random.next() - 0.5, random.next() - 0.5];
      const half = (random.next() * Math.PI) / 12;
      const turn = [...axis.map((x) => (x * Math.sin(half)) / Math.hypot(...axis)), Math.cos(half)];
      multiplyQuaternions(nodes.rotations, turn, rotations, 4 * node, 0, 4 * node);
    }
    return bakeAt({ ...asset, nodes: { ...nodes, rotations } }, undefined, Float64Array.of(0)).positions;
  });
}

/** The largest distance of two files with the same vertices, with turned joints. */
async function playTurned(a: string, b: string): Promise<number> {
  const [source, result] = (await Promise.all([open(a), open(b)])).map((asset) => turnJoints(asset, 10));
  let max = 0;
  for (const [n, shape] of source.entries())
    for (let c = 0; c < shape.length; c += 3)
      max = Math.max(max, Math.hypot(...[0, 1, 2].map((r) => shape[c + r] - result[n][c + r])));
  return max;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-still-'));
  await captureCli(['sample', 'creature-soft', at('moving.glb'), '--resolution', '300', '--frames', '4', '--quiet']);
  const { json: gltf, binary } = parseGlb(new Uint8Array(await readFile(at('moving.glb'))));
  delete (gltf as { animations?: unknown }).animations;
  await writeFile(at('still.glb'), packGlb(gltf as never, binary!));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('a rig without animation', () => {
  it('is reduced and measured in poses within joint ranges, at least as far off as turned joints show', async () => {
    const { result, metrics } = await json('reduce', at('still.glb'), at('two.glb'), '--influences', '2');
    expect(result).toMatchObject({ poses: 'ranges', poseCount: 48 });
    const shown = await playTurned('still.glb', 'two.glb');
    expect(shown).toBeGreaterThan(1e-3);
    expect(metrics.max).toBeGreaterThan(shown);
    // the poses are not in the file
    expect((await open('two.glb')).animations).toEqual([]);
  });

  it('keeps the bones of a level unless merging is within the error of the level', async () => {
    const { result } = await json('lod', at('still.glb'), at('half.glb'), '--levels', '0.5');
    expect(result.poses).toBe('ranges');
    // the drawn poses, and those between them where the error is larger
    expect(result.poseCount).toBeGreaterThanOrEqual(48);
    const [level] = result.levels;
    expect(level.bones).toBeGreaterThan(result.bones / 2);
    expect(level.maxPercent).toBeGreaterThan(0.1);
    // as without poses, for comparison: bones that turn differently are merged, and this is measured
    const resting = await json('lod', at('still.glb'), at('rest.glb'), '--levels', '0.5', '--pose-count', '0');
    expect(resting.result.levels[0].max).toBeGreaterThan(level.max);
  });

  it('finds the fewest weights for an error in the same poses', async () => {
    const { result } = await json('reduce', at('still.glb'), at('near.glb'), '--max-error', '1%');
    expect(result.gate.isMet).toBe(true);
    const { diagonal } = measureBounds((await open('still.glb')).mesh.positions);
    expect(await playTurned('still.glb', 'near.glb')).toBeLessThanOrEqual(0.01 * diagonal);
  });

  it('is measured in poses by mush and compress, which report them', async () => {
    const mushed = await json('mush', at('still.glb'), at('mush.glb'), '--iterations', '2', '--ranges', 'default');
    expect(mushed.result).toMatchObject({ poses: 'ranges', poseCount: 48 });
    expect(mushed.result.lbs.max).toBeGreaterThan(1e-3);
    const words = ['--virtual-bones', '8', '--iterations', '2', '--smoothing', '2'];
    const compressed = await json('compress', at('still.glb'), at('small.glb'), ...words);
    expect(compressed.result).toMatchObject({ poses: 'ranges', poseCount: 48 });
    expect(compressed.metrics.max).toBeGreaterThan(1e-4);
  });

  it('is compared with another in the same poses', async () => {
    await json('reduce', at('still.glb'), at('one.glb'), '--influences', '1');
    const { result, metrics } = await json('compare', at('still.glb'), at('one.glb'));
    expect(result).toMatchObject({ poses: 'ranges', poseCount: 48 });
    expect(metrics.max).toBeGreaterThan(await playTurned('still.glb', 'one.glb'));
    const moving = await json('compare', at('moving.glb'), at('moving.glb'));
    expect(moving.result).toMatchObject({ poses: 'animations', poseCount: 4 });
  });

  it('takes ranges of a file, and the older number of poses of lod with a note', async () => {
    await writeFile(at('stiff.json'), JSON.stringify({ '*': 0 }));
    const { metrics } = await json(
      'reduce',
      at('still.glb'),
      at('stiff.glb'),
      '--influences',
      '2',
      '--ranges',
      at('stiff.json'),
    );
    expect(metrics.max).toBeLessThan(1e-5);
    const words = ['lod', at('moving.glb'), at('half.glb'), '--levels', '0.5', '--poses', '4', '--threads', '1'];
    const { err } = await captureCli(words);
    expect(err).toContain('--poses 4 is deprecated, use --pose-count 4');
    const refused = await captureCli(['lod', at('still.glb'), at('half.glb'), '--poses', 'animation', '--quiet']);
    expect(refused.status).not.toBe(0);
    expect(refused.err).toContain('the file has no animation; use poses within joint ranges');
  });
});
