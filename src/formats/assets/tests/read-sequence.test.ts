// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { writeAbc } from '../../alembic/write/write-abc.ts';
import { type InputFile, readAsset } from '../read-asset.ts';

const text = (name: string, ...lines: string[]): InputFile => ({
  name,
  bytes: new TextEncoder().encode(lines.join('\n')),
});
const triangle = (z: number) => makeMesh(Float32Array.of(0, 0, z, 1, 0, z, 0, 1, z), Uint32Array.of(0, 1, 2), 'tri');
const ply = (name: string, z: number): InputFile =>
  text(
    name,
    ...['ply', 'format ascii 1.0', 'element vertex 3', 'property float x', 'property float y', 'property float z'],
    ...[
      'element face 1',
      'property list uchar int vertex_indices',
      'end_header',
      `0 0 ${z}`,
      `1 0 ${z}`,
      `0 1 ${z}`,
      '3 0 1 2',
    ],
  );
const still = (mesh: Mesh): Clip => ({
  kind: 'clip',
  name: '',
  mesh,
  positions: mesh.positions,
  times: new Float64Array(1),
});
const abc = (name: string, z: number): InputFile => ({ name, bytes: writeAbc(still(triangle(z))) });

/** A .gltf of the triangle, its numbers in the text. */
function gltf(name: string, z: number): InputFile {
  const numbers = new Uint8Array(triangle(z).positions.buffer);
  const json = {
    asset: { version: '2.0' },
    buffers: [{ byteLength: 36, uri: `data:;base64,${btoa(String.fromCharCode(...numbers))}` }],
    bufferViews: [{ buffer: 0, byteLength: 36 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, z], max: [1, 1, z] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    nodes: [{ mesh: 0 }],
    scenes: [{ nodes: [0] }],
    scene: 0,
  };
  return text(name, JSON.stringify(json));
}

describe('readAsset of a sequence', () => {
  it('reads PLY and Alembic files as frames, the first being the rest pose', async () => {
    for (const make of [ply, abc]) {
      const { mesh, clips } = await readAsset([make('f1', 1), make('f2', 2), make('f3', 5)], { fps: 10, scale: 2 });
      expect([2, 11, 20].map((c) => clips[0].positions[c])).toEqual([2, 4, 10]);
      expect(mesh.positions[2]).toBe(2);
      expect([...clips[0].times]).toEqual([0, 0.1, 0.2]);
    }
  });

  it('reads glTF files as frames and keeps what the first one holds', async () => {
    const { mesh, clips, source, metresPerUnit } = await readAsset([gltf('a.gltf', 1), gltf('b.gltf', 3)]);
    expect(mesh.positions[2]).toBe(1);
    expect([2, 11].map((c) => clips[0].positions[c])).toEqual([1, 3]);
    expect(source).toBeDefined();
    expect(metresPerUnit).toBe(1);
  });

  it('refuses files of several formats, and of several topologies', async () => {
    await expect(readAsset([ply('f1.ply', 0), abc('f2.abc', 0)])).rejects.toThrow(
      'f2.abc: the files of a sequence have one format, but f1.ply is PLY',
    );
    const quad = makeMesh(new Float32Array(12), Uint32Array.of(0, 1, 2, 0, 2, 3));
    await expect(readAsset([abc('f1.abc', 0), { name: 'f2.abc', bytes: writeAbc(still(quad)) }])).rejects.toThrow(
      'f2.abc: it has 4 vertices, but f1.abc has 3',
    );
  });

  it('reads frames of different topology as a sequence if the caller allows it', async () => {
    const quad = makeMesh(new Float32Array(12), Uint32Array.of(0, 1, 2, 0, 2, 3));
    const files = [abc('f1.abc', 5), { name: 'f2.abc', bytes: writeAbc(still(quad)) }];
    await expect(readAsset(files)).rejects.toThrow('ossify track makes a clip of frames that differ');
    const { mesh, clips, sequence } = await readAsset(files, { topology: 'any', fps: 2, scale: 2 });
    expect([mesh.positions[2], clips]).toEqual([10, []]);
    expect(sequence!.frames.map(({ positions }) => positions.length / 3)).toEqual([3, 4]);
    expect([...sequence!.times]).toEqual([0, 0.5]);
    const same = await readAsset([abc('f1.abc', 5), abc('f2.abc', 6)], { topology: 'any' });
    expect([same.clips.length, same.sequence]).toEqual([1, undefined]);
  });

  it('uses the first frame of each Alembic file', async () => {
    const moving = writeAbc({
      kind: 'clip',
      name: 'moving',
      mesh: triangle(0),
      positions: Float32Array.from({ length: 18 }, (_, c) => c),
      times: Float64Array.of(0, 1),
    });
    const { clips } = await readAsset([0, 1].map((k) => ({ name: `f${k}.abc`, bytes: moving })));
    expect(clips).toHaveLength(1);
    expect([...clips[0].positions.subarray(9)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
