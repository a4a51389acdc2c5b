// SPDX-License-Identifier: MIT
// The plane in which a shape is most nearly its own mirror image. With S = I − 2nnᵀ, points x and the nearest points y of the shape to their images, the plane of n·x = d minimizes Σ |Sx + 2dn − y|²:
// with x and y about their means, tr(S Σ xyᵀ) is largest, so n is the eigenvector of Σ (xyᵀ + yxᵀ) with the smallest eigenvalue, and d = n·(mean x + mean y)/2. Both steps repeat (iterative closest points), from
// planes across the three axes through the middle of the box, the center and the origin.

import { eigenSymmetric } from '../../algebra/eigen-symmetric.ts';
import { measureBounds } from './bounds.ts';
import { PointGrid } from './point-grid.ts';

const STEPS = 8;
/** Points whose images are compared. */
const SAMPLES = 700;

/** A plane n·x = d, and how well a shape is its own image in it. */
export interface MirrorPlane {
  normal: [number, number, number];
  offset: number;
  /** Mean distance of an image from the nearest point of the shape, relative to the box diagonal. */
  error: number;
}

/**
 * The plane with the smallest mean distance. Points are vertices, and centers of triangles, since two halves of a shape may have other vertices.
 * @param positions pointCount x 3
 * @param triangles triangleCount x 3, or none
 */
export function findMirrorPlane(positions: ArrayLike<number>, triangles: Uint32Array): MirrorPlane | undefined {
  const { min, max, diagonal } = measureBounds(positions);
  if (positions.length < 24 || !(diagonal > 0)) return undefined;
  const points = listPoints(positions, triangles);
  const grid = new PointGrid(points);
  const center = [0, 1, 2].map((r) => meanOf(points, r));
  let best: MirrorPlane | undefined;
  for (let axis = 0; axis < 3; axis++) {
    const starts = [(min[axis] + max[axis]) / 2, center[axis], 0];
    for (const start of new Set(starts)) {
      const normal: MirrorPlane['normal'] = [0, 0, 0];
      normal[axis] = 1;
      let plane: MirrorPlane = { normal, offset: start, error: 0 };
      let last = Number.POSITIVE_INFINITY;
      for (let step = 0; step <= STEPS; step++) {
        const { distance, next } = improve(points, grid, plane);
        const error = distance / diagonal;
        if (!best || error < best.error) best = { ...plane, error };
        if (!(distance < last)) break;
        last = distance;
        plane = next;
      }
    }
  }
  return best;
}

/** The image of a point. */
export function reflectInto({ normal, offset }: MirrorPlane, p: ArrayLike<number>, o: number, out: Float64Array): void {
  const along = normal[0] * p[o] + normal[1] * p[o + 1] + normal[2] * p[o + 2] - offset;
  for (let r = 0; r < 3; r++) out[r] = p[o + r] - 2 * along * normal[r];
}

function listPoints(positions: ArrayLike<number>, triangles: Uint32Array): Float32Array {
  const count = positions.length;
  const points = new Float32Array(count + triangles.length);
  for (let e = 0; e < count; e++) points[e] = positions[e];
  for (let c = 0; c < triangles.length; c += 3)
    for (let r = 0; r < 3; r++)
      points[count + c + r] =
        (positions[3 * triangles[c] + r] + positions[3 * triangles[c + 1] + r] + positions[3 * triangles[c + 2] + r]) /
        3;
  return points;
}

function meanOf(points: Float32Array, r: number): number {
  let sum = 0;
  for (let o = r; o < points.length; o += 3) sum += points[o];
  return (3 * sum) / points.length;
}

/** The mean distance of a plane, and the plane that fits its pairs best. */
function improve(points: Float32Array, grid: PointGrid, used: MirrorPlane): { distance: number; next: MirrorPlane } {
  const count = points.length / 3;
  const step = Math.max(1, Math.floor(count / SAMPLES));
  const image = new Float64Array(3);
  const pairs: number[] = [];
  let distance = 0;
  for (let i = 0; i < count; i += step) {
    reflectInto(used, points, 3 * i, image);
    const l = 3 * grid.findNearest(image[0], image[1], image[2]);
    distance += Math.hypot(points[l] - image[0], points[l + 1] - image[1], points[l + 2] - image[2]);
    for (let r = 0; r < 3; r++) pairs.push(points[3 * i + r], points[l + r]);
  }
  const pairCount = pairs.length / 6;
  const means = new Float64Array(6);
  for (let e = 0; e < pairs.length; e++) means[e % 6] += pairs[e] / pairCount;
  const m = new Float64Array(9);
  for (let o = 0; o < pairs.length; o += 6) {
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        const value = (pairs[o + 2 * r] - means[2 * r]) * (pairs[o + 2 * c + 1] - means[2 * c + 1]);
        m[3 * r + c] += value;
        m[3 * c + r] += value;
      }
    }
  }
  const { vectors } = eigenSymmetric(m, 3);
  const normal: MirrorPlane['normal'] = [vectors[6], vectors[7], vectors[8]];
  const offset = [0, 1, 2].reduce((sum, r) => sum + (normal[r] * (means[2 * r] + means[2 * r + 1])) / 2, 0);
  return { distance: distance / pairCount, next: { normal, offset, error: 0 } };
}
