// SPDX-License-Identifier: MIT
// Alembic files, PLY sequences and topology that changes, as a user gives them.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ABC_TYPES, writeAbcArchive } from '../../../formats/alembic/write/abc-archive-writer.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => {
  const result = await captureCli(words);
  expect(result.status, result.err).toBe(0);
  return result;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-alembic-'));
  await mkdir(at('abc'));
  for (const file of ['abc/bar.abc', 'bar.pc2'])
    await run('sample', 'bar-bend', at(file), '--resolution', '150', '--frames', '6');
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Points of a triangle that moves; in the last frame its corners are in another order. */
function makeChanging(): Uint8Array {
  const bytes = (array: Float32Array | Int32Array) => new Uint8Array(array.buffer);
  const frame = (z: number) => bytes(Float32Array.of(0, 0, z, 1, 0, z, 0, 1, z));
  const array = { isArray: true, metadata: '', extent: 1, type: ABC_TYPES.int32 };
  const properties = [
    { ...array, name: 'P', extent: 3, type: ABC_TYPES.float32, samples: [0, 1, 2].map(frame) },
    { ...array, name: '.faceCounts', samples: [bytes(Int32Array.of(3))] },
    {
      ...array,
      name: '.faceIndices',
      samples: [Int32Array.of(0, 1, 2), Int32Array.of(0, 1, 2), Int32Array.of(0, 2, 1)].map(bytes),
    },
  ];
  const geometry = [{ name: '.geom', metadata: '', properties }];
  const mesh = { name: 'cloth', metadata: 'schema=AbcGeom_PolyMesh_v1', properties: geometry, children: [] };
  return writeAbcArchive([mesh], Float64Array.of(0, 1 / 24, 2 / 24), '');
}

describe('Alembic files', () => {
  it('decompose to the same bytes as a point cache of the same numbers', async () => {
    await run('decompose', at('abc/bar.abc'), at('a.glb'), '--bones', '2');
    await run('decompose', `${at('bar.obj')}+${at('bar.pc2')}`, at('b.glb'), '--bones', '2', '--fps', '30');
    expect((await readFile(at('a.glb'))).equals(await readFile(at('b.glb')))).toBe(true);
  });

  it('are read up to the frame in which their topology changes', async () => {
    await writeFile(at('changing.abc'), makeChanging());
    const refused = await captureCli(['decompose', at('changing.abc'), at('c.glb'), '--bones', '1']);
    expect(refused.status).toBe(1);
    expect(refused.err).toContain('the topology of "cloth" changes at frame 2 (0.0833 s)');
    expect(refused.err).toContain('--frames :1');
    const { out } = await run('decompose', at('changing.abc'), at('c.glb'), '--bones', '1', '--frames', ':1');
    expect(out).toContain('2 frames');
  });
});

describe('a sequence of PLY files', () => {
  it('is a clip, with its rest pose apart or not', async () => {
    const header = [
      'ply',
      'format ascii 1.0',
      'element vertex 3',
      'property float x',
      'property float y',
      'property float z',
    ];
    const faces = ['element face 1', 'property list uchar int vertex_indices', 'end_header'];
    for (const k of [0, 1, 2])
      await writeFile(at(`f${k}.ply`), [...header, ...faces, `0 0 ${k}`, '1 0 0', '0 1 0', '3 0 1 2'].join('\n'));
    for (const [input, frames] of [
      [at('f*.ply'), 3],
      [`${at('f0.ply')}+${at('f1.ply')},${at('f2.ply')}`, 2],
    ] as const) {
      const { out } = await run('info', input, '--json');
      expect(JSON.parse(out).result.clips[0].frames).toBe(frames);
    }
  });
});
