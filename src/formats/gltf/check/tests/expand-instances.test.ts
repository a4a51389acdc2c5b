// SPDX-License-Identifier: MIT
import { Document, WebIO } from '@gltf-transform/core';
import { EXTMeshGPUInstancing } from '@gltf-transform/extensions';
import { describe, expect, it } from 'vitest';
import { jsonOf } from '../../document/gltf-json.ts';
import { readGltf } from '../../read-gltf.ts';

const PLACES = [0, 0, 0, 2, 0, 0, 0, 3, 0];
const HALF = Math.SQRT1_2;

/** A triangle in the plane z = 0, drawn three times below a node at x = 10: as it is, and turned by a quarter about x. */
async function writeTrees(change?: (document: Document) => void): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (type: 'VEC3' | 'VEC4', values: number[]) =>
    document.createAccessor().setBuffer(buffer).setType(type).setArray(new Float32Array(values));
  const primitive = document.createPrimitive().setAttribute('POSITION', accessor('VEC3', [0, 0, 0, 1, 0, 0, 0, 1, 0]));
  const mesh = document.createMesh('leaf').addPrimitive(primitive);
  const instances = document
    .createExtension(EXTMeshGPUInstancing)
    .setRequired(true)
    .createInstancedMesh()
    .setAttribute('TRANSLATION', accessor('VEC3', PLACES))
    .setAttribute('ROTATION', accessor('VEC4', [0, 0, 0, 1, HALF, 0, 0, HALF, 0, 0, 0, 1]))
    .setAttribute('SCALE', accessor('VEC3', [1, 1, 1, 1, 1, 1, 2, 2, 2]));
  const node = document.createNode('tree').setTranslation([10, 0, 0]).setMesh(mesh);
  node.setExtension('EXT_mesh_gpu_instancing', instances);
  document.createScene().addChild(node);
  change?.(document);
  return new WebIO().registerExtensions([EXTMeshGPUInstancing]).writeBinary(document);
}

describe('instances (EXT_mesh_gpu_instancing)', () => {
  it('become nodes that draw the same mesh, below the node that had them', async () => {
    const notes: string[] = [];
    const asset = await readGltf(await writeTrees(), { log: (note) => notes.push(note) });
    expect(asset.mesh.positions.length / 9).toBe(3);
    const at = (vertex: number) => [...asset.mesh.positions.subarray(3 * vertex, 3 * vertex + 3)];
    const close = (vertex: number, place: number[]) =>
      expect(at(vertex).map((x, c) => Math.abs(x - place[c]) < 1e-5)).toEqual([true, true, true]);
    close(2, [10, 1, 0]);
    close(5, [12, 0, 1]);
    close(8, [10, 5, 0]);
    expect(asset.nodes.names).toEqual(expect.arrayContaining(['tree', 'tree 1', 'tree 2', 'tree 3']));
    expect(notes).toContain('3 instances of 1 node (EXT_mesh_gpu_instancing) read as nodes');
    const json = jsonOf(asset.source!);
    expect(json.meshes).toHaveLength(1);
    expect([json.extensionsUsed ?? [], json.extensionsRequired ?? []]).toEqual([[], []]);
  });

  it('are refused if their attributes have different numbers of rows, or none that a file of this size can have', async () => {
    const shorter = await writeTrees((document) => {
      const accessor = document
        .getRoot()
        .listAccessors()
        .find((own) => own.getType() === 'VEC4')!;
      accessor.setArray(new Float32Array([0, 0, 0, 1]));
    });
    await expect(readGltf(shorter)).rejects.toMatchObject({ code: 'mismatch' });
    const broken = await writeTrees((document) => {
      document.getRoot().listAccessors()[1].setArray(new Float32Array(9).fill(Number.NaN));
    });
    await expect(readGltf(broken)).rejects.toMatchObject({ code: 'value' });
  });
});
