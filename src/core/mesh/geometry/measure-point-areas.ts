// SPDX-License-Identifier: MIT

/** Minimum area of a point relative to the mean: a ratio by the area of a sliver would otherwise have any size. */
const MIN_AREA = 1e-3;

/**
 * The area of each point: a third of its triangles, and at least a thousandth of the mean; 0 without triangles.
 * @param p pointCount x 3 positions
 * @param triangles triangleCount x 3 points
 * @returns pointCount
 */
export function measurePointAreas(p: ArrayLike<number>, triangles: Uint32Array): Float64Array {
  const areas = new Float64Array(p.length / 3);
  const isUsed = new Uint8Array(areas.length);
  let total = 0;
  for (let c = 0; c < triangles.length; c += 3) {
    const [a, b, d] = [3 * triangles[c], 3 * triangles[c + 1], 3 * triangles[c + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[d] - p[a], p[d + 1] - p[a + 1], p[d + 2] - p[a + 2]];
    const area = Math.sqrt((uy * vz - uz * vy) ** 2 + (uz * vx - ux * vz) ** 2 + (ux * vy - uy * vx) ** 2) / 6;
    for (let corner = 0; corner < 3; corner++) {
      areas[triangles[c + corner]] += area;
      isUsed[triangles[c + corner]] = 1;
    }
    total += 3 * area;
  }
  const floor = (MIN_AREA * total) / Math.max(1, areas.length);
  return areas.map((area, i) => (isUsed[i] ? Math.max(area, floor) : 0));
}
