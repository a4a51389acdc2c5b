// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { writeAbc } from '../../alembic/write/write-abc.ts';
import type { InputFile } from '../read-asset.ts';
import { readMeshSequence } from '../read-mesh-sequence.ts';

const text = (name: string, ...lines: string[]): InputFile => ({
  name,
  bytes: new TextEncoder().encode(lines.join('\n')),
});

/** A fan of `count` triangles around the origin, with UVs that differ at every corner. */
function fan(name: string, count: number): InputFile {
  const rim = Array.from({ length: count + 1 }, (_, n) => `v ${Math.cos(n)} ${Math.sin(n)} 0`);
  const uvs = Array.from({ length: 3 * count }, (_, n) => `vt ${n / 100} 0`);
  const faces = Array.from({ length: count }, (_, n) => `f 1/${3 * n + 1} ${n + 2}/${3 * n + 2} ${n + 3}/${3 * n + 3}`);
  return text(name, 'v 0 0 0', ...rim, ...uvs, ...faces);
}

const HEADER = ['property float x', 'property float y', 'property float z'];
const colored = (name: string, red: number): InputFile =>
  text(
    name,
    ...['ply', 'format ascii 1.0', 'element vertex 4', ...HEADER],
    ...['property uchar red', 'property uchar green', 'property uchar blue'],
    ...['element face 1', 'property list uchar int vertex_indices', 'end_header'],
    ...[`0 0 0 ${red} 0 0`, `1 0 0 ${red} 0 0`, `1 1 0 ${red} 0 0`, `0 1 0 ${red} 255 0`, '4 0 1 2 3'],
  );

describe('readMeshSequence', () => {
  it('reads files of different topology, one frame each, points unsplit', async () => {
    const { frames, times } = await readMeshSequence([fan('a/f1.obj', 3), fan('a/f2.obj', 5)], { fps: 10, scale: 2 });
    expect(frames.map(({ name }) => name)).toEqual(['f1', 'f2']);
    expect(frames.map(({ positions }) => positions.length / 3)).toEqual([5, 7]);
    expect(frames.map(({ triangles }) => triangles.length / 3)).toEqual([3, 5]);
    expect(frames[0].positions[3]).toBe(2);
    expect([...times]).toEqual([0, 0.1]);
  });

  it('reads the colours of PLY files and triangulates their polygons', async () => {
    const { frames } = await readMeshSequence([colored('f1.ply', 255), colored('f2.ply', 51)]);
    expect(frames[1].triangles).toHaveLength(6);
    expect([...frames[1].colors!.subarray(9)]).toEqual([Math.fround(0.2), 1, 0]);
  });

  it('reads the frames of one file', async () => {
    const mesh = makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), Uint32Array.of(0, 1, 2));
    const clip: Clip = {
      ...{ kind: 'clip', name: 'c', mesh, positions: Float32Array.of(...mesh.positions, ...mesh.positions) },
      times: Float64Array.of(0, 0.5),
    };
    clip.positions[9] = 7;
    const { frames, times } = await readMeshSequence([{ name: 'c.abc', bytes: writeAbc(clip) }]);
    expect(frames.map(({ name, positions }) => [name, positions[0]])).toEqual([
      ['c 1', 0],
      ['c 2', 7],
    ]);
    expect([...times]).toEqual([0, 0.5]);
  });

  it('names what is wrong', async () => {
    await expect(readMeshSequence([])).rejects.toThrow('at least one file is needed');
    await expect(readMeshSequence([fan('one.obj', 3)])).rejects.toThrow('one.obj: it has one frame; a sequence needs');
    await expect(readMeshSequence([fan('f1.obj', 3), colored('f2.ply', 0)])).rejects.toThrow(
      'f2.ply: the files of a sequence have one format, but f1.obj is OBJ',
    );
    await expect(readMeshSequence([fan('f1.obj', 3), text('f2.obj', '')])).rejects.toThrow('f2.obj: the file is empty');
    const cloud = text('f2.ply', ...['ply', 'format ascii 1.0', 'element vertex 1', ...HEADER, 'end_header', '0 0 0']);
    await expect(readMeshSequence([colored('f1.ply', 0), cloud])).rejects.toThrow('f2.ply: the file has no faces');
  });
});
