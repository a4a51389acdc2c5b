// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import type { Clip } from '../../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { representativeFrames } from '../representative-frames.ts';

/** A row of points that bends to the shape of a frame, and then turns and moves as a whole. */
function makeClip(bends: readonly number[]): Clip {
  const rest = Float32Array.from({ length: 30 }, (_, c) => (c % 3 === 0 ? c / 3 : c % 3 === 1 ? (c % 7) / 7 : 0));
  const positions = new Float32Array(rest.length * bends.length);
  bends.forEach((bend, k) => {
    const [c, s] = [Math.cos(k), Math.sin(k)];
    for (let i = 0; i < rest.length; i += 3) {
      const [x, y] = [rest[i], rest[i + 1] + bend * (rest[i] / 9) ** 2];
      positions.set([c * x - s * y + k, s * x + c * y, rest[i + 2]], k * rest.length + i);
    }
  });
  return {
    kind: 'clip',
    name: 'row',
    mesh: makeMesh(rest, new Uint32Array()),
    positions,
    times: Float64Array.from(bends.keys()),
  };
}

describe('representativeFrames', () => {
  it('chooses one frame of each shape, whatever the rigid motion of the frames', () => {
    const bends = Array.from({ length: 40 }, (_, k) => [0, 2, 5, 9][k % 4]);
    const { frames, cellOf } = representativeFrames(makeClip(bends), 4);
    expect(Array.from(frames, (k) => bends[k]).sort()).toEqual([0, 2, 5, 9]);
    cellOf.forEach((n, k) => {
      expect(bends[frames[n]]).toBe(bends[k]);
    });
  });

  it('makes cells of equal size, so that frames stand for the same number of others', () => {
    const random = makeRandom(3);
    const bends = Array.from({ length: 64 }, () => random.next() ** 4);
    const { frames, cellOf } = representativeFrames(makeClip(bends), 8);
    const sizes = new Uint32Array(frames.length);
    for (const n of cellOf) sizes[n]++;
    expect([...sizes]).toEqual(new Array(8).fill(8));
    frames.forEach((k, n) => {
      expect(cellOf[k]).toBe(n);
    });
    expect([...frames]).toEqual([...frames].sort((a, b) => a - b));
  });

  it('returns every frame of a short clip', () => {
    const { frames, cellOf } = representativeFrames(makeClip([0, 1, 2]), 5);
    expect([...frames]).toEqual([0, 1, 2]);
    expect([...cellOf]).toEqual([0, 1, 2]);
  });
});
