// SPDX-License-Identifier: MIT
import { nearestOfTriangle } from '../../core/math/nearest-of-triangle.ts';
import type { Lattice } from './trace-lattice.ts';

/**
 * Distances of lattice points from a surface. Each triangle visits the points of its box, grown by the reach.
 * @param positions vertexCount x 3
 * @param triangles triangleCount x 3
 * @param reach points farther than this have this value
 * @returns by x, then y, then z
 */
export function measureLatticeDistances(
  positions: Float32Array,
  triangles: Uint32Array,
  { counts, origin, spacing }: Lattice,
  reach: number,
): Float32Array {
  const [nx, ny, nz] = counts;
  const squares = new Float32Array(nx * ny * nz).fill(reach * reach);
  const corners = new Float64Array(9);
  const [first, last] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  const place = new Float64Array(3);
  for (let f = 0; f < triangles.length; f += 3) {
    for (let c = 0; c < 9; c++) corners[c] = positions[3 * triangles[f + Math.floor(c / 3)] + (c % 3)];
    for (let a = 0; a < 3; a++) {
      const low = Math.min(corners[a], corners[a + 3], corners[a + 6]) - reach;
      const high = Math.max(corners[a], corners[a + 3], corners[a + 6]) + reach;
      first[a] = Math.max(0, Math.ceil((low - origin[a]) / spacing));
      last[a] = Math.min(counts[a] - 1, Math.floor((high - origin[a]) / spacing));
    }
    for (let k = first[2]; k <= last[2]; k++)
      for (let j = first[1]; j <= last[1]; j++)
        for (let i = first[0]; i <= last[0]; i++) {
          const [x, y, z] = [origin[0] + i * spacing, origin[1] + j * spacing, origin[2] + k * spacing];
          nearestOfTriangle(corners, 0, x, y, z, place);
          const at = i + nx * (j + ny * k);
          if (place[2] < squares[at]) squares[at] = place[2];
        }
  }
  return squares.map((square) => Math.sqrt(square));
}
