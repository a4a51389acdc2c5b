// SPDX-License-Identifier: MIT
// Separating axes: two convex shapes are disjoint if and only if their projections onto some axis are. For triangles it is enough to try the normals of both, the
// products of their edges. These do not suffice for triangles in one plane and triangles without area: there, the line between their closest points is tried.
import { ClosestFeatures } from './closest-features.ts';

/** Squared sine of the angle between two planes below which the products of edges are not reliable. */
const PARALLEL = 1e-12;

/** Length of the scratch array: corners and edges of both triangles. */
export const TRIANGLE_SCRATCH = 36;
const CORNERS_B = 9;
const EDGES_A = 18;
const EDGES_B = 27;

/**
 * Whether two triangles have a point in common. Triangles that touch within rounding may count either way; triangles without area are segments or points.
 * @param p positions, with the corners of the first triangle at a
 * @param a three offsets into p
 * @param q positions, with the corners of the second triangle at b
 * @param b three offsets into q
 * @param scratch TRIANGLE_SCRATCH numbers
 */
export function intersectTriangles(
  p: Float64Array,
  a: ArrayLike<number>,
  q: Float64Array,
  b: ArrayLike<number>,
  scratch?: Float64Array,
): boolean {
  const [a0, a1, a2] = [a[0], a[1], a[2]];
  const [b0, b1, b2] = [b[0], b[1], b[2]];
  // the axes of the box first: cheap, and enough for most pairs
  for (let c = 0; c < 3; c++) {
    const u = p[a0 + c],
      v = p[a1 + c],
      w = p[a2 + c];
    const x = q[b0 + c],
      y = q[b1 + c],
      z = q[b2 + c];
    if (Math.min(u, v, w) > Math.max(x, y, z) || Math.max(u, v, w) < Math.min(x, y, z)) return false;
  }
  const t = scratch ?? new Float64Array(TRIANGLE_SCRATCH);
  for (let c = 0; c < 3; c++) {
    // relative to the first corner, which keeps the digits of small triangles far from the origin
    const origin = p[a0 + c];
    t[c] = 0;
    t[3 + c] = p[a1 + c] - origin;
    t[6 + c] = p[a2 + c] - origin;
    t[CORNERS_B + c] = q[b0 + c] - origin;
    t[CORNERS_B + 3 + c] = q[b1 + c] - origin;
    t[CORNERS_B + 6 + c] = q[b2 + c] - origin;
    for (let o = 0; o < 18; o += 9) {
      t[EDGES_A + o + c] = t[o + 3 + c] - t[o + c];
      t[EDGES_A + o + 3 + c] = t[o + 6 + c] - t[o + c];
      t[EDGES_A + o + 6 + c] = t[o + 6 + c] - t[o + 3 + c];
    }
  }
  if (isApartAcross(t, EDGES_A, EDGES_A + 3) || isApartAcross(t, EDGES_B, EDGES_B + 3)) return false;
  for (let i = EDGES_A; i < EDGES_A + 9; i += 3) {
    for (let j = EDGES_B; j < EDGES_B + 9; j += 3) if (isApartAcross(t, i, j)) return false;
  }
  if (!isFlat(t)) return true;
  const points = new Float64Array(6);
  new ClosestFeatures().find(p, a, q, b, Number.POSITIVE_INFINITY, points);
  return !isApart(t, points[3] - points[0], points[4] - points[1], points[5] - points[2]);
}

/** Whether the axis at right angles to the edges at i and j separates the corners. */
function isApartAcross(t: Float64Array, i: number, j: number): boolean {
  return isApart(
    t,
    t[i + 1] * t[j + 2] - t[i + 2] * t[j + 1],
    t[i + 2] * t[j] - t[i] * t[j + 2],
    t[i] * t[j + 1] - t[i + 1] * t[j],
  );
}

function isApart(t: Float64Array, x: number, y: number, z: number): boolean {
  const b = t[3] * x + t[4] * y + t[5] * z;
  const c = t[6] * x + t[7] * y + t[8] * z;
  const d = t[9] * x + t[10] * y + t[11] * z;
  const e = t[12] * x + t[13] * y + t[14] * z;
  const f = t[15] * x + t[16] * y + t[17] * z;
  return Math.max(0, b, c) < Math.min(d, e, f) || Math.min(0, b, c) > Math.max(d, e, f);
}

/** Whether the planes are parallel, or a triangle has no area. */
function isFlat(t: Float64Array): boolean {
  const nx = t[4] * t[8] - t[5] * t[7],
    ny = t[5] * t[6] - t[3] * t[8],
    nz = t[3] * t[7] - t[4] * t[6];
  const [o, e] = [EDGES_B, EDGES_B + 3];
  const mx = t[o + 1] * t[e + 2] - t[o + 2] * t[e + 1],
    my = t[o + 2] * t[e] - t[o] * t[e + 2],
    mz = t[o] * t[e + 1] - t[o + 1] * t[e];
  const sine = (ny * mz - nz * my) ** 2 + (nz * mx - nx * mz) ** 2 + (nx * my - ny * mx) ** 2;
  return !(sine > PARALLEL * (nx * nx + ny * ny + nz * nz) * (mx * mx + my * my + mz * mz));
}
