// SPDX-License-Identifier: MIT
import { vertexNormalsInto } from '../core/mesh/geometry/vertex-normals.ts';
import { type Mesh, makeMesh } from '../core/model/mesh/mesh.ts';

/**
 * A box with rounded edges, centred at the origin: a lattice on the box's six sides, closed, each edge in two triangles.
 * @param size full lengths along x, y, z
 * @param resolution vertices to aim for
 */
export function makeRoundedBox(size: [number, number, number], radius: number, resolution: number, name: string): Mesh {
  const [a, b, c] = size;
  // A closed quad mesh has about as many vertices as faces: area / spacing².
  const spacing = Math.sqrt((2 * (a * b + b * c + c * a)) / Math.max(8, resolution));
  const counts = size.map((length) => Math.max(1, Math.round(length / spacing)));
  const indices = new Map<number, number>();
  const positions: number[] = [];
  const vertexAt = (lattice: number[]): number => {
    const key = (lattice[0] * (counts[1] + 1) + lattice[1]) * (counts[2] + 1) + lattice[2];
    let index = indices.get(key);
    if (index === undefined) {
      index = positions.length / 3;
      indices.set(key, index);
      positions.push(...roundedPoint(lattice, counts, size, radius));
    }
    return index;
  };

  const triangles: number[] = [];
  for (let axis = 0; axis < 3; axis++) {
    const u = (axis + 1) % 3,
      v = (axis + 2) % 3;
    for (const side of [0, counts[axis]]) {
      for (let p = 0; p < counts[u]; p++) {
        for (let q = 0; q < counts[v]; q++) {
          const at = (dp: number, dq: number): number => {
            const lattice = [0, 0, 0];
            lattice[axis] = side;
            lattice[u] = p + dp;
            lattice[v] = q + dq;
            return vertexAt(lattice);
          };
          const quad = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
          if (side === 0) quad.reverse();
          triangles.push(quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]);
        }
      }
    }
  }
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), name);
  mesh.normals = new Float32Array(mesh.positions.length);
  vertexNormalsInto(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

/** The lattice point projected onto a ball of the given radius around the nearest point of the inner box. */
function roundedPoint(lattice: number[], counts: number[], size: number[], radius: number): number[] {
  const offset = [0, 0, 0],
    inner = [0, 0, 0];
  for (let c = 0; c < 3; c++) {
    const x = size[c] * (lattice[c] / counts[c] - 0.5);
    const limit = size[c] / 2 - radius;
    inner[c] = Math.min(limit, Math.max(-limit, x));
    offset[c] = x - inner[c];
  }
  const length = Math.hypot(...offset);
  return inner.map((x, c) => x + (radius * offset[c]) / length);
}
