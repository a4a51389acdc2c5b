// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { writeMdd } from '../../caches/write-mdd.ts';
import { writePc2 } from '../../caches/write-pc2.ts';
import { writeObj } from '../../meshes/write-obj.ts';
import type { RangeFile } from '../../shared/input-file.ts';
import { readAsset } from '../read-asset.ts';
import { readStreamed } from '../read-streamed.ts';
import { streamCache } from '../stream-cache.ts';

const VERTICES = 7;
const FRAMES = 4;

function makeClip(): Clip {
  const rest = Float32Array.from({ length: 3 * VERTICES }, (_, c) => Math.sin(c));
  const positions = Float32Array.from({ length: 3 * VERTICES * FRAMES }, (_, c) => Math.sin(c) + 0.01 * (c % 5));
  const times = Float64Array.from({ length: FRAMES }, (_, k) => k / 24);
  return { kind: 'clip', name: 'c', mesh: makeMesh(rest, Uint32Array.of(0, 1, 2, 3, 4, 5)), positions, times };
}

/** A file in memory that counts the bytes that are read. */
function makeFile(name: string, bytes: Uint8Array): RangeFile & { count: number } {
  return {
    name,
    byteLength: bytes.length,
    count: 0,
    async readInto(out, offset) {
      this.count += out.length;
      out.set(bytes.subarray(offset, offset + out.length));
    },
  };
}

describe('streamCache', () => {
  it.each([
    ['motion.pc2', writePc2],
    ['motion.mdd', writeMdd],
  ] as const)('gives the points of %s as reading the whole file does', async (name, write) => {
    const clip = makeClip();
    const bytes = write(clip);
    const mesh = { name: 'rest.obj', bytes: writeObj(clip.mesh) };
    const whole = await readAsset([mesh, { name, bytes }], { scale: 2 });
    const streamed = await readStreamed(mesh, makeFile(name, bytes), { scale: 2 });
    const { source, asset, pointOfVertex } = streamed!;
    expect([...asset.mesh.positions]).toEqual([...whole.mesh.positions]);
    expect([...source.times]).toEqual([...whole.clips[0].times]);
    const seen: number[] = [];
    await source.readBlock(2, 3, (frame, k) => {
      const o = 3 * (k * VERTICES + 2);
      expect([...frame]).toEqual([...whole.clips[0].positions.subarray(o, o + 9)]);
      seen.push(k);
    });
    expect(seen).toEqual([0, 1, 2, 3]);
    const picked = await source.pick(Uint32Array.of(1, 6), Uint32Array.of(3));
    const last = whole.clips[0].positions.subarray(9 * VERTICES);
    expect([...picked]).toEqual([...last.subarray(3, 6), ...last.subarray(18, 21)]);
    expect(pointOfVertex.length).toBe(VERTICES);
  });

  it('reads no more than the header at first', async () => {
    const file = makeFile('a.pc2', writePc2(makeClip()));
    expect((await streamCache(file))?.vertexCount).toBe(VERTICES);
    expect(file.count).toBeLessThan(100);
  });

  it('names frame and vertex of a position that is not finite, and files of a wrong length', async () => {
    const clip = makeClip();
    const bytes = writePc2(clip);
    const broken = bytes.slice();
    new DataView(broken.buffer).setFloat32(32 + 12 * (2 * VERTICES + 5), Number.NaN, true);
    const stream = await streamCache(makeFile('a.pc2', broken));
    await expect(stream!.readInto(2, 4, new Float32Array(9))).rejects.toThrow('frame 2, vertex 5');
    await expect(streamCache(makeFile('a.pc2', bytes.subarray(0, 300)))).rejects.toThrow('announces 4 frames');
    await expect(streamCache(makeFile('a.mdd', writeMdd(clip).subarray(0, 200)))).rejects.toThrow('announces');
  });

  it('is only for point caches beside a mesh of polygons', async () => {
    const clip = makeClip();
    const mesh = { name: 'rest.obj', bytes: writeObj(clip.mesh) };
    expect(await readStreamed(mesh, makeFile('rest.obj', mesh.bytes))).toBeUndefined();
    const two = { ...clip, mesh: makeMesh(new Float32Array(6), new Uint32Array()), positions: new Float32Array(24) };
    await expect(readStreamed(mesh, makeFile('a.pc2', writePc2(two)))).rejects.toThrow('it moves 2 vertices');
  });
});
