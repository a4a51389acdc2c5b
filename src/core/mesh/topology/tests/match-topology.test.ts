// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { gatherPoints, matchTopology } from '../match-topology.ts';

/** A strip of `count` quads in the plane, two triangles each, bent by `height`. */
function strip(count: number, height: number): { positions: Float32Array; triangles: Uint32Array } {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let n = 0; n <= count; n++) positions.push(n, height * n * n, 0, n, height * n * n, 1);
  for (let n = 0; n < count; n++) triangles.push(2 * n, 2 * n + 1, 2 * n + 2, 2 * n + 2, 2 * n + 1, 2 * n + 3);
  return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** The same surface with three vertices of its own for every triangle. */
function unshare({ positions, triangles }: ReturnType<typeof strip>): ReturnType<typeof strip> {
  return {
    positions: Float32Array.from([...triangles].flatMap((i) => [...positions.subarray(3 * i, 3 * i + 3)])),
    triangles: triangles.map((_, c) => c),
  };
}

describe('matchTopology', () => {
  it('maps vertices to themselves if triangles are equal', () => {
    expect([...matchTopology(strip(2, 0), strip(2, 1))!]).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('matches split vertices both ways', () => {
    const [flat, bent] = [strip(5, 0), strip(5, 0.3)];
    const toSplit = matchTopology(flat, unshare(bent))!;
    expect(gatherPoints(unshare(bent).positions, toSplit, flat.positions)).toEqual(bent.positions);
    const fromSplit = matchTopology(unshare(flat), bent)!;
    expect(gatherPoints(bent.positions, fromSplit, unshare(flat).positions)).toEqual(unshare(bent).positions);
  });

  it('matches polygons that are divided along other diagonals, and no other polygons', () => {
    const [rest, frame] = [strip(6, 0), strip(6, 0.3)];
    // the other diagonal of the second quad
    const turned = frame.triangles.slice();
    turned.set([2, 3, 5, 2, 5, 4], 6);
    expect([...matchTopology(rest, { ...frame, triangles: turned })!]).toEqual([...Array(14).keys()]);
    // the quads in another order
    expect(
      matchTopology(rest, { ...frame, triangles: Uint32Array.of(...turned.slice(6), ...turned.slice(0, 6)) }),
    ).toBeDefined();
    // copies of a vertex exchanged, as exporters of flat shading number them
    const copies = unshare(rest);
    const other = unshare(frame).triangles.slice();
    [other[2], other[3]] = [other[3], other[2]];
    expect(matchTopology(copies, { ...unshare(frame), triangles: other })).toBeDefined();
    // four vertices of two quads
    turned.set([2, 3, 5, 2, 5, 6], 6);
    expect(matchTopology(rest, { ...frame, triangles: turned })).toBeUndefined();
  });

  it('keeps vertices without a triangle where they are', () => {
    const rest = strip(1, 0);
    const lonely = { ...rest, positions: Float32Array.of(...rest.positions, 7, 8, 9) };
    const map = matchTopology(lonely, strip(1, 1))!;
    expect([...gatherPoints(strip(1, 1).positions, map, lonely.positions).subarray(12)]).toEqual([7, 8, 9]);
  });

  it('refuses other triangles, of the same number too', () => {
    expect(matchTopology(strip(4, 0), strip(5, 0))).toBeUndefined();
    const turned = strip(4, 0.1);
    turned.triangles.reverse();
    expect(matchTopology(strip(4, 0), unshare(turned))).toBeUndefined();
    expect(matchTopology(unshare(strip(4, 0)), turned)).toBeUndefined();
  });
});
