// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { makeAdjacency } from '../adjacency.ts';
import { RingPatch } from '../ring-patch.ts';

/** A strip of triangles, 0 to 9, and one triangle apart. */
const STRIP = Uint32Array.from([...Array.from({ length: 8 }, (_, n) => [n, n + 1, n + 2]).flat(), 10, 11, 12]);

it('lists a vertex and its neighbours ring by ring, within their part', () => {
  const patches = new RingPatch(makeAdjacency(13, STRIP));
  expect(patches.list(5, 7)).toEqual([5, 3, 4, 6, 7, 1, 2]);
  expect(patches.list(5, 3)).toEqual([5, 3, 4]);
  expect(patches.list(11, 7)).toEqual([11, 10, 12]);
});

it('lists the patches of all vertices at once', () => {
  const adjacency = makeAdjacency(13, STRIP);
  const { patches, sizes } = new RingPatch(adjacency).listAll(6);
  const single = new RingPatch(adjacency);
  for (let i = 0; i < 13; i++) expect([...patches.subarray(6 * i, 6 * i + sizes[i])]).toEqual(single.list(i, 6));
});
