// SPDX-License-Identifier: MIT
import { BVH_BOX_SIZE, BVH_LEAF, BVH_NONE, BVH_STACK, type TriangleBvh } from './triangle-bvh.ts';

/** Children to visit and the squared distances of their boxes. */
export interface DistanceScratch {
  children: Uint32Array;
  squares: Float64Array;
  /** The place in the hierarchy of the triangle that was found last; unchanged if none is nearer than the limit. */
  found: number;
}

/** Makes the scratch memory of squaredDistanceTo, for any number of calls. */
export function makeDistanceScratch(): DistanceScratch {
  return { children: new Uint32Array(BVH_STACK + 4), squares: new Float64Array(BVH_STACK + 4), found: 0 };
}

/** The squared distance of a point from the surface that a hierarchy is fitted to, or `limit` if it is larger. */
export function squaredDistanceTo(
  bvh: TriangleBvh,
  x: number,
  y: number,
  z: number,
  scratch: DistanceScratch,
  limit = Number.POSITIVE_INFINITY,
): number {
  const { children, boxes, corners } = bvh;
  const { children: stack, squares } = scratch;
  let least = limit;
  stack[0] = 0;
  squares[0] = 0;
  for (let top = 1; top > 0; ) {
    const child = stack[--top];
    if (squares[top] >= least) continue;
    if (child >= BVH_LEAF) {
      const first = (child & ~BVH_LEAF) >>> 2;
      for (let f = first; f <= first + (child & 3); f++) {
        const square = triangleDistance(corners, 9 * f, x, y, z);
        if (square >= least) continue;
        least = square;
        scratch.found = f;
      }
      continue;
    }
    const start = top;
    for (let lane = 0; lane < 4; lane++) {
      const next = children[4 * child + lane];
      if (next === BVH_NONE) continue;
      const o = child * BVH_BOX_SIZE + lane;
      const dx = Math.max(boxes[o] - x, 0, x - boxes[o + 12]);
      const dy = Math.max(boxes[o + 4] - y, 0, y - boxes[o + 16]);
      const dz = Math.max(boxes[o + 8] - z, 0, z - boxes[o + 20]);
      const square = dx * dx + dy * dy + dz * dz;
      if (square >= least) continue;
      // the nearest of the children is visited first
      let at = top++;
      for (; at > start && squares[at - 1] < square; at--) {
        squares[at] = squares[at - 1];
        stack[at] = stack[at - 1];
      }
      squares[at] = square;
      stack[at] = next;
    }
  }
  return least;
}

/** Squared distance of a point from a triangle: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5: by the region of the plane that it projects to. The corners start at a. */
export function triangleDistance(v: Float32Array, a: number, x: number, y: number, z: number): number {
  const b = a + 3;
  const c = a + 6;
  const ux = v[b] - v[a],
    uy = v[b + 1] - v[a + 1],
    uz = v[b + 2] - v[a + 2];
  const wx = v[c] - v[a],
    wy = v[c + 1] - v[a + 1],
    wz = v[c + 2] - v[a + 2];
  const px = x - v[a],
    py = y - v[a + 1],
    pz = z - v[a + 2];
  const d1 = ux * px + uy * py + uz * pz;
  const d2 = wx * px + wy * py + wz * pz;
  const squareAt = (s: number, t: number): number =>
    (px - s * ux - t * wx) ** 2 + (py - s * uy - t * wy) ** 2 + (pz - s * uz - t * wz) ** 2;
  if (d1 <= 0 && d2 <= 0) return squareAt(0, 0);
  const uu = ux * ux + uy * uy + uz * uz;
  const uw = ux * wx + uy * wy + uz * wz;
  const ww = wx * wx + wy * wy + wz * wz;
  const [d3, d4] = [d1 - uu, d2 - uw];
  if (d3 >= 0 && d4 <= d3) return squareAt(1, 0);
  const vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return squareAt(d1 === d3 ? 0 : d1 / (d1 - d3), 0);
  const [d5, d6] = [d1 - uw, d2 - ww];
  if (d6 >= 0 && d5 <= d6) return squareAt(0, 1);
  const vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return squareAt(0, d2 === d6 ? 0 : d2 / (d2 - d6));
  const va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const whole = d4 - d3 + (d5 - d6);
    const t = whole === 0 ? 0 : (d4 - d3) / whole;
    return squareAt(1 - t, t);
  }
  const whole = va + vb + vc;
  return whole === 0 ? squareAt(0, 0) : squareAt(vb / whole, vc / whole);
}
