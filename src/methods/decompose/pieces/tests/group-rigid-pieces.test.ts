// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { listRigidPieces } from '../../../../core/mesh/topology/list-rigid-pieces.ts';
import type { Clip } from '../../../../core/model/clip/clip.ts';
import { groupRigidPieces } from '../group-rigid-pieces.ts';

/** Triangles in a row that rise by heights[n] at the end. */
function makeTriangles(heights: number[]): Clip {
  const corners = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
  ];
  const rest = heights.flatMap((_, n) => corners.flatMap(([x, y, z]) => [2 * n + x, y, z]));
  const frame = (part: number) =>
    heights.flatMap((height, n) => corners.flatMap(([x, y, z]) => [2 * n + x, y, z + part * height]));
  return {
    kind: 'clip',
    name: 'triangles',
    mesh: {
      name: '',
      positions: Float32Array.from(rest),
      triangles: Uint32Array.from({ length: 3 * heights.length }, (_, i) => i),
      attributes: [],
      parts: [],
    },
    positions: Float32Array.from([...frame(0), ...frame(0.5), ...frame(1)]),
    times: Float64Array.of(0, 1, 2),
  };
}

const group = (clip: Clip, options: Parameters<typeof groupRigidPieces>[2]) =>
  groupRigidPieces(clip, listRigidPieces(clip), options).map(({ pieces }) => pieces);

describe('groupRigidPieces', () => {
  it('gives every piece a group where the number suffices', () => {
    expect(group(makeTriangles([0, 1, 2]), { count: 3 })).toEqual([[0], [1], [2]]);
    expect(group(makeTriangles([0, 1, 2]), {})).toEqual([[0], [1], [2]]);
  });

  it('merges the pieces of the closest motions first', () => {
    expect(group(makeTriangles([0, 5, 0.1, 5.1, 9]), { count: 3 })).toEqual([[0, 2], [1, 3], [4]]);
  });

  it('merges within a distance, and no further', () => {
    const clip = makeTriangles([0, 0.1, 3, 3.1, 0]);
    expect(group(clip, { maxError: 0.1 })).toEqual([
      [0, 1, 4],
      [2, 3],
    ]);
    expect(group(clip, { maxError: 1e-4 })).toEqual([[0, 4], [1], [2], [3]]);
  });

  it('merges everything into one group when told to', () => {
    expect(group(makeTriangles(Array.from({ length: 20 }, (_, n) => n * 0.5)), { count: 1 })).toHaveLength(1);
  });

  it('finds the motions of pieces of several cells', () => {
    const heights = Array.from({ length: 1300 }, (_, n) => 10 * ((n * 7) % 5));
    const groups = group(makeTriangles(heights), { count: 5 });
    expect(groups.map(({ length }) => length)).toEqual(new Array(5).fill(260));
    expect(new Set(groups.map((pieces) => new Set(pieces.map((n) => heights[n])).size))).toEqual(new Set([1]));
  });
});
