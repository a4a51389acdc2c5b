// SPDX-License-Identifier: MIT
// Half of the local diameter of a shape at each joint, which is the tolerance of the joint IoU in RigNet (§7): rays from the joint, perpendicular to the bones that it connects, to the surface; half of the diameter is the
// median distance. A joint without a hit, such as one outside, gets the smallest tolerance.

import type { Sticks } from './measure-bone-distances.ts';

/** Directions per bone. */
const RAYS = 8;
/** Minimum tolerance, relative to the size. */
const LEAST = 0.005;

/** jointCount: half of the local diameter */
export function measureShapeRadii(
  { positions, parents }: Sticks,
  shape: { positions: ArrayLike<number>; triangles: Uint32Array },
  size: number,
): Float64Array {
  const count = parents.length;
  const hits: number[][] = Array.from({ length: count }, () => []);
  for (let n = 0; n < count; n++) {
    const p = parents[n];
    if (p < 0) continue;
    const way = [0, 1, 2].map((r) => positions[3 * n + r] - positions[3 * p + r]);
    for (const ray of listPerpendicular(way)) {
      for (const end of [n, p]) {
        const distance = castRay(positions, 3 * end, ray, shape);
        if (distance < Number.POSITIVE_INFINITY) hits[end].push(distance);
      }
    }
  }
  return Float64Array.from(hits, (list) => {
    const sorted = list.sort((a, b) => a - b);
    return Math.max(LEAST * size, sorted.length > 0 ? sorted[sorted.length >> 1] : 0);
  });
}

/** Unit vectors perpendicular to a vector, evenly around it; along all axes if it has no length. */
function listPerpendicular(way: readonly number[]): number[][] {
  const length = Math.hypot(...way);
  if (!(length > 0)) return [];
  const w = way.map((x) => x / length);
  // the axis that is least along the vector
  const least = w.reduce((best, x, r) => (Math.abs(x) < Math.abs(w[best]) ? r : best), 0);
  const u = [0, 1, 2].map((r) => (r === least ? 1 : 0) - w[least] * w[r]);
  const scale = Math.hypot(...u);
  for (let r = 0; r < 3; r++) u[r] /= scale;
  const v = [w[1] * u[2] - w[2] * u[1], w[2] * u[0] - w[0] * u[2], w[0] * u[1] - w[1] * u[0]];
  return Array.from({ length: RAYS }, (_, n) => {
    const angle = (2 * Math.PI * n) / RAYS;
    return [0, 1, 2].map((r) => Math.cos(angle) * u[r] + Math.sin(angle) * v[r]);
  });
}

/** Distance of the first triangle along a ray (T. Möller and B. Trumbore, "Fast, minimum storage ray-triangle intersection", 1997). */
function castRay(
  from: Float64Array,
  o: number,
  [dx, dy, dz]: readonly number[],
  { positions: p, triangles }: { positions: ArrayLike<number>; triangles: Uint32Array },
): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (let f = 0; f < triangles.length; f += 3) {
    const [a, b, c] = [3 * triangles[f], 3 * triangles[f + 1], 3 * triangles[f + 2]];
    const [ax, ay, az] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [bx, by, bz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const [hx, hy, hz] = [dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx];
    const determinant = ax * hx + ay * hy + az * hz;
    if (determinant === 0) continue;
    const [sx, sy, sz] = [from[o] - p[a], from[o + 1] - p[a + 1], from[o + 2] - p[a + 2]];
    const u = (sx * hx + sy * hy + sz * hz) / determinant;
    if (!(u >= 0 && u <= 1)) continue;
    const [qx, qy, qz] = [sy * az - sz * ay, sz * ax - sx * az, sx * ay - sy * ax];
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (!(v >= 0 && u + v <= 1)) continue;
    const t = (bx * qx + by * qy + bz * qz) / determinant;
    if (t > 0 && t < nearest) nearest = t;
  }
  return nearest;
}
