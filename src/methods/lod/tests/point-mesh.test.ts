// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { weldVertices } from '../../../core/mesh/topology/weld.ts';
import { PointMesh } from '../point-mesh.ts';

/** A grid of n x n quads; columns from `seam` on have their own vertices along that column. */
function makeGrid(n: number, seam = -1) {
  const positions: number[] = [];
  const index = new Map<string, number>();
  const vertex = (x: number, y: number, side: number): number => {
    const key = `${x} ${y} ${x === seam ? side : 0}`;
    if (!index.has(key)) {
      index.set(key, positions.length / 3);
      positions.push(x, y, 0);
    }
    return index.get(key)!;
  };
  const triangles: number[] = [];
  for (let y = 0; y < n; y++)
    for (let x = 0; x < n; x++) {
      const side = x >= seam ? 1 : 0;
      const [a, b, c, d] = [
        vertex(x, y, side),
        vertex(x + 1, y, side),
        vertex(x + 1, y + 1, side),
        vertex(x, y + 1, side),
      ];
      triangles.push(a, b, c, a, c, d);
    }
  const weld = weldVertices(new Float32Array(positions));
  const pointAt = (x: number, y: number): number => weld.pointOfVertex[vertex(x, y, 0)];
  return { surface: new PointMesh(Uint32Array.from(triangles), weld), pointAt, weld };
}

describe('PointMesh', () => {
  it('removes two triangles by a collapse inside and one at the border', () => {
    const { surface, pointAt } = makeGrid(4);
    expect(surface.triangleCount).toBe(32);
    const map = surface.planCollapse(pointAt(2, 2), pointAt(2, 1))!;
    surface.collapse(pointAt(2, 2), pointAt(2, 1), map);
    expect(surface.triangleCount).toBe(30);
    const edge = surface.planCollapse(pointAt(1, 0), pointAt(2, 0))!;
    surface.collapse(pointAt(1, 0), pointAt(2, 0), edge);
    expect(surface.triangleCount).toBe(29);
    expect(surface.listNeighbours(pointAt(1, 0))).toEqual([]);
  });

  it('collapses points of a border along the border only', () => {
    const { surface, pointAt } = makeGrid(4);
    expect(surface.planCollapse(pointAt(2, 0), pointAt(2, 1))).toBeUndefined();
    expect(surface.planCollapse(pointAt(2, 0), pointAt(3, 0))).toBeDefined();
    expect(surface.planCollapse(pointAt(2, 1), pointAt(2, 0))).toBeDefined();
  });

  it('collapses points of a seam along the seam only, each side to its own vertex', () => {
    const { surface, pointAt, weld } = makeGrid(4, 2);
    expect(surface.planCollapse(pointAt(2, 2), pointAt(3, 2))).toBeUndefined();
    expect(surface.planCollapse(pointAt(2, 2), pointAt(1, 2))).toBeUndefined();
    expect(surface.planCollapse(pointAt(1, 2), pointAt(2, 2))).toBeDefined();
    const map = surface.planCollapse(pointAt(2, 2), pointAt(2, 1))!;
    expect(map.size).toBe(2);
    expect(new Set(map.values()).size).toBe(2);
    for (const wedge of map.values()) expect(weld.pointOfVertex[wedge]).toBe(pointAt(2, 1));
  });

  it('does not close a tunnel or flatten a tetrahedron, and locks points where surfaces branch', () => {
    const tetrahedron = new PointMesh(
      new Uint32Array([0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2]),
      weldVertices(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])),
    );
    expect(tetrahedron.planCollapse(0, 1)).toBeUndefined();
    // three triangles at the edge from 0 to 1
    const fan = new PointMesh(
      new Uint32Array([0, 1, 2, 0, 1, 3, 0, 1, 4]),
      weldVertices(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0])),
    );
    expect([...fan.isLocked]).toEqual([1, 1, 0, 0, 0]);
  });

  it('visits few triangles for a change at the rim of a large fan, and keeps its counts right', () => {
    const [count, kept] = [3000, 1000];
    const positions = [0, 0, 0];
    const triangles: number[] = [];
    for (let k = 0; k < count; k++) {
      const angle = (2 * Math.PI * k) / count;
      positions.push(Math.cos(angle), Math.sin(angle), 0);
      triangles.push(0, 1 + k, 1 + ((k + 1) % count));
    }
    const surface = new PointMesh(Uint32Array.from(triangles), weldVertices(new Float32Array(positions)));
    let visits = 0;
    const { pointAt } = surface;
    surface.pointAt = (corner) => {
      visits++;
      return pointAt.call(surface, corner);
    };
    expect([surface.isHub(0), surface.isHub(1), surface.isBorder(0), surface.isBorder(1)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    let next = 1;
    for (let k = 1; surface.triangleCount > kept; k++) {
      const map = surface.planCollapse(k, next === k ? k + 1 : next);
      expect(map).toBeDefined();
      if (map) surface.collapse(k, next === k ? k + 1 : next, map);
      next = k + 1;
    }
    expect(surface.triangleCount).toBe(kept);
    // a visit of the whole fan for every collapse would be millions
    expect(visits).toBeLessThan(200 * (count - kept));
    expect(surface.listNeighbours(0)).toHaveLength(kept);
    expect([surface.isHub(0), surface.isBorder(0)]).toEqual([true, false]);
  });

  it('knows the edges between points of many triangles', () => {
    // two pyramids over one ring: their tips share neighbours, and no edge
    const count = 400;
    const positions = [0, 0, 1, 0, 0, -1];
    const triangles: number[] = [];
    for (let k = 0; k < count; k++) {
      const angle = (2 * Math.PI * k) / count;
      positions.push(Math.cos(angle), Math.sin(angle), 0);
      triangles.push(0, 2 + k, 2 + ((k + 1) % count), 1, 2 + ((k + 1) % count), 2 + k);
    }
    const surface = new PointMesh(Uint32Array.from(triangles), weldVertices(new Float32Array(positions)));
    const map = surface.planCollapse(2, 3);
    expect(map).toBeDefined();
    if (map) surface.collapse(2, 3, map);
    expect(surface.listNeighbours(3).sort((a, b) => a - b)).toEqual([0, 1, 4, 1 + count]);
    expect(surface.planCollapse(3, 0)).toBeDefined();
  });
});
