// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeMesh } from '../../../model/mesh/mesh.ts';
import { listConnectedParts } from '../connected-parts.ts';
import { weldVertices } from '../weld.ts';

describe('listConnectedParts', () => {
  // 0---1  3---4     7 alone
  // |  /   |  /
  // 2      5       6 lies on 2
  const positions = new Float32Array([0, 1, 0, 1, 1, 0, 0, 0, 0, 5, 1, 0, 6, 1, 0, 5, 0, 0, 0, 0, 0, 9, 9, 9]);
  const triangles = new Uint32Array([0, 1, 2, 3, 5, 4]);

  it('separates what no triangle joins, in order of the first vertex', () => {
    const parts = listConnectedParts(makeMesh(positions, triangles));
    expect(parts.map((p) => [...p.vertices])).toEqual([[0, 1, 2, 6], [3, 4, 5], [7]]);
    expect(parts.map((p) => p.triangleCount)).toEqual([1, 1, 0]);
  });

  it('joins across a seam, where vertices only coincide', () => {
    const seam = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0]);
    const mesh = makeMesh(seam, new Uint32Array([0, 1, 2, 3, 5, 4]));
    expect(listConnectedParts(mesh)).toHaveLength(1);
    const apart = weldVertices(new Float32Array(Array.from({ length: 18 }, (_, c) => c)));
    expect(listConnectedParts(mesh, apart)).toHaveLength(2);
  });

  it('handles a long chain and no vertices at all', () => {
    const count = 20_000;
    const strip = Uint32Array.from({ length: 3 * (count - 2) }, (_, c) => Math.floor(c / 3) + (c % 3)).reverse();
    const line = Float32Array.from({ length: 3 * count }, (_, c) => c);
    expect(listConnectedParts(makeMesh(line, strip))).toHaveLength(1);
    expect(listConnectedParts(makeMesh(new Float32Array(), new Uint32Array()))).toEqual([]);
  });
});
