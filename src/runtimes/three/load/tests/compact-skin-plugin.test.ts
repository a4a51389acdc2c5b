// SPDX-License-Identifier: MIT
import { AnimationMixer, type SkinnedMesh, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { describe, expect, it } from 'vitest';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { expandGlb } from '../../../../formats/gltf/compact/expand-glb.ts';
import { writeCompactGlb } from '../../../../formats/gltf/compact/write-compact-glb.ts';
import { readGltf } from '../../../../formats/gltf/read-gltf.ts';
import { skinnedOfSample } from '../../../../jobs/sample/sample-asset.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { compactSkinPlugin } from '../compact-skin-plugin.ts';

const PRECISION = {
  ...{ positionStep: 0.002, normalBits: 8, texcoordBits: 12, colorBits: 8, weightSteps: 85 },
  ...{ motionStep: 0.001, aim: 'max' as const },
};

async function writeCreature(): Promise<Uint8Array<ArrayBuffer>> {
  const model = skinnedOfSample(makeSample('creature', { resolution: 300, frames: 6 }))!;
  return (await writeCompactGlb(makeAsset(model), { kind: 'skin', model }, PRECISION)).bytes;
}

/** Positions of the vertices of all skinned meshes at a time, as three.js skins them. */
async function pose(loader: GLTFLoader, bytes: Uint8Array<ArrayBuffer>, ratio: number) {
  const { scene, animations } = await loader.parseAsync(bytes.slice().buffer, '');
  const time = ratio * animations[0].duration;
  const mixer = new AnimationMixer(scene);
  mixer.clipAction(animations[0]).play();
  mixer.setTime(time);
  scene.updateMatrixWorld(true);
  const positions: number[] = [];
  scene.traverse((object) => {
    const mesh = object as SkinnedMesh;
    if (!mesh.isSkinnedMesh) return;
    mesh.skeleton.update();
    const point = new Vector3();
    for (let i = 0; i < mesh.geometry.getAttribute('position').count; i++)
      positions.push(...mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld).toArray());
  });
  return { time, positions };
}

describe('compactSkinPlugin', () => {
  it('gives three.js the positions that our reader has', async () => {
    const bytes = await writeCreature();
    const { time, positions } = await pose(new GLTFLoader().register(compactSkinPlugin()), bytes, 0.4);
    const asset = await readGltf(bytes);
    const expected = bakeAt(asset, asset.animations[0], Float64Array.of(time)).positions;
    expect(positions.length).toBe(expected.length);
    const far = positions.reduce((most, x, c) => Math.max(most, Math.abs(x - expected[c])), 0);
    expect(far / measureBounds(asset.mesh.positions).diagonal).toBeLessThan(2e-5);
  });

  it('is not needed for an expanded file', async () => {
    const bytes = await writeCreature();
    const plain = Uint8Array.from(expandGlb(bytes));
    expect(expandGlb(plain)).toBe(plain);
    const { positions } = await pose(new GLTFLoader(), plain, 0.4);
    const own = await pose(new GLTFLoader().register(compactSkinPlugin()), bytes, 0.4);
    expect(positions).toEqual(own.positions);
  });

  it('passes the fault of a damaged file on', async () => {
    const bytes = await writeCreature();
    const damaged = bytes.slice();
    damaged.fill(0x55, bytes.length - 200);
    const loader = new GLTFLoader().register(compactSkinPlugin());
    await expect(loader.parseAsync(damaged.buffer, '')).rejects.toThrow(/compressed stream|OSSIFY_compact_skin/);
  });
});
