// SPDX-License-Identifier: MIT
import { Document, WebIO } from '@gltf-transform/core';
import { describe, expect, it } from 'vitest';
import { editRest } from '../../../../deformers/posing/edit-rest.ts';
import { readGltf } from '../../read-gltf.ts';
import { writeGlb } from '../../write-glb.ts';

/** Two nodes that draw one triangle; both turn about z, and the second is scaled and moved. */
async function makeTwins(): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (type: 'VEC3' | 'SCALAR' | 'VEC4', array: Float32Array) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(array as never)
      .setBuffer(buffer);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0])))
    .setAttribute('NORMAL', accessor('VEC3', new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1])));
  const mesh = document.createMesh('leaf').addPrimitive(primitive);
  const scene = document.createScene();
  const animation = document.createAnimation('turn');
  for (const n of [0, 1]) {
    const node = document.createNode(`n${n}`).setMesh(mesh);
    if (n === 1) node.setScale([2, 2, 2]).setTranslation([5, 0, 0]);
    scene.addChild(node);
    const sampler = document
      .createAnimationSampler()
      .setInput(accessor('SCALAR', new Float32Array([0, 1])))
      .setOutput(accessor('VEC4', new Float32Array([0, 0, 0, 1, 0, 0, Math.SQRT1_2, Math.SQRT1_2])));
    const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath('rotation').setSampler(sampler);
    animation.addSampler(sampler).addChannel(channel);
  }
  return new WebIO().writeBinary(document);
}

describe('putGltfShape', () => {
  it('writes positions in the space of each node, and copies a mesh that two nodes draw if their shapes differ', async () => {
    const asset = await readGltf(await makeTwins());
    expect(asset.mesh.positions).toHaveLength(18);
    const positions = asset.mesh.positions.slice();
    // the last vertex of the second node
    positions[17] += 4;
    const back = await readGltf(await writeGlb(editRest(asset, positions), { kind: 'shape' }));
    expect(back.mesh.positions).toEqual(positions);
    const json = back.source!.json as { meshes: unknown[] };
    expect(json.meshes).toHaveLength(2);
    // the triangle of the second node leans: its normal has a component against y
    expect(back.mesh.normals![10]).toBeLessThan(-0.5);
    expect([...back.mesh.normals!.slice(0, 9)]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1]);
  });

  it('keeps one mesh if both shapes change alike, and every byte of the arrays if nothing changes', async () => {
    const asset = await readGltf(await makeTwins());
    const positions = asset.mesh.positions.slice();
    positions[8] += 1;
    positions[17] += 2;
    const back = await readGltf(await writeGlb(editRest(asset, positions), { kind: 'shape' }));
    expect(back.mesh.positions).toEqual(positions);
    expect((back.source!.json as { meshes: unknown[] }).meshes).toHaveLength(1);
    const same = await writeGlb(editRest(asset, asset.mesh.positions.slice()), { kind: 'shape' });
    expect(same).toEqual(await writeGlb(asset, { kind: 'clip' }));
  });
});
