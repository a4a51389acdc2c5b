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
  const normalA = normalOf(p, a);
  const normalB = normalOf(q, b);
  // both cuts are on the line of the two planes
  const cuts = new Float64Array(12);
  if (!cutInto(p, a, { points: q, at: b[0], normal: normalB }, cuts, 0)) return false;
  if (!cutInto(q, b, { points: p, at: a[0], normal: normalA }, cuts, 6)) return false;
  const [nx, ny, nz] = normalA;
  const [mx, my, mz] = normalB;
  const [x, y, z] = [ny * mz - nz * my, nz * mx - nx * mz, nx * my - ny * mx];
  const along = (o: number): number =>
    (cuts[o] - p[a[0]]) * x + (cuts[o + 1] - p[a[0] + 1]) * y + (cuts[o + 2] - p[a[0] + 2]) * z;
  // the later of the two first ends, and the earlier of the two last ends
  const [firstA, lastA] = along(0) <= along(3) ? [0, 3] : [3, 0];
  const [firstB, lastB] = along(6) <= along(9) ? [6, 9] : [9, 6];
  const from = along(firstA) >= along(firstB) ? firstA : firstB;
  const to = along(lastA) <= along(lastB) ? lastA : lastB;
  let sum = 0;
  for (let c = 0; c < 3; c++) {
    out[c] = cuts[from + c];
    out[3 + c] = cuts[to + c];
    sum += out[c] + out[3 + c];
  }
  return Number.isFinite(sum);
}

/**
 * The same for two triangles that intersect, of which one may have no area: a segment passes through the other at a point, which is filled in for both ends.
 * Returns false if the triangles are parallel.
 */
export function meetingInto(
  p: Float64Array,
  a: Uint32Array,
  q: Float64Array,
  b: Uint32Array,
  out: Float64Array,
): boolean {
  if (!isFlat(p, a) && !isFlat(q, b)) return crossingInto(p, a, q, b, out);
  return isFlat(p, a)
    ? cutInto(p, a, { points: q, at: b[0], normal: normalOf(q, b) }, out, 0)
    : cutInto(q, b, { points: p, at: a[0], normal: normalOf(p, a) }, out, 0);
}

const isFlat = (p: Float64Array, corners: Uint32Array): boolean => normalOf(p, corners).every((x) => x === 0);

/** Product of two edges: at right angles to the triangle, with twice its area as length. */
export function normalOf(p: Float64Array, corners: Uint32Array): [number, number, number] {
  const i = corners[0],
    j = corners[1],
    k = corners[2];
  const x = p[j] - p[i],
    y = p[j + 1] - p[i + 1],
    z = p[j + 2] - p[i + 2];
  const u = p[k] - p[i],
    v = p[k + 1] - p[i + 1],
    w = p[k + 2] - p[i + 2];
  return [y * w - z * v, z * u - x * w, x * v - y * u];
}

/** The plane through a point of a list. */
interface Plane {
  points: Float64Array;
  /** Offset of the point in points. */
  at: number;
  normal: readonly number[];
}

/**
 * Fills the two points where edges of a triangle cross a plane. Returns false if all corners are on one side.
 * @param place of the first point in out; the second follows
 */
function cutInto(
  p: Float64Array,
  a: Uint32Array,
  { points: q, at: o, normal }: Plane,
  out: Float64Array,
  place: number,
): boolean {
  const heightOf = (i: number): number =>
    (p[i] - q[o]) * normal[0] + (p[i + 1] - q[o + 1]) * normal[1] + (p[i + 2] - q[o + 2]) * normal[2];
  const isAbove = [heightOf(a[0]) >= 0, heightOf(a[1]) >= 0, heightOf(a[2]) >= 0];
  // the corner that is alone on its side has the two edges that cross
  const alone = isAbove[1] === isAbove[2] ? 0 : isAbove[0] === isAbove[2] ? 1 : 2;
  if (isAbove[alone] === isAbove[(alone + 1) % 3]) return false;
  const height = heightOf(a[alone]);
  for (let n = 0; n < 2; n++) {
    const other = a[(alone + 1 + n) % 3];
    const ratio = height / (height - heightOf(other));
    for (let c = 0; c < 3; c++) out[place + 3 * n + c] = p[a[alone] + c] + ratio * (p[other + c] - p[a[alone] + c]);
  }
  return true;
}
