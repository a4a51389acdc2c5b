// SPDX-License-Identifier: MIT
import { nearestOfTriangle } from '../../core/math/nearest-of-triangle.ts';
import {
  BVH_BOX_SIZE,
  BVH_LEAF,
  BVH_NONE,
  BVH_STACK,
  type TriangleBvh,
} from '../../core/mesh/geometry/triangle-bvh.ts';

/** The nearest point of a surface. */
export interface SurfacePoint {
  triangle: number;
  /** Weights of the second and third corner. */
  second: number;
  third: number;
  /** Squared distance. */
  square: number;
}

/** Finds nearest points of a surface, the nearest box first. The result is valid until the next search. */
export function makeNearestSearch(bvh: TriangleBvh): (x: number, y: number, z: number) => Readonly<SurfacePoint> {
  const { children, boxes, corners, order } = bvh;
  const stack = new Uint32Array(BVH_STACK + 4);
  const squares = new Float64Array(BVH_STACK + 4);
  const place = new Float64Array(3);
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
          nearestOfTriangle(corners, 9 * f, x, y, z, place);
          if (!(place[2] < best.square)) continue;
          best.triangle = order[f];
          [best.second, best.third, best.square] = place;
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
