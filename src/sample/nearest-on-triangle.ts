// SPDX-License-Identifier: MIT
// The nearest point of a triangle: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5, by the region of the plane that the point projects to. With edges u, w from corner a and p = x − a:
//   d₁ = u·p, d₂ = w·p,   d₃ = d₁ − u·u, d₄ = d₂ − u·w,   d₅ = d₁ − u·w, d₆ = d₂ − w·w,
// signs of d₁ … d₆ and of the areas d₁d₄ − d₃d₂, d₅d₂ − d₁d₆, d₃d₆ − d₅d₄ tell which corner, edge or face is nearest.
import { BVH_BOX_SIZE, BVH_LEAF, BVH_NONE, BVH_STACK, type TriangleBvh } from '../mesh/triangle-bvh.ts';

/** The nearest point of a surface. */
export interface SurfacePoint {
  triangle: number;
  /** Weights of the second and third corner. */
  second: number;
  third: number;
  /** Squared distance. */
  square: number;
}

/**
 * Puts the nearest point of a triangle.
 * @param v corners, the first one at a
 * @param out everything except the triangle is written
 */
export function nearestOnTriangle(
  v: ArrayLike<number>,
  a: number,
  x: number,
  y: number,
  z: number,
  out: SurfacePoint,
): void {
  const ux = v[a + 3] - v[a];
  const uy = v[a + 4] - v[a + 1];
  const uz = v[a + 5] - v[a + 2];
  const wx = v[a + 6] - v[a];
  const wy = v[a + 7] - v[a + 1];
  const wz = v[a + 8] - v[a + 2];
  const px = x - v[a];
  const py = y - v[a + 1];
  const pz = z - v[a + 2];
  const uu = ux * ux + uy * uy + uz * uz;
  const uw = ux * wx + uy * wy + uz * wz;
  const ww = wx * wx + wy * wy + wz * wz;
  const d1 = ux * px + uy * py + uz * pz;
  const d2 = wx * px + wy * py + wz * pz;
  const d3 = d1 - uu;
  const d4 = d2 - uw;
  const d5 = d1 - uw;
  const d6 = d2 - ww;
  const vc = d1 * d4 - d3 * d2;
  const vb = d5 * d2 - d1 * d6;
  const va = d3 * d6 - d5 * d4;
  let s = 0;
  let t = 0;
  if (d1 <= 0 && d2 <= 0) s = 0;
  else if (d3 >= 0 && d4 <= d3) s = 1;
  else if (d6 >= 0 && d5 <= d6) t = 1;
  else if (vc <= 0 && d1 >= 0 && d3 <= 0) s = d1 === d3 ? 0 : d1 / (d1 - d3);
  else if (vb <= 0 && d2 >= 0 && d6 <= 0) t = d2 === d6 ? 0 : d2 / (d2 - d6);
  else if (va <= 0 && d4 >= d3 && d5 >= d6) {
    const whole = d4 - d3 + (d5 - d6);
    t = whole === 0 ? 0 : (d4 - d3) / whole;
    s = 1 - t;
  } else if (va + vb + vc !== 0) {
    s = vb / (va + vb + vc);
    t = vc / (va + vb + vc);
  }
  out.second = s;
  out.third = t;
  out.square = (px - s * ux - t * wx) ** 2 + (py - s * uy - t * wy) ** 2 + (pz - s * uz - t * wz) ** 2;
}

/** Finds nearest points of a surface, the nearest box first. The result is valid until the next search. */
export function makeNearestSearch(bvh: TriangleBvh): (x: number, y: number, z: number) => Readonly<SurfacePoint> {
  const { children, boxes, corners, order } = bvh;
  const stack = new Uint32Array(BVH_STACK + 4);
  const squares = new Float64Array(BVH_STACK + 4);
  const place: SurfacePoint = { triangle: 0, second: 0, third: 0, square: 0 };
  const best: SurfacePoint = { triangle: 0, second: 0, third: 0, square: 0 };
  return (x, y, z) => {
    best.square = Number.POSITIVE_INFINITY;
    stack[0] = 0;
    squares[0] = 0;
    for (let top = 1; top > 0; ) {
      const child = stack[--top];
      if (squares[top] >= best.square) continue;
      if (child >= BVH_LEAF) {
        const first = (child & ~BVH_LEAF) >>> 2;
        for (let f = first; f <= first + (child & 3); f++) {
          nearestOnTriangle(corners, 9 * f, x, y, z, place);
          if (!(place.square < best.square)) continue;
          best.triangle = order[f];
          best.second = place.second;
          best.third = place.third;
          best.square = place.square;
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
        if (square >= best.square) continue;
        let at = top++;
        for (; at > start && squares[at - 1] < square; at--) {
          squares[at] = squares[at - 1];
          stack[at] = stack[at - 1];
        }
        squares[at] = square;
        stack[at] = next;
      }
    }
    return best;
  };
}
