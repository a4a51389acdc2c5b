// SPDX-License-Identifier: MIT
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { type Mesh, makeMesh } from '../../core/model/mesh/mesh.ts';

/** Cells from min up to, not with, max along x, y, z. */
export interface LatticeBox {
  min: readonly [number, number, number];
  max: readonly [number, number, number];
}

/**
 * The surface of boxes of lattice cells joined together, two triangles per side of a cell: closed, and for a shape without handles with two more vertices
 * than sides. Boxes that meet only along an edge are not supported.
 * @param place the position of a lattice point
 */
export function makeLatticeSurface(
  boxes: readonly LatticeBox[],
  place: (x: number, y: number, z: number) => ArrayLike<number>,
  name: string,
): Mesh {
  const isInside = (cell: readonly number[]): boolean =>
    boxes.some(({ min, max }) => cell.every((x, c) => x >= min[c] && x < max[c]));
  const indices = new Map<string, number>();
  const positions: number[] = [];
  const triangles: number[] = [];
  const vertexAt = (point: number[]): number => {
    const key = point.join(' ');
    let index = indices.get(key);
    if (index === undefined) {
      index = positions.length / 3;
      indices.set(key, index);
      const [x, y, z] = Array.from(place(point[0], point[1], point[2]));
      positions.push(x, y, z);
    }
    return index;
  };
  const seen = new Set<string>();
  const visit = (cell: readonly [number, number, number]): void => {
    const key = cell.join(' ');
    if (seen.has(key)) return;
    seen.add(key);
    for (let axis = 0; axis < 3; axis++) {
      for (const side of [0, 1]) {
        const next = [...cell];
        next[axis] += side ? 1 : -1;
        if (isInside(next)) continue;
        const quad = listSideCorners(cell, axis, side).map(vertexAt);
        if (side === 0) quad.reverse();
        // diagonals alternate, so that the surface has no preferred direction
        const turn = (cell[0] + cell[1] + cell[2] + axis) & 1;
        const at = (n: number): number => quad[(n + turn) % 4];
        triangles.push(at(0), at(1), at(2), at(0), at(2), at(3));
      }
    }
  };
  for (const { min, max } of boxes) {
    for (let x = min[0]; x < max[0]; x++) {
      for (let y = min[1]; y < max[1]; y++) {
        for (let z = min[2]; z < max[2]; z++) visit([x, y, z]);
      }
    }
  }
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), name);
  mesh.normals = new Float32Array(positions.length);
  vertexNormalsInto(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

/** The lattice points of a side of a cell, counter-clockwise along the axis. */
function listSideCorners(cell: readonly number[], axis: number, side: number): number[][] {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const cornerOf = (du: number, dv: number): number[] => {
    const point = [...cell];
    point[axis] += side;
    point[u] += du;
    point[v] += dv;
    return point;
  };
  return [cornerOf(0, 0), cornerOf(1, 0), cornerOf(1, 1), cornerOf(0, 1)];
}
