// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeMesh, writePc2 } from '../../../../src/entry/index.ts';
import { readFiles } from '../read-files.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const triangle = bytesOf('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
const quad = bytesOf('v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 3 2 4\n');
const PLY =
  'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n' +
  'property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n';

describe('readFiles', () => {
  it('reads frames that have the same faces', async () => {
    const files = ['a1.obj', 'a2.obj'].map((name) => ({ name, bytes: triangle }));
    const { asset, notes } = await readFiles(files, {});
    expect([asset.clips[0].times.length, notes]).toEqual([2, []]);
  });

  it('names the command that makes a clip of frames that differ, in one sentence', async () => {
    const files = [triangle, quad].map((bytes, k) => ({ name: `scan/a${k}.obj`, bytes }));
    await expect(readFiles(files, {})).rejects.toThrow(
      /^The 2 frames have different vertices or faces, .*: ossify track 'folder\/\*\.obj' out\.glb$/,
    );
  });

  it('keeps the reason why other files do not match', async () => {
    const positions = Float32Array.from({ length: 12 }, (_, c) => c % 5);
    const mesh = makeMesh(positions, Uint32Array.of(0, 1, 2, 2, 1, 3));
    const bytes = writePc2({ kind: 'clip', name: 'b', mesh, positions, times: Float64Array.of(0) });
    const pc2 = { name: 'b.pc2', bytes };
    await expect(readFiles([{ name: 'a.obj', bytes: triangle }, pc2], {})).rejects.toThrow(
      /^b\.pc2: it moves 4 vertices, but a\.obj has 3$/,
    );
    const ply = { name: 'b.ply', bytes: bytesOf(PLY) };
    await expect(readFiles([{ name: 'a.obj', bytes: triangle }, ply], {})).rejects.toThrow(
      /^b\.ply: the files of a sequence have one format/,
    );
    const frames = [quad, triangle, triangle].map((own, k) => ({ name: `a${k}.obj`, bytes: own }));
    await expect(readFiles(frames, { hasRest: true })).rejects.toThrow(
      /^a1\.obj: it has 3 vertices, but a0\.obj has 4;/,
    );
  });
});
