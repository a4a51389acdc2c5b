// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { readAsset } from '../../assets/read-asset.ts';
import { matchCacheAxes, turnCache } from '../match-cache-axes.ts';
import { writeMdd } from '../write-mdd.ts';

const random = makeRandom(3);
/** A tall figure, in metres. */
const REST = Float32Array.from({ length: 300 }, (_, c) => [0.3, 1.8, 0.2][c % 3] * random.next());
const zUp = (points: Float32Array): Float32Array =>
  points.map((_, c) => [points[c - (c % 3)], -points[c - (c % 3) + 2], points[c - (c % 3) + 1]][c % 3]);

describe('matchCacheAxes', () => {
  it('finds nothing to change in a cache that fits, or that moves', () => {
    expect(matchCacheAxes(REST, REST)).toBeUndefined();
    expect(
      matchCacheAxes(
        REST,
        REST.map((x) => x + 0.4),
      ),
    ).toBeUndefined();
    expect(
      matchCacheAxes(
        REST,
        REST.map(() => random.next()),
      ),
    ).toBeUndefined();
  });

  it('takes a half turn for motion, as of a figure that starts with its back to us', () => {
    const turned = REST.map((x, c) => (c % 3 === 1 ? x : -x));
    expect(matchCacheAxes(REST, turned)).toBeUndefined();
  });

  it('finds z up, z turned round, and other axes, also if the first frame is bent', () => {
    const bent = REST.map((x, c) => x + 0.1 * Math.sin(c));
    const found = matchCacheAxes(REST, zUp(bent));
    expect(found?.name).toBe('(x, z, -y)');
    expect(turnCache(zUp(bent), found!)).toEqual(bent);
    expect(
      matchCacheAxes(
        REST,
        REST.map((x, c) => (c % 3 === 1 ? -x : x)),
      )?.name,
    ).toBe('(x, -y, z)');
    const turned = REST.map((_, c) => REST[c - (c % 3) + [1, 2, 0][c % 3]]);
    expect(matchCacheAxes(REST, turned)?.name).toBe('(z, x, y)');
  });
});

describe('readAsset of a cache with other axes', () => {
  it('turns the cache, with a note', async () => {
    const mesh = { name: '', positions: REST, triangles: new Uint32Array(), attributes: [], parts: [] };
    const frames = [REST, REST.map((x) => x + 0.1)];
    const positions = Float32Array.from(frames.flatMap((frame) => [...zUp(frame)]));
    const bytes = writeMdd({ kind: 'clip', name: 'm', mesh, positions, times: Float64Array.of(0, 1 / 24) });
    const lines = Array.from({ length: 100 }, (_, i) => `v ${REST.subarray(3 * i, 3 * i + 3).join(' ')}`);
    const obj = { name: 'rest.obj', bytes: new TextEncoder().encode([...lines, 'f 1 2 3'].join('\n')) };
    const notes: string[] = [];
    const asset = await readAsset([obj, { name: 'm.mdd', bytes }], { log: (note) => notes.push(note) });
    expect(notes).toEqual(['the axes of m.mdd are not those of rest.obj: its points are read as (x, z, -y)']);
    for (const [k, frame] of frames.entries())
      expect(asset.clips[0].positions.subarray(300 * k, 300 * k + 300)).toEqual(frame);
  });
});
