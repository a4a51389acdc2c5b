// SPDX-License-Identifier: MIT
// Distances between the shapes of two models in the same poses: by pose, Σ d² and the largest d² over some vertices. The sums are made in the order of the vertices.
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

/** Numbers per pose: the sum of squared distances, and the largest. */
export const POSE_SUMS = 2;

/** Two lists of shapes. */
export interface ShapePair {
  /** poses x vertexCount x 3 */
  truth: Resident<Float32Array>;
  /** poses x vertexCount x 3, or one shape for all poses: vertexCount x 3 */
  shapes: Resident<Float32Array>;
  /** Whether there is one shape for all poses. */
  isOne?: boolean;
}

/**
 * @param points the vertices that are compared
 * @param sums poses x POSE_SUMS
 */
export function callPoseDistances(
  { truth, shapes, isOne = false }: ShapePair,
  points: Resident<Uint32Array>,
  sums: Resident<Float64Array>,
  vertexCount: number,
  poseCount: number,
): KernelCall {
  const args = { truth, shapes, points, sums, vertexCount, pointCount: points.length, isOne };
  return callOf(poseDistancesKernel, args, poseCount);
}

/** One chunk per pose. */
export const poseDistancesKernel = kernel(
  'poseDistances',
  {
    truth: 'f32',
    shapes: 'f32',
    points: 'u32',
    sums: 'f64',
    vertexCount: 'int',
    pointCount: 'int',
    isOne: 'bool',
  },
  ({ truth, shapes, points, sums, vertexCount, pointCount, isOne }, chunk) => {
    const from = 3 * chunk * vertexCount;
    const other = isOne ? 0 : from;
    let [sum, largest] = [0, 0];
    for (let p = 0; p < pointCount; p++) {
      const [a, b] = [from + 3 * points[p], other + 3 * points[p]];
      const [x, y, z] = [truth[a] - shapes[b], truth[a + 1] - shapes[b + 1], truth[a + 2] - shapes[b + 2]];
      const square = x * x + y * y + z * z;
      sum += square;
      // a distance that is not a number makes the sum one, too
      if (square > largest) largest = square;
    }
    sums[POSE_SUMS * chunk] = sum;
    sums[POSE_SUMS * chunk + 1] = largest;
  },
);
