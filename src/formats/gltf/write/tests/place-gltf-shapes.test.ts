// SPDX-License-Identifier: MIT
import { Document, type GLTF, type Mesh as GltfMesh, NodeIO, Primitive } from '@gltf-transform/core';
import { validateBytes } from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../../../core/model/asset.ts';
import type { Mesh } from '../../../../core/model/mesh/mesh.ts';
import { readGltf } from '../../read-gltf.ts';
import { writeGlb } from '../../write-glb.ts';

const { TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN } = Primitive.Mode;
type Kind = readonly [mode: GLTF.MeshPrimitiveMode, indices?: readonly number[]];

/** An asset with a primitive of six vertices for each kind, all of one node or each of its own. */
async function read(kinds: readonly Kind[], isApart = false): Promise<Asset> {
  const document = new Document();
  const buffer = document.createBuffer();
  const scene = document.createScene();
  const accessorOf = (type: 'VEC3' | 'SCALAR', values: Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>) =>
    document.createAccessor().setType(type).setArray(values).setBuffer(buffer);
  const meshes: GltfMesh[] = [];
  for (const [n, [mode, indices]] of kinds.entries()) {
    if (n === 0 || isApart) {
      meshes.push(document.createMesh(`body ${n}`));
      scene.addChild(document.createNode(`node ${n}`).setMesh(meshes[n]));
    }
    const points = Float32Array.from({ length: 18 }, (_, c) => [Math.floor(c / 3), Math.floor(c / 3) % 2, n][c % 3]);
    const primitive = document.createPrimitive().setMode(mode).setAttribute('POSITION', accessorOf('VEC3', points));
    if (indices) primitive.setIndices(accessorOf('SCALAR', Uint16Array.from(indices)));
    meshes[meshes.length - 1].addPrimitive(primitive);
  }
  return readGltf(await new NodeIO().writeBinary(document), { name: 'body' });
}

/** The triangles of a mesh after it was written to the file of an asset and read again. */
async function writeAgain(asset: Asset, mesh: Mesh): Promise<Mesh> {
  const bytes = await writeGlb({ ...asset, mesh }, { kind: 'static', attributes: [] });
  const { issues } = await validateBytes(bytes);
  expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
  return (await readGltf(bytes, { name: 'body' })).mesh;
}

const turn = (triangles: Uint32Array) => triangles.map((_, c, all) => all[c - (c % 3) + [0, 2, 1][c % 3]]);

describe('placeGltfShapes', () => {
  it.each<[string, Kind]>([
    ['a list', [TRIANGLES, [0, 1, 2, 3, 4, 5]]],
    ['a list without indices', [TRIANGLES]],
    ['a strip', [TRIANGLE_STRIP, [0, 1, 2, 3, 4]]],
    ['a strip without indices', [TRIANGLE_STRIP]],
    ['a fan', [TRIANGLE_FAN]],
  ])('writes turned and removed triangles of %s', async (_, kind) => {
    const asset = await read([kind, kind]);
    const { mesh } = asset;
    expect((await writeAgain(asset, mesh)).triangles).toEqual(mesh.triangles);
    const turned = turn(mesh.triangles);
    expect((await writeAgain(asset, { ...mesh, triangles: turned })).triangles).toEqual(turned);
    const [first, second] = mesh.parts;
    const fewer = {
      ...{ ...mesh, triangles: mesh.triangles.slice(3) },
      parts: [
        { ...first, triangleCount: first.triangleCount - 1 },
        { ...second, triangleStart: second.triangleStart - 1 },
      ],
    };
    expect((await writeAgain(asset, fewer)).triangles).toEqual(fewer.triangles);
  });

  it.each([false, true])('leaves out primitives without triangles; with a node of their own: %s', async (isApart) => {
    const asset = await read([[TRIANGLES], [TRIANGLES, [0, 1, 2]], [TRIANGLE_STRIP]], isApart);
    const { mesh } = asset;
    const [first, speck, last] = mesh.parts;
    const written = await writeAgain(asset, {
      ...{ ...mesh, triangles: mesh.triangles.filter((i) => i < 6 || i >= 12) },
      parts: [first, { ...speck, triangleCount: 0 }, { ...last, triangleStart: speck.triangleStart }],
    });
    expect(written.parts.map(({ triangleCount }) => triangleCount)).toEqual([2, 4]);
    expect(written.positions).toEqual(mesh.positions.filter((_, c) => c < 18 || c >= 36));
  });
});
