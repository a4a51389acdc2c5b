// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeDistanceScratch, squaredDistanceTo } from '../../core/mesh/geometry/squared-distance-to.ts';
import { fitTriangleBvh, makeTriangleBvh } from '../../core/mesh/geometry/triangle-bvh.ts';
import { FanTree, listFans } from '../fan-tree.ts';

/** A wavy disc of n triangles around a point, each with vertices of its own, and a triangle apart. */
function makeFan(n: number, bend: number) {
  const positions = [5, 0, 0, 6, 0, 0, 5, 1, 0];
  const rim = (k: number): number[] => {
    const angle = (2 * Math.PI * k) / n;
    return [Math.cos(angle), Math.sin(angle), bend * Math.sin(3 * angle)];
  };
  for (let k = 0; k < n; k++) positions.push(0, 0, 0, ...rim(k), ...rim(k + 1));
  return {
    positions: Float32Array.from(positions),
    triangles: Uint32Array.from({ length: 3 * n + 3 }, (_, c) => c),
  };
}

describe('FanTree', () => {
  it('finds the large fans of a surface, tips first, and leaves the other triangles', () => {
    const { positions, triangles } = makeFan(300, 0.1);
    const { fans, others } = listFans(positions, triangles);
    expect(fans.map(({ length }) => length / 3)).toEqual([300]);
    expect([...others]).toEqual([0, 1, 2]);
    const small = makeFan(200, 0.1);
    expect(listFans(small.positions, small.triangles)).toEqual({ fans: [], others: small.triangles });
  });

  it('gives the distances of a hierarchy of boxes, also in poses that it was not built for', () => {
    const built = makeFan(300, 0.1);
    const bent = makeFan(300, 0.8).positions;
    // the tips come apart
    for (let i = 9; i < bent.length; i += 9) bent[i + 2] += 0.02 * Math.sin(i);
    const fan = listFans(built.positions, built.triangles).fans[0];
    const tree = new FanTree(built.positions, fan);
    const boxes = makeTriangleBvh(built.positions, fan);
    const scratch = makeDistanceScratch();
    for (const positions of [built.positions, bent]) {
      tree.fit(positions);
      fitTriangleBvh(boxes, positions, fan);
      for (let n = 0; n < 400; n++) {
        const [x, y, z] = [Math.sin(n) * 1.4, Math.cos(3 * n) * 1.4, Math.sin(7 * n)];
        const expected = squaredDistanceTo(boxes, x, y, z, scratch);
        expect(tree.squaredDistanceTo(x, y, z, Number.POSITIVE_INFINITY)).toBe(expected);
        expect(tree.squaredDistanceTo(x, y, z, expected / 2)).toBe(expected / 2);
      }
    }
  });
});
