// SPDX-License-Identifier: MIT

import { transformPoints } from '../../src/core/math/mat4.ts';
import type { Deformer, Pose } from '../../src/core/model/deformed/deformer.ts';
import type { CollisionModel } from '../../src/entry/collide.ts';
import { intersectTriangles } from '../../src/methods/collide/index.ts';

/** All triangles of a posed model, in the order of their lowest x. */
export interface SortedTriangles {
  positions: Float64Array;
  /** triangleCount x 3 offsets */
  corners: Uint32Array;
  /** triangleCount indices, by ascending minimum of x */
  order: Uint32Array;
  /** triangleCount x 6, by triangle: minimum and maximum x y z */
  boxes: Float64Array;
}

/** Deforms and sorts all triangles. */
export function sortTriangles(
  model: CollisionModel,
  deformer: Deformer,
  pose: Pose,
  world: Float64Array,
): SortedTriangles {
  const shape = new Float32Array(model.mesh.positions.length);
  deformer.deformInto(pose, shape);
  const positions = new Float64Array(shape.length);
  transformPoints(world, shape, positions);
  const corners = model.mesh.triangles.map((i) => 3 * i);
  const boxes = new Float64Array(2 * corners.length);
  for (let t = 0; t < corners.length / 3; t++) {
    for (let c = 0; c < 3; c++) {
      const u = positions[corners[3 * t] + c];
      const v = positions[corners[3 * t + 1] + c];
      const w = positions[corners[3 * t + 2] + c];
      boxes[6 * t + c] = Math.min(u, v, w);
      boxes[6 * t + 3 + c] = Math.max(u, v, w);
    }
  }
  const order = Uint32Array.from({ length: corners.length / 3 }, (_, t) => t);
  order.sort((s, t) => boxes[6 * s] - boxes[6 * t]);
  return { positions, corners, order, boxes };
}

/** Pairs of triangles that intersect, as a × triangleCountB + b: every pair whose boxes overlap is compared. */
export function bruteOverlap(a: SortedTriangles, b: SortedTriangles): Set<number> {
  const pairs = new Set<number>();
  const count = b.order.length;
  let first = 0;
  const widest = widestOf(b);
  for (const s of a.order) {
    const o = 6 * s;
    // triangles of b that begin so far below that none of them reaches s, nor any later one
    while (first < count && b.boxes[6 * b.order[first]] + widest < a.boxes[o]) first++;
    for (let n = first; n < count && b.boxes[6 * b.order[n]] <= a.boxes[o + 3]; n++) {
      const t = b.order[n];
      if (!isNear(a.boxes, o, b.boxes, 6 * t)) continue;
      const [i, j] = [a.corners.subarray(3 * s), b.corners.subarray(3 * t)];
      if (intersectTriangles(a.positions, i, b.positions, j)) pairs.add(s * count + t);
    }
  }
  return pairs;
}

function widestOf({ boxes }: SortedTriangles): number {
  let widest = 0;
  for (let o = 0; o < boxes.length; o += 6) widest = Math.max(widest, boxes[o + 3] - boxes[o]);
  return widest * (1 + 1e-9);
}

function isNear(p: Float64Array, s: number, q: Float64Array, t: number): boolean {
  for (let c = 0; c < 3; c++) if (p[s + c] > q[t + 3 + c] || q[t + c] > p[s + 3 + c]) return false;
  return true;
}
