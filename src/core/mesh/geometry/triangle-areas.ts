// SPDX-License-Identifier: MIT

/**
 * Areas of triangles, triangleCount numbers in square file units.
 * @param positions vertexCount x 3
 * @param triangles triangleCount x 3
 */
export function measureTriangleAreas(positions: ArrayLike<number>, triangles: Uint32Array): Float64Array {
  const areas = new Float64Array(triangles.length / 3);
  for (let f = 0; f < areas.length; f++) {
    const a = 3 * triangles[3 * f];
    const b = 3 * triangles[3 * f + 1];
    const c = 3 * triangles[3 * f + 2];
    const bx = positions[b] - positions[a];
    const by = positions[b + 1] - positions[a + 1];
    const bz = positions[b + 2] - positions[a + 2];
    const cx = positions[c] - positions[a];
    const cy = positions[c + 1] - positions[a + 1];
    const cz = positions[c + 2] - positions[a + 2];
    const nx = by * cz - bz * cy;
    const ny = bz * cx - bx * cz;
    const nz = bx * cy - by * cx;
    areas[f] = Math.sqrt(nx * nx + ny * ny + nz * nz) / 2;
  }
  return areas;
}
