// SPDX-License-Identifier: MIT
// The closest points of two disjoint triangles are on two edges, or at a corner of one and inside the other. The closest points of two segments are inside both, or at an end of one.
// Each of these is tried by itself, so that parallel edges and triangles without area need no tolerance.

/**
 * The smallest squared distance between corners, edges and faces of two triangles. It is the distance of the triangles unless an edge of one passes through
 * the inside of the other. Fills the closest points if it is below the limit, and returns the limit otherwise.
 * @param p positions, with the corners of the first triangle at a
 * @param a three offsets into p
 * @param q positions, with the corners of the second triangle at b
 * @param b three offsets into q
 * @param out 6: the closest point of each triangle
 */
export function closestFeatures(
  p: Float64Array,
  a: ArrayLike<number>,
  q: Float64Array,
  b: ArrayLike<number>,
  limit: number,
  out: Float64Array,
): number {
  let best = limit;
  for (let n = 0; n < 3; n++) {
    for (let m = 0; m < 3; m++) {
      best = cornerToEdge(p, a[n], q, b[m], b[(m + 1) % 3], 0, best, out);
      best = cornerToEdge(q, b[m], p, a[n], a[(n + 1) % 3], 3, best, out);
      best = edgeToEdge(p, a[n], a[(n + 1) % 3], q, b[m], b[(m + 1) % 3], best, out);
    }
    best = cornerToFace(p, a[n], q, b, 0, best, out);
    best = cornerToFace(q, b[n], p, a, 3, best, out);
  }
  return best;
}

/**
 * Fills both points if they are closer than best, and returns the smaller squared distance.
 * @param place of the point of p in out: 0 or 3; the point of q is at the other
 */
function keepCloser(
  x: number,
  y: number,
  z: number,
  r: number,
  s: number,
  t: number,
  place: number,
  best: number,
  out: Float64Array,
): number {
  const square = (x - r) ** 2 + (y - s) ** 2 + (z - t) ** 2;
  if (!(square < best)) return best;
  out[place] = x;
  out[place + 1] = y;
  out[place + 2] = z;
  out[3 - place] = r;
  out[4 - place] = s;
  out[5 - place] = t;
  return square;
}

/** The point of p at i against the segment of q from k to l. */
function cornerToEdge(
  p: Float64Array,
  i: number,
  q: Float64Array,
  k: number,
  l: number,
  place: number,
  best: number,
  out: Float64Array,
): number {
  const [x, y, z] = [q[l] - q[k], q[l + 1] - q[k + 1], q[l + 2] - q[k + 2]];
  const length = x * x + y * y + z * z;
  const along = (p[i] - q[k]) * x + (p[i + 1] - q[k + 1]) * y + (p[i + 2] - q[k + 2]) * z;
  const s = along <= 0 || length === 0 ? 0 : Math.min(1, along / length);
  // at s = 1 the end itself, without rounding
  const r = s === 1 ? q[l] : q[k] + s * x;
  const t = s === 1 ? q[l + 1] : q[k + 1] + s * y;
  const u = s === 1 ? q[l + 2] : q[k + 2] + s * z;
  const square = (p[i] - r) ** 2 + (p[i + 1] - t) ** 2 + (p[i + 2] - u) ** 2;
  return square < best ? keepCloser(p[i], p[i + 1], p[i + 2], r, t, u, place, best, out) : best;
}

/** Points inside of both segments: where the line between them is at right angles to both. */
function edgeToEdge(
  p: Float64Array,
  i: number,
  j: number,
  q: Float64Array,
  k: number,
  l: number,
  best: number,
  out: Float64Array,
): number {
  const [x, y, z] = [p[j] - p[i], p[j + 1] - p[i + 1], p[j + 2] - p[i + 2]];
  const [u, v, w] = [q[l] - q[k], q[l + 1] - q[k + 1], q[l + 2] - q[k + 2]];
  const [r, s, t] = [q[k] - p[i], q[k + 1] - p[i + 1], q[k + 2] - p[i + 2]];
  const xx = x * x + y * y + z * z;
  const uu = u * u + v * v + w * w;
  const xu = x * u + y * v + z * w;
  const xr = x * r + y * s + z * t;
  const ur = u * r + v * s + w * t;
  const determinant = xx * uu - xu * xu;
  const along = (xr * uu - ur * xu) / determinant;
  const other = (xr * xu - ur * xx) / determinant;
  if (!(along > 0 && along < 1 && other > 0 && other < 1)) return best;
  return keepCloser(
    p[i] + along * x,
    p[i + 1] + along * y,
    p[i + 2] + along * z,
    q[k] + other * u,
    q[k + 1] + other * v,
    q[k + 2] + other * w,
    0,
    best,
    out,
  );
}

/** The point of p at i against the inside of a triangle of q. */
function cornerToFace(
  p: Float64Array,
  i: number,
  q: Float64Array,
  b: ArrayLike<number>,
  place: number,
  best: number,
  out: Float64Array,
): number {
  const [k, l, m] = [b[0], b[1], b[2]];
  const [x, y, z] = [q[l] - q[k], q[l + 1] - q[k + 1], q[l + 2] - q[k + 2]];
  const [u, v, w] = [q[m] - q[k], q[m + 1] - q[k + 1], q[m + 2] - q[k + 2]];
  const [r, s, t] = [p[i] - q[k], p[i + 1] - q[k + 1], p[i + 2] - q[k + 2]];
  const [nx, ny, nz] = [y * w - z * v, z * u - x * w, x * v - y * u];
  const square = nx * nx + ny * ny + nz * nz;
  // barycentric coordinates of the foot of the perpendicular
  const second = ((s * w - t * v) * nx + (t * u - r * w) * ny + (r * v - s * u) * nz) / square;
  const third = ((y * t - z * s) * nx + (z * r - x * t) * ny + (x * s - y * r) * nz) / square;
  if (!(second >= 0 && third >= 0 && second + third <= 1)) return best;
  const height = (r * nx + s * ny + t * nz) / square;
  const [fx, fy, fz] = [p[i] - height * nx, p[i + 1] - height * ny, p[i + 2] - height * nz];
  return keepCloser(p[i], p[i + 1], p[i + 2], fx, fy, fz, place, best, out);
}
