// SPDX-License-Identifier: MIT
// The nearest point of a surface for many points, among triangles that face the same way. The search starts with the triangle of the point before in the same chunk, which is near in most cases, and visits
// the hierarchy of core/mesh/geometry/triangle-bvh.ts from the nearest box on. Distances to triangles are in double precision, distances
// to boxes in single precision, the four boxes of a node at once: rounding of the point is subtracted from the latter, so that no box is skipped that has a nearer triangle. Both implementations do the same operations
// and give the same bits.
import { nearestOfTriangle } from '../../math/nearest-of-triangle.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

/** Points per chunk: some tenths of a millisecond. */
const CHUNK = 256;
const LEAF = 0x80000000;
/** Found for points without a triangle within the limits. */
export const NO_TRIANGLE = 0xffffffff;
/** Numbers of a node's boxes. */
const BOX_SIZE = 24;
/** Rounding of a point to single precision, relative to its largest coordinate, with a margin. */
const SLACK = 2 ** -22;
/** Rounding of the square of the distance to a box, with a margin. */
const MARGIN = 1 + 1e-5;
const { abs, fround, max } = Math;

/** Arrays of the kernel. */
export interface NearestSearch {
  /** pointCount x 6: position, unit normal */
  points: Resident<Float64Array>;
  /** nodeCount x 24 */
  boxes: Resident<Float32Array>;
  /** nodeCount x 4 */
  children: Resident<Uint32Array>;
  /** triangleCount x 9, in the order of the hierarchy */
  corners: Resident<Float32Array>;
  /** triangleCount x 3: unit normals, in the order of the hierarchy; zero for degenerate triangles */
  normals: Resident<Float32Array>;
  /** pointCount: place of the triangle in the hierarchy, or NO_TRIANGLE. Filled */
  found: Resident<Uint32Array>;
  /** pointCount x 3: weights of the second and third corner, squared distance. Filled */
  places: Resident<Float64Array>;
  /** threads x stackSize */
  stacks: Resident<Uint32Array>;
  /** threads x stackSize */
  squares: Resident<Float32Array>;
  pointCount: number;
  /** Minimum cosine between the normals of a point and of its triangle. */
  minCosine: number;
  /** Square of the maximum distance. */
  maxSquare: number;
  /** Maximum stack of a traversal, and eight. */
  stackSize: number;
}

/** Finds the nearest triangle of each point. */
export function nearestPoints(compute: Compute, search: NearestSearch): Promise<void> {
  return compute.runAll([callNearestPoints(search)]);
}

/**
 * The call of the kernel, to run after others.
 * @param chunkSize points per chunk. Of equally near triangles, which one is found depends on the points before in the same chunk
 */
export function callNearestPoints(search: NearestSearch, chunkSize = CHUNK): KernelCall {
  return callOf(nearestPointsKernel, { ...search, chunkSize }, Math.ceil(search.pointCount / chunkSize));
}

export const nearestPointsKernel = kernel(
  'nearestPoints',
  {
    points: 'f64',
    boxes: 'f32',
    children: 'u32',
    corners: 'f32',
    normals: 'f32',
    found: 'u32',
    places: 'f64',
    stacks: 'u32',
    squares: 'f32',
    pointCount: 'int',
    minCosine: 'float',
    maxSquare: 'float',
    stackSize: 'int',
    chunkSize: 'int',
  },
  (
    {
      points,
      boxes,
      children,
      corners,
      normals,
      found,
      places,
      stacks: stack,
      squares,
      pointCount,
      minCosine,
      maxSquare,
      chunkSize,
    },
    chunk,
  ) => {
    const end = Math.min(pointCount, (chunk + 1) * chunkSize);
    const place = new Float64Array(3);
    let best = NO_TRIANGLE;
    for (let i = chunk * chunkSize; i < end; i++) {
      const x = points[6 * i];
      const y = points[6 * i + 1];
      const z = points[6 * i + 2];
      const [fx, fy, fz] = [fround(x), fround(y), fround(z)];
      const slack = fround(SLACK * max(abs(x), abs(y), abs(z)));
      let least = maxSquare;
      const tryTriangle = (f: number): void => {
        const [nx, ny, nz] = [points[6 * i + 3], points[6 * i + 4], points[6 * i + 5]];
        const cosine = nx * normals[3 * f] + ny * normals[3 * f + 1] + nz * normals[3 * f + 2];
        if (!(cosine >= minCosine)) return;
        nearestOfTriangle(corners, 9 * f, x, y, z, place);
        if (!(place[2] < least)) return;
        least = place[2];
        best = f;
        places.set(place, 3 * i);
      };
      const guess = best;
      best = NO_TRIANGLE;
      places.fill(0, 3 * i, 3 * i + 3);
      if (guess !== NO_TRIANGLE) tryTriangle(guess);
      let bound = fround(least * MARGIN);
      stack[0] = 0;
      squares[0] = 0;
      for (let top = 1; top > 0; ) {
        const child = stack[--top];
        if (squares[top] >= bound) continue;
        if (child >= LEAF) {
          const first = (child & ~LEAF) >>> 2;
          for (let f = first; f <= first + (child & 3); f++) tryTriangle(f);
          bound = fround(least * MARGIN);
          continue;
        }
        const start = top;
        for (let lane = 0; lane < 4; lane++) {
          const o = child * BOX_SIZE + lane;
          const dx = max(fround(max(fround(boxes[o] - fx), fround(fx - boxes[o + 12])) - slack), 0);
          const dy = max(fround(max(fround(boxes[o + 4] - fy), fround(fy - boxes[o + 16])) - slack), 0);
          const dz = max(fround(max(fround(boxes[o + 8] - fz), fround(fz - boxes[o + 20])) - slack), 0);
          const square = fround(fround(fround(dx * dx) + fround(dy * dy)) + fround(dz * dz));
          if (!(square < bound)) continue;
          // the nearest of the children is visited next
          const isNearer = top === start || square < squares[top - 1];
          const at = isNearer ? top : top - 1;
          if (!isNearer) {
            squares[top] = squares[top - 1];
            stack[top] = stack[top - 1];
          }
          squares[at] = square;
          stack[at] = children[4 * child + lane];
          top++;
        }
      }
      found[i] = best;
    }
  },
);
