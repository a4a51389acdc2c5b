// SPDX-License-Identifier: MIT
import type { Group, Mesh } from 'three';
import { USDLoader } from 'three/addons/loaders/USDLoader.js';
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../../core/model/asset.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { makeAsset } from '../../../core/model/make-asset.ts';
import { bakeAt } from '../../../deformers/playback/bake/bake-at.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { readAsset } from '../../assets/read-asset.ts';
import { readGltf } from '../../gltf/read-gltf.ts';
import { writeGlb } from '../../gltf/write-glb.ts';
import { writeUsda } from '../write-usda.ts';
import { writeUsdz } from '../write-usdz.ts';

const { clip, skeleton, skin, motion } = makeSample('quadruped', { resolution: 300, frames: 8 });

/** The sample as a file has it: nodes, a rig, keys. */
async function makeRig(): Promise<Asset> {
  const model = { kind: 'skin' as const, mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
  return readGltf(await writeGlb(makeAsset(clip), { kind: 'skin', model }), { name: 'walk' });
}

const readBack = (bytes: Uint8Array, name = 'a.usda') => readAsset([{ name, bytes }]);

function largestDistance(a: Clip, b: Clip): number {
  let worst = 0;
  a.positions.forEach((x, c) => {
    worst = Math.max(worst, Math.abs(x - b.positions[c]));
  });
  return worst;
}

describe('writeUsda', () => {
  it('writes a skin that plays as the asset does', async () => {
    const asset = await makeRig();
    const back = await readBack(writeUsda(asset));
    const [animation] = asset.animations;
    const times = clip.times;
    const size = Math.max(...clip.mesh.positions);
    expect(largestDistance(bakeAt(asset, animation, times), bakeAt(back, back.animations[0], times))).toBeLessThan(
      1e-5 * size,
    );
    expect(back.rig?.skeleton.names.length).toBe(asset.rig?.skeleton.names.length);
    expect(back.metresPerUnit).toBe(1);
    expect(back.animations[0].duration).toBeCloseTo(animation.duration, 5);
  });

  it('writes clips as sampled points, bit for bit', async () => {
    const back = await readBack(writeUsda(makeAsset(clip)));
    expect(back.clips[0].positions).toEqual(clip.positions);
    expect(back.clips[0].times.length).toBe(clip.times.length);
  });

  it('writes UVs, colours, normals and materials of parts', async () => {
    const asset = makeAsset(clip);
    const { mesh } = asset;
    const count = mesh.positions.length / 3;
    const normals = Float32Array.from(mesh.positions, (_, c) => (c % 3 === 1 ? 1 : 0));
    const attributes = [
      { name: 'TEXCOORD_0', size: 2, values: Float32Array.from({ length: 2 * count }, (_, c) => c / (2 * count)) },
      { name: 'COLOR_0', size: 3, values: new Float32Array(3 * count).fill(0.25) },
    ];
    const parts = mesh.parts.map((part) => ({ ...part, name: 'body', material: 'Red fur' }));
    const back = await readBack(writeUsda({ ...asset, clips: [], mesh: { ...mesh, normals, attributes, parts } }));
    expect(back.mesh.normals).toEqual(normals);
    expect(back.mesh.parts.map(({ name, material }) => [name, material])).toEqual([['body', 'Red fur']]);
    const uvs = back.mesh.attributes.find(({ name }) => name === 'TEXCOORD_0');
    uvs?.values.forEach((x, c) => {
      expect(x).toBeCloseTo(attributes[0].values[c], 6);
    });
    expect(back.mesh.attributes.find(({ name }) => name === 'COLOR_0')?.values).toEqual(attributes[1].values);
  });

  it('writes morph targets as blend shapes', async () => {
    const asset = await readGltf(await writeGlb(makeAsset(clip)), { name: 'walk' });
    expect(asset.morphs?.targets.length).toBeGreaterThan(1);
    const back = await readBack(writeUsda(asset));
    const [animation] = asset.animations;
    expect(
      largestDistance(bakeAt(asset, animation, clip.times), bakeAt(back, back.animations[0], clip.times)),
    ).toBeLessThan(1e-6);
  });

  it('says which animations a stage does not play', async () => {
    const asset = await makeRig();
    const notes: string[] = [];
    const twice = { ...asset, animations: [asset.animations[0], { ...asset.animations[0], name: 'run' }] };
    const text = new TextDecoder().decode(writeUsda(twice, { log: (note) => notes.push(note) }));
    expect(notes).toEqual([
      `a USD stage plays one animation; "${asset.animations[0].name}" is bound, the other 1 are stored beside it`,
    ]);
    expect(text).toContain('def SkelAnimation "run"');
  });

  it("is read by three's USDLoader", async () => {
    const asset = await makeRig();
    const group = new USDLoader().parse(new TextDecoder().decode(writeUsda(asset))) as Group;
    const meshes: Mesh[] = [];
    group.traverse((object) => {
      if ((object as Mesh).isMesh) meshes.push(object as Mesh);
    });
    const count = meshes.reduce((sum, { geometry }) => sum + (geometry.index ?? geometry.attributes.position).count, 0);
    expect(count).toBe(asset.mesh.triangles.length);
  });
});

describe('writeUsdz', () => {
  it('stores the stage at a multiple of 64 bytes, readable as a package', async () => {
    const bytes = writeUsdz(makeAsset(clip));
    const view = new DataView(bytes.buffer);
    expect((30 + view.getUint16(26, true) + view.getUint16(28, true)) % 64).toBe(0);
    const back = await readBack(bytes, 'a.usdz');
    expect(back.clips[0].positions).toEqual(clip.positions);
  });
});
