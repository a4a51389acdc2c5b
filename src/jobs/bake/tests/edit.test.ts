// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { frameCountOf } from '../../../core/model/clip/clip.ts';
import { bakeAt } from '../../../deformers/playback/bake/bake-at.ts';
import { bakeClip } from '../../../deformers/playback/bake/bake-clip.ts';
import { makeAssetDeformer } from '../../../deformers/playback/make-asset-deformer.ts';
import { sampleAnimation } from '../../../deformers/playback/sample-animation.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { writeObj } from '../../../formats/meshes/write-obj.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli([...words, '--quiet', '--threads', '1']);
const pass = async (...words: string[]) => {
  const { status, err } = await run(...words);
  expect([status, err]).toEqual([0, '']);
};
const open = async (name: string) => readAsset([{ name, bytes: new Uint8Array(await readFile(at(name))) }]);

/** A bump on one side, the same for vertices in the same place. */
const sculpt = ({ mesh }: Asset): Float32Array => {
  const { min, diagonal } = measureBounds(mesh.positions);
  return mesh.positions.map((x, c) => {
    const i = c - (c % 3);
    const along = (mesh.positions[i + 1] - min[1]) / diagonal;
    return along > 0.2 ? Math.fround(x + 0.1 * diagonal * along ** 2) : x;
  });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-edit-'));
  const small = ['--resolution', '200', '--frames', '5'];
  await pass('sample', 'creature', at('rig.glb'), ...small);
  await pass('sample', 'sheet', at('sheet.obj'), ...small);
  await pass('sample', 'sheet', at('sheet.pc2'), ...small);
  const clip = `${at('sheet.obj')}+${at('sheet.pc2')}`;
  await pass('decompose', clip, at('skin.glb'), '--bones', '4');
  await pass('decompose', clip, at('affine.glb'), '--bones', '4', '--transforms', 'affine', '--meshopt');
  await pass('decompose', clip, at('corrected.glb'), '--bones', '4', '--corrections', '3');
  await pass('mush', at('rig.glb'), at('mush.glb'));
  await pass('compress', at('mush.glb'), at('layers.glb'), '--virtual-bones', '20', '--iterations', '2');
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('edit', () => {
  it.each(['rig', 'skin', 'affine', 'corrected', 'mush', 'layers'])(
    'moves every vertex of every frame by the linear part of its transform times the edit: %s',
    async (name) => {
      const before = await open(`${name}.glb`);
      const edited = sculpt(before);
      await writeFile(at('edited.obj'), writeObj(before.mesh, { positions: edited }));
      await pass('edit', at(`${name}.glb`), at(`${name}-edited.glb`), '--edited', at('edited.obj'));
      const bytes = new Uint8Array(await readFile(at(`${name}-edited.glb`)));
      const { messages } = (await validateBytes(bytes)).issues;
      expect(messages.filter(({ severity }) => severity < 2)).toEqual([]);
      const after = await open(`${name}-edited.glb`);
      expect(after.mesh.positions).toEqual(edited);
      const from = bakeClip(before);
      const to = bakeClip(after);
      expect(frameCountOf(to)).toBe(frameCountOf(from));
      // the linear part by differences: the change of the frame along each axis of the rest shape
      const poses = sampleAnimation(before, before.animations[0], from.times);
      const parts = [0, 1, 2].map((axis) => shiftRest(before, axis));
      const base = makeAssetDeformer(before);
      const boneSize = 16 * before.rig!.skeleton.names.length;
      let worst = 0;
      for (let k = 0; k < frameCountOf(from); k++) {
        const pose = {
          bones: poses.motion.matrices.subarray(k * boneSize, (k + 1) * boneSize),
          corrections: poses.corrections?.subarray(
            (k * poses.corrections.length) / from.times.length,
            ((k + 1) * poses.corrections.length) / from.times.length,
          ),
        };
        const still = new Float64Array(edited.length);
        base.deformInto(pose as never, still as never);
        const columns = parts.map((deformer) => {
          const moved = new Float64Array(edited.length);
          deformer.deformInto(pose as never, moved as never);
          return moved.map((x, c) => x - still[c]);
        });
        for (let c = 0; c < edited.length; c++) {
          const i = c - (c % 3);
          const expected = columns.reduce(
            (sum, column, axis) => sum + column[c] * (edited[i + axis] - before.mesh.positions[i + axis]),
            0,
          );
          const o = k * edited.length + c;
          worst = Math.max(worst, Math.abs(to.positions[o] - from.positions[o] - expected));
        }
      }
      expect(worst).toBeLessThan(2e-6);
    },
  );

  it('copies the file if the shape is the rest shape', async () => {
    await pass('bake', at('skin.glb'), at('rest.obj'), '--rest-pose');
    const { status, err } = await captureCli(['edit', at('skin.glb'), at('same.glb'), '--edited', at('rest.obj')]);
    expect([status, err]).toEqual([0, 'note: the edited shape equals the rest shape\n']);
    expect(await readFile(at('same.glb'))).toEqual(await readFile(at('skin.glb')));
  });

  it('writes the edited clip to a cache, and a character in another format', async () => {
    const before = await open('skin.glb');
    await writeFile(at('edited.obj'), writeObj(before.mesh, { positions: sculpt(before) }));
    await pass('edit', at('skin.glb'), at('edited.glb'), '--edited', at('edited.obj'));
    await pass('edit', at('skin.glb'), at('edited.abc'), '--edited', at('edited.obj'));
    await pass('edit', at('skin.glb'), at('edited.usda'), '--edited', at('edited.obj'));
    const clip = (await open('edited.abc')).clips[0];
    // Alembic has frames at all keys of the file
    const glb = await open('edited.glb');
    expect(clip.times.length).toBeGreaterThanOrEqual(bakeClip(glb).times.length);
    expect(clip.positions).toEqual(bakeAt(glb, glb.animations[0], clip.times).positions);
    // USD has no nodes between joints: the node above them is a joint too
    expect((await open('edited.usda')).rig!.skeleton.names.filter((name) => name !== 'root')).toHaveLength(4);
  });

  it('matches vertices by their place before the edit', async () => {
    const { mesh } = await open('skin.glb');
    const last = mesh.positions.length - 3;
    const turned = mesh.positions.map((_, c) => mesh.positions[last - (c - (c % 3)) + (c % 3)]);
    const triangles = mesh.triangles.map((i) => last / 3 - i);
    await writeFile(
      at('turned.obj'),
      writeObj({ ...mesh, normals: undefined, attributes: [], positions: turned, triangles }),
    );
    const edited = turned.slice();
    edited[0] += 0.5;
    await writeFile(
      at('turned-edited.obj'),
      writeObj({ ...mesh, normals: undefined, attributes: [], positions: edited, triangles }),
    );
    await pass(
      'edit',
      at('skin.glb'),
      at('by-place.glb'),
      '--edited',
      at('turned-edited.obj'),
      '--original',
      at('turned.obj'),
    );
    const expected = mesh.positions.slice();
    expected[last] += 0.5;
    expect((await open('by-place.glb')).mesh.positions).toEqual(expected);
  });

  it('refuses what it cannot carry, in one sentence, and writes nothing', async () => {
    await writeFile(at('other.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    await writeFile(at('huge.obj'), 'v 0 0 1e30\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    const cases: [string[], number, RegExp][] = [
      [[at('skin.glb'), at('no.glb')], 2, /--edited: give the edited shape/],
      [
        [at('skin.glb'), at('no.glb'), '--edited', at('other.obj')],
        1,
        /other\.obj: has 3 vertices, the skin has \d+; .*--original/,
      ],
      [[at('skin.glb'), at('no.glb'), '--edited', at('huge.obj')], 1, /huge\.obj/],
      [[at('sheet.obj'), at('no.glb'), '--edited', at('other.obj')], 1, /sheet\.obj: has no skin/],
      [[at('skin.glb'), at('no.glb'), '--edited', at('none.obj')], 1, /none\.obj/],
      [[at('skin.glb'), at('no.png'), '--edited', at('other.obj')], 2, /must end in/],
    ];
    for (const [words, expected, message] of cases) {
      const { status, err } = await run('edit', ...words);
      expect(status, err).toBe(expected);
      expect(err).toMatch(message);
      expect(err.trim().split('\n')).toHaveLength(1);
    }
    await expect(stat(at('no.glb'))).rejects.toThrow();
  });
});

/** The deformer of an asset whose rest shape is one unit further along an axis. */
function shiftRest(asset: Asset, axis: number) {
  const mesh = { ...asset.mesh, positions: asset.mesh.positions.map((x, c) => (c % 3 === axis ? x + 1 : x)) };
  const own = <T extends { mesh: unknown }>(model: T | undefined) => model && { ...model, mesh };
  return makeAssetDeformer({ ...asset, mesh, ddm: own(asset.ddm), twoLayer: own(asset.twoLayer) });
}
