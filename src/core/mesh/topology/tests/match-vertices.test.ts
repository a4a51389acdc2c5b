// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../math/random.ts';
import type { Clip } from '../../../model/clip/clip.ts';
import { reorderClip } from '../../../model/clip/reorder-clip.ts';
import { makeMesh } from '../../../model/mesh/mesh.ts';
import { matchVertices } from '../match-vertices.ts';

/** A sheet of n x n vertices, folded in half in its second frame: two vertices each are at the same place there. */
function makeFold(n: number): Clip {
  const rest = new Float32Array(3 * n * n);
  const positions = new Float32Array(2 * rest.length);
  for (let i = 0; i < n * n; i++) {
    const [x, y] = [i % n, Math.floor(i / n)];
    rest.set([x, y, 0], 3 * i);
    positions.set([x, y, 0], 3 * i);
    positions.set([Math.min(x, n - 1 - x), y, 0], rest.length + 3 * i);
  }
  const triangles = Uint32Array.of(0, 1, n);
  return { kind: 'clip', name: 'fold', mesh: makeMesh(rest, triangles), positions, times: Float64Array.of(0, 1) };
}

describe('matchVertices', () => {
  it('finds the order of a shuffled clip with noise, even where parts touch', () => {
    const clip = makeFold(12);
    const random = makeRandom(3);
    const order = Uint32Array.from({ length: 144 }, (_, i) => i);
    for (let i = 143; i > 0; i--) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    const shuffled = reorderClip(clip, order);
    for (const values of [shuffled.positions, shuffled.mesh.positions])
      for (let c = 0; c < values.length; c++) values[c] += 0.2 * (random.next() - 0.5);
    expect(matchVertices(clip, shuffled)).toEqual(order);
  });

  it('matches a vertex that was split twice', () => {
    const clip = makeFold(5);
    const order = Uint32Array.from([...Array(25).keys(), 7]);
    expect(matchVertices(clip, reorderClip(clip, order))).toEqual(order);
  });

  it('finds nothing for a shape that is somewhere else', () => {
    const clip = makeFold(5);
    const away = {
      ...clip,
      mesh: makeMesh(
        clip.mesh.positions.map((x) => x + 1000),
        clip.mesh.triangles,
      ),
    };
    expect(matchVertices(clip, away)).toBeUndefined();
  });
});
