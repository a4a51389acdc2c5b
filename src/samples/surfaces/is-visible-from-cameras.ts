// SPDX-License-Identifier: MIT
// Which vertices of a surface cameras around it see. A vertex x with normal n is seen from a camera at e if (e − x)·n / |e − x| is above a minimum, and the segment from x to e meets no triangle:
// T. Möller, B. Trumbore, "Fast, minimum storage ray/triangle intersection", 1997. With edges u, w from corner a, direction d and s = x − a:
//   t = w·(s × u) / D,  b = d × w · s / D,  c = d · (s × u) / D,  D = (d × w)·u.
import type { Random } from '../../core/math/random.ts';
import { cosineOf, sineOf } from '../../core/math/sine.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import {
  BVH_BOX_SIZE,
  BVH_LEAF,
  BVH_NONE,
  BVH_STACK,
  makeTriangleBvh,
  type TriangleBvh,
} from '../../core/mesh/geometry/triangle-bvh.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';

/** Distance of the cameras from the center, in box diagonals. */
const DISTANCE = 1.5;
/** Height of every other camera above the center, and of the others below it, in box diagonals. */
const HEIGHT = 0.6;
/** Minimum cosine between normal and camera: 80 degrees. Depth is not measured on steeper surface. */
const MIN_COSINE = 0.17;
/** Start of the rays, relative to the box diagonal, so that they do not meet the triangles around their vertex. */
const OFFSET = 1e-3;

/**
 * Answers per vertex whether at least one camera sees it. Cameras are on a ring around the vertical axis y, above and below the middle in turn.
 * @param positions vertexCount x 3
 * @param triangles triangleCount x 3
 */
export function isVisibleFromCameras(
  positions: Float32Array,
  triangles: Uint32Array,
  { cameras, random }: { cameras: number; random: Random },
): Uint8Array {
  const { min, max, diagonal } = measureBounds(positions);
  const turn = random.next();
  const eyes = Array.from({ length: cameras }, (_, n) => {
    const angle = (2 * Math.PI * (n + turn)) / cameras;
    const side = [cosineOf(angle) * DISTANCE, n % 2 === 0 ? HEIGHT : -HEIGHT, sineOf(angle) * DISTANCE];
    return side.map((x, a) => (min[a] + max[a]) / 2 + x * diagonal);
  });
  const normals = new Float32Array(positions.length);
  vertexNormalsInto(positions, triangles, normals);
  const bvh = makeTriangleBvh(positions, triangles);
  const stack = new Uint32Array(BVH_STACK + 4);
  const isSeen = new Uint8Array(positions.length / 3);
  for (let o = 0; o < positions.length; o += 3) {
    const start = [0, 1, 2].map((a) => positions[o + a] + OFFSET * diagonal * normals[o + a]);
    for (const eye of eyes) {
      const way = eye.map((x, a) => x - start[a]);
      const along = way[0] * normals[o] + way[1] * normals[o + 1] + way[2] * normals[o + 2];
      if (along < MIN_COSINE * Math.hypot(...way) || isHit(bvh, start, way, stack)) continue;
      isSeen[o / 3] = 1;
      break;
    }
  }
  return isSeen;
}

/** Whether the segment x + t d, 0 < t < 1, meets a triangle. */
function isHit(
  { children, boxes, corners }: TriangleBvh,
  x: readonly number[],
  d: readonly number[],
  stack: Uint32Array,
): boolean {
  stack[0] = 0;
  for (let top = 1; top > 0; ) {
    const child = stack[--top];
    if (child >= BVH_LEAF) {
      const first = (child & ~BVH_LEAF) >>> 2;
      for (let f = first; f <= first + (child & 3); f++) if (isTriangleHit(corners, 9 * f, x, d)) return true;
      continue;
    }
    for (let lane = 0; lane < 4; lane++) {
      const next = children[4 * child + lane];
      if (next === BVH_NONE) continue;
      let [near, far] = [0, 1];
      for (let a = 0; a < 3; a++) {
        const o = child * BVH_BOX_SIZE + lane + 4 * a;
        const [p, q] = [(boxes[o] - x[a]) / d[a], (boxes[o + 12] - x[a]) / d[a]];
        near = Math.max(near, Math.min(p, q));
        far = Math.min(far, Math.max(p, q));
      }
      if (near <= far) stack[top++] = next;
    }
  }
  return false;
}

function isTriangleHit(v: Float32Array, o: number, x: readonly number[], d: readonly number[]): boolean {
  const u = [v[o + 3] - v[o], v[o + 4] - v[o + 1], v[o + 5] - v[o + 2]];
  const w = [v[o + 6] - v[o], v[o + 7] - v[o + 1], v[o + 8] - v[o + 2]];
  const s = [x[0] - v[o], x[1] - v[o + 1], x[2] - v[o + 2]];
  const p = cross(d, w);
  const whole = dot(p, u);
  if (whole === 0) return false;
  const b = dot(p, s) / whole;
  if (b < 0 || b > 1) return false;
  const q = cross(s, u);
  const c = dot(d, q) / whole;
  if (c < 0 || b + c > 1) return false;
  const t = dot(w, q) / whole;
  return t > 0 && t < 1;
}

function cross(a: readonly number[], b: readonly number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
