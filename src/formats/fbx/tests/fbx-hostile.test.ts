// SPDX-License-Identifier: MIT
// Damaged and malicious FBX files: FormatError, and nothing else, in bounded time and memory.
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { makeAsset } from '../../../core/model/make-asset.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { readFbx } from '../read-fbx.ts';
import { fbxArray, fbxNode, type PackedNode, packFbx } from '../syntax/fbx-pack.ts';
import { FbxBuilder, fbxProperties } from '../write/fbx-builder.ts';
import { writeFbx } from '../write/write-fbx.ts';

/** A small skinned and morphing file. */
function makeFile(): Uint8Array {
  const mesh = makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0), Uint32Array.of(0, 1, 2, 1, 3, 2));
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const turned = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const model = {
    kind: 'skin' as const,
    mesh,
    skeleton: {
      names: ['a', 'b'],
      parents: Int32Array.of(-1, 0),
      bindMatrices: Float64Array.from([...identity, ...identity]),
    },
    skin: {
      rowStart: Uint32Array.of(0, 1, 2, 3, 4),
      boneIndices: Uint32Array.of(0, 1, 0, 1),
      weights: Float32Array.of(1, 1, 1, 1),
    },
    motions: [
      {
        name: 'turn',
        times: Float64Array.of(0, 1 / 24),
        matrices: Float64Array.from([...identity, ...identity, ...identity, ...turned]),
      },
    ],
  };
  const positions = Float32Array.of(0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  const target = { name: 't', node: 0, weight: 0, vertexStart: 0, vertexCount: 4, positions };
  const morphs = { morphs: { targets: [target], restWeights: [] }, weights: [Float32Array.of(0, 1)] };
  return writeFbx(makeAsset(model), { kind: 'skin', model, morphs });
}

/** The code of the FormatError that a file gives; 'read' if it is read. Any other error is thrown. */
async function codeOf(bytes: Uint8Array): Promise<string> {
  try {
    await readFbx(bytes);
    return 'read';
  } catch (error) {
    if (error instanceof FormatError && error.format === 'fbx') return error.code;
    throw error;
  }
}

function packMesh(children: PackedNode[]): Uint8Array {
  const builder = new FbxBuilder();
  const model = builder.add('Model', 'm', 'Model', 'Mesh', [fbxProperties([])]);
  const geometry = builder.add('Geometry', 'm', 'Geometry', 'Mesh', children);
  builder.connect(model);
  builder.connect(geometry, model);
  return packFbx(builder.finish());
}

describe('a hostile FBX', () => {
  it('cut off anywhere is refused', async () => {
    const file = makeFile();
    const end = file.length - 200;
    for (let length = 0; length < end; length += 97)
      expect(await codeOf(file.slice(0, length)), `${length}`).not.toBe('read');
  });

  it('with changed bytes is read or refused', { timeout: 60_000 }, async () => {
    const file = makeFile();
    const random = makeRandom(1);
    const codes = new Set<string>();
    for (let n = 0; n < 400; n++) {
      const bytes = file.slice();
      const changes = 1 + random.below(4);
      for (let c = 0; c < changes; c++) bytes[random.below(bytes.length)] = random.below(256);
      codes.add(await codeOf(bytes));
    }
    expect(codes.size).toBeGreaterThan(3);
  });

  it('whose compressed array is longer or shorter than stated is refused', async () => {
    expect(await codeOf(liePoints(24))).toBe('length');
    expect(await codeOf(liePoints(24 << 15))).toBe('read');
    expect(await codeOf(liePoints((24 << 15) + 8))).toBe('length');
    expect(await codeOf(liePoints(2 ** 31))).toBe('limit');
  });

  it('with a cycle of models is refused', async () => {
    const builder = new FbxBuilder();
    const [a, b] = ['a', 'b'].map((name) => builder.add('Model', name, 'Model', 'Null', [fbxProperties([])]));
    builder.connect(a, b);
    builder.connect(b, a);
    expect(await codeOf(packFbx(builder.finish()))).toBe('hierarchy');
  });

  it('with indices, numbers or counts that contradict one another is refused', async () => {
    const point = (value: number) => fbxNode('Vertices', [fbxArray(Float64Array.of(0, 0, 0, 1, 0, 0, 0, value, 0))]);
    const corners = (...list: number[]) => fbxNode('PolygonVertexIndex', [fbxArray(Int32Array.from(list))]);
    expect(await codeOf(packMesh([point(1), corners(0, 1, -4)]))).toBe('index');
    expect(await codeOf(packMesh([point(1), corners(0, 1, 2)]))).toBe('empty');
    expect(await codeOf(packMesh([point(1), corners(0, -2)]))).toBe('empty');
    expect(await codeOf(new Uint8Array(0))).toBe('empty');
  });

  it('with points that are not finite shows the others, and says so', async () => {
    for (const value of [Number.NaN, Number.NEGATIVE_INFINITY, 1e300]) {
      const notes: string[] = [];
      const points = fbxNode('Vertices', [fbxArray(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 5, value, 0))]);
      const corners = fbxNode('PolygonVertexIndex', [fbxArray(Int32Array.of(0, 1, -3, 0, 2, -4))]);
      const { mesh } = await readFbx(packMesh([points, corners]), { log: (note) => notes.push(note) });
      expect(mesh.triangles).toHaveLength(6);
      expect(mesh.positions.every(Number.isFinite)).toBe(true);
      expect(notes.filter((note) => note.startsWith('1 points of mesh'))).toHaveLength(1);
    }
  });

  it('whose models share a geometry has a mesh for each, until they take too much', async () => {
    const share = (modelCount: number, pointCount: number): Uint8Array => {
      const builder = new FbxBuilder();
      const points = Float64Array.from({ length: 3 * pointCount }, (_, c) => c % 7);
      const geometry = builder.add('Geometry', 'shared', 'Geometry', 'Mesh', [
        fbxNode('Vertices', [fbxArray(points)]),
        fbxNode('PolygonVertexIndex', [fbxArray(Int32Array.of(0, 1, -3))]),
      ]);
      for (let n = 0; n < modelCount; n++) {
        const model = builder.add('Model', `m${n}`, 'Model', 'Mesh', [fbxProperties([])]);
        builder.connect(model);
        builder.connect(geometry, model);
      }
      return packFbx(builder.finish());
    };
    const { mesh } = await readFbx(share(3, 3));
    expect(mesh.parts.map(({ name, vertexStart }) => [name, vertexStart])).toEqual([
      ['m0', 0],
      ['m1', 3],
      ['m2', 6],
    ]);
    expect(await codeOf(share(1000, 2000))).toBe('limit');
  });

  it('nested too deep is refused', async () => {
    let node = fbxNode('x');
    for (let n = 0; n < 100; n++) node = fbxNode('x', [], [node]);
    expect(await codeOf(packFbx([node]))).toBe('limit');
  });
});

function findText(bytes: Uint8Array, text: string): number {
  for (let at = 0; at < bytes.length; at++) {
    let n = 0;
    while (n < text.length && bytes[at + n] === text.charCodeAt(n)) n++;
    if (n === text.length) return at;
  }
  throw new Error(`no ${text}`);
}

/** A file whose points are compressed zeros of a megabyte that state another length. */
function liePoints(stated: number): Uint8Array {
  const file = packMesh([
    fbxNode('Vertices', [fbxArray(new Float64Array(3 << 15))]),
    fbxNode('PolygonVertexIndex', [fbxArray(Int32Array.of(0, 1, -3))]),
  ]);
  const at = findText(file, 'Verticesd') + 9;
  new DataView(file.buffer).setUint32(at, stated / 8, true);
  return file;
}
