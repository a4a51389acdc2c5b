// SPDX-License-Identifier: MIT
// Separating axes: two convex shapes are disjoint if and only if their projections onto some axis are. For triangles it is enough to try the normals of both, the
// products of their edges. These do not suffice for triangles in one plane and triangles without area: there, the line between their closest points is tried.
import { closestFeatures } from './closest-features.ts';

/** Squared sine of the angle between two planes below which the products of edges are not reliable. */
const PARALLEL = 1e-12;

/**
 * Whether two triangles have a point in common. Triangles that touch within rounding may count either way; triangles without area are segments or points.
 * @param p positions, with the corners of the first triangle at a0, a1 and a2
 * @param q positions, with the corners of the second triangle at b0, b1 and b2
 */
export function intersectTriangles(
  p: Float64Array,
  a0: number,
  a1: number,
  a2: number,
  q: Float64Array,
  b0: number,
  b1: number,
  b2: number,
): boolean {
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
  // relative to the first corner, which keeps the digits of small triangles far from the origin
  const ox = p[a0],
    oy = p[a0 + 1],
    oz = p[a0 + 2];
  // edges of the first triangle: a from corner 0 to 1, b from 0 to 2, c from 1 to 2
  const ax = p[a1] - ox,
    ay = p[a1 + 1] - oy,
    az = p[a1 + 2] - oz;
  const bx = p[a2] - ox,
    by = p[a2 + 1] - oy,
    bz = p[a2 + 2] - oz;
  // corners of the second triangle
  const ux = q[b0] - ox,
    uy = q[b0 + 1] - oy,
    uz = q[b0 + 2] - oz;
  const vx = q[b1] - ox,
    vy = q[b1 + 1] - oy,
    vz = q[b1 + 2] - oz;
  const wx = q[b2] - ox,
    wy = q[b2 + 1] - oy,
    wz = q[b2 + 2] - oz;
  const isApart = (x: number, y: number, z: number): boolean => {
    const s = ax * x + ay * y + az * z;
    const t = bx * x + by * y + bz * z;
    const d = ux * x + uy * y + uz * z;
    const e = vx * x + vy * y + vz * z;
    const f = wx * x + wy * y + wz * z;
    return Math.max(0, s, t) < Math.min(d, e, f) || Math.min(0, s, t) > Math.max(d, e, f);
  };
  /** The axis at right angles to two vectors. */
  const isApartAcross = (x: number, y: number, z: number, r: number, s: number, t: number): boolean =>
    isApart(y * t - z * s, z * r - x * t, x * s - y * r);

  if (isApartAcross(ax, ay, az, bx, by, bz)) return false;
  const dx = vx - ux,
    dy = vy - uy,
    dz = vz - uz;
  const ex = wx - ux,
    ey = wy - uy,
    ez = wz - uz;
  if (isApartAcross(dx, dy, dz, ex, ey, ez)) return false;
  const cx = bx - ax,
    cy = by - ay,
    cz = bz - az;
  const fx = wx - vx,
    fy = wy - vy,
    fz = wz - vz;
  const isApartAcrossEdges = (x: number, y: number, z: number): boolean =>
    isApartAcross(x, y, z, dx, dy, dz) || isApartAcross(x, y, z, ex, ey, ez) || isApartAcross(x, y, z, fx, fy, fz);
  if (isApartAcrossEdges(ax, ay, az) || isApartAcrossEdges(bx, by, bz) || isApartAcrossEdges(cx, cy, cz)) return false;

  const nx = ay * bz - az * by,
    ny = az * bx - ax * bz,
    nz = ax * by - ay * bx;
  const mx = dy * ez - dz * ey,
    my = dz * ex - dx * ez,
    mz = dx * ey - dy * ex;
  const sine = (ny * mz - nz * my) ** 2 + (nz * mx - nx * mz) ** 2 + (nx * my - ny * mx) ** 2;
  if (sine > PARALLEL * (nx * nx + ny * ny + nz * nz) * (mx * mx + my * my + mz * mz)) return true;
  const points = new Float64Array(6);
  closestFeatures(p, [a0, a1, a2], q, [b0, b1, b2], Number.POSITIVE_INFINITY, points);
  return !isApart(points[3] - points[0], points[4] - points[1], points[5] - points[2]);
}
