// SPDX-License-Identifier: MIT

/**
 * Fills the segment along which two triangles intersect: its two ends. Returns false, without a segment, if the triangles are parallel, have no area, or do
 * not cross the planes of one another.
 * @param p positions, with the corners of the first triangle at a
 * @param a three offsets into p
 * @param q positions, with the corners of the second triangle at b
 * @param b three offsets into q
 * @param out 6: both ends
 */
export function crossingInto(
  p: Float64Array,
  a: Uint32Array,
  q: Float64Array,
  b: Uint32Array,
  out: Float64Array,
): boolean {
  const [nx, ny, nz] = normalOf(p, a);
  const [mx, my, mz] = normalOf(q, b);
  const line = [ny * mz - nz * my, nz * mx - nx * mz, nx * my - ny * mx];
  const first = cutTriangle(p, a, mx, my, mz, q, b[0]);
  const second = cutTriangle(q, b, nx, ny, nz, p, a[0]);
  if (!first || !second) return false;
  const along = (point: readonly number[]): number =>
    (point[0] - p[a[0]]) * line[0] + (point[1] - p[a[0] + 1]) * line[1] + (point[2] - p[a[0] + 2]) * line[2];
  // both cuts are on the line of the two planes: their common part is between the inner two of the four ends
  const ends = [...first, ...second].sort((s, t) => along(s) - along(t));
  for (let c = 0; c < 3; c++) {
    out[c] = ends[1][c];
    out[3 + c] = ends[2][c];
  }
  return ends.every((end) => end.every(Number.isFinite));
}

/** Product of two edges: at right angles to the triangle, with twice its area as length. */
export function normalOf(p: Float64Array, [i, j, k]: Uint32Array): [number, number, number] {
  const [x, y, z] = [p[j] - p[i], p[j + 1] - p[i + 1], p[j + 2] - p[i + 2]];
  const [u, v, w] = [p[k] - p[i], p[k + 1] - p[i + 1], p[k + 2] - p[i + 2]];
  return [y * w - z * v, z * u - x * w, x * v - y * u];
}

/** The two points where edges of a triangle cross the plane through the point of q at o with the normal x y z. */
function cutTriangle(
  p: Float64Array,
  a: Uint32Array,
  x: number,
  y: number,
  z: number,
  q: Float64Array,
  o: number,
): [number[], number[]] | undefined {
  const heights = [...a].map((i) => (p[i] - q[o]) * x + (p[i + 1] - q[o + 1]) * y + (p[i + 2] - q[o + 2]) * z);
  // the corner that is alone on its side has the two edges that cross
  const alone = [0, 1, 2].findIndex(
    (n) => heights[n] >= 0 !== heights[(n + 1) % 3] >= 0 && heights[n] >= 0 !== heights[(n + 2) % 3] >= 0,
  );
  if (alone < 0) return undefined;
  const cut = (other: number): number[] => {
    const ratio = heights[alone] / (heights[alone] - heights[other]);
    return [0, 1, 2].map((c) => p[a[alone] + c] + ratio * (p[a[other] + c] - p[a[alone] + c]));
  };
  return [cut((alone + 1) % 3), cut((alone + 2) % 3)];
}
