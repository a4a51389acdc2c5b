// SPDX-License-Identifier: MIT

/** A place on a surface: the corners of a triangle, and their weights. */
export interface SurfacePoint {
  corners: [number, number, number];
  at: [number, number, number];
}

/** Cells per mean edge. */
const CELL = 2;

/** Makes a function that finds the nearest place of a surface to a point close to it, through a grid of its triangles. */
export function makeSurfaceMap(
  positions: Float32Array,
  triangles: Uint32Array,
): (points: Float32Array, c: number) => SurfacePoint {
  let edges = 0;
  for (let t = 0; t < triangles.length; t += 3) edges += distance(positions, triangles[t], triangles[t + 1]);
  const size = (CELL * edges) / (triangles.length / 3);
  const cells = new Map<string, number[]>();
  const keyOf = (x: number, y: number, z: number) => `${Math.floor(x)} ${Math.floor(y)} ${Math.floor(z)}`;
  for (let t = 0; t < triangles.length; t += 3) {
    const [x, y, z] = [0, 1, 2].map(
      (r) => [0, 1, 2].reduce((sum, n) => sum + positions[3 * triangles[t + n] + r], 0) / (3 * size),
    );
    const key = keyOf(x, y, z);
    const list = cells.get(key);
    if (list) list.push(t);
    else cells.set(key, [t]);
  }
  return (points, c) => {
    let best: SurfacePoint | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (let reach = 1; !best && reach < 50; reach++)
      for (let x = -reach; x <= reach; x++)
        for (let y = -reach; y <= reach; y++)
          for (let z = -reach; z <= reach; z++)
            for (const t of cells.get(
              keyOf(points[c] / size + x, points[c + 1] / size + y, points[c + 2] / size + z),
            ) ?? []) {
              const corners: SurfacePoint['corners'] = [triangles[t], triangles[t + 1], triangles[t + 2]];
              const { at, square } = nearestOf(positions, corners, points, c);
              if (square < least) [best, least] = [{ corners, at }, square];
            }
    return best!;
  };
}

function distance(p: Float32Array, a: number, b: number): number {
  return Math.hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2]);
}

/** Weights of the corners at the nearest place of a triangle: inside, or on one of its edges. */
function nearestOf(p: Float32Array, corners: SurfacePoint['corners'], points: Float32Array, c: number) {
  const [a, b, d] = corners.map((i) => [p[3 * i], p[3 * i + 1], p[3 * i + 2]]);
  const q = [points[c], points[c + 1], points[c + 2]];
  const sub = (u: number[], v: number[]) => u.map((x, r) => x - v[r]);
  const dot = (u: number[], v: number[]) => u.reduce((sum, x, r) => sum + x * v[r], 0);
  const candidates: SurfacePoint['at'][] = [];
  const [u, v, w] = [sub(b, a), sub(d, a), sub(q, a)];
  const [uu, uv, vv, uw, vw] = [dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)];
  const determinant = uu * vv - uv * uv;
  const [s, t] = [(vv * uw - uv * vw) / determinant, (uu * vw - uv * uw) / determinant];
  if (s >= 0 && t >= 0 && s + t <= 1) candidates.push([1 - s - t, s, t]);
  const along = (from: number[], to: number[]) => {
    const e = sub(to, from);
    return Math.min(1, Math.max(0, dot(e, sub(q, from)) / dot(e, e)));
  };
  const [ab, ad, bd] = [along(a, b), along(a, d), along(b, d)];
  candidates.push([1 - ab, ab, 0], [1 - ad, 0, ad], [0, 1 - bd, bd]);
  let best = { at: candidates[0], square: Number.POSITIVE_INFINITY };
  for (const at of candidates) {
    const square = [0, 1, 2].reduce((sum, r) => sum + (at[0] * a[r] + at[1] * b[r] + at[2] * d[r] - q[r]) ** 2, 0);
    if (square < best.square) best = { at, square };
  }
  return best;
}
