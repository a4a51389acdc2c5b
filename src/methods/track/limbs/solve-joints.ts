// SPDX-License-Identifier: MIT
// Joints between bones from their motion.
//
// The joint of two bones is the point a of the rest shape that both move to the same place in all frames. With x ↦ R (x − g) + c for each bone, it minimizes
//   Σ_k |A_k a − b_k|² + F ρ |a − a₀|²,   A_k = R_i^k − R_j^k,   b_k = R_i^k g_i − c_i^k − R_j^k g_j + c_j^k,
// over F frames, with a₀ a place in the middle of the body (place-joints.ts), which decides along directions about which the bones do not turn. Between the
// 30 bones of the true motion of a running fox, the median gap is 3.15 % of the box diagonal at a₀, and 1.25 % at a.
import { solveSymmetric3 } from '../../../core/math/solve-symmetric3.ts';
import type { DeformationGraph, GraphPose } from '../solve/make-deformation-graph.ts';

/** Weight ρ of the place in the body, as the square of an angle: bones that turn against one another by less than 2 degrees do not determine where their joint is. 1e-4 and 1e-2 gave the same on the running fox. */
const REST_WEIGHT = 1e-3;

/**
 * Returns the joints of all edges of a graph: edgeCount x 3, in the rest shape.
 * @param rest pointCount x 3
 * @param joints edgeCount x 3: a₀
 * @param poses of the frames
 */
export function solveJoints(
  { edges, points }: DeformationGraph,
  rest: Float64Array,
  joints: Float64Array,
  poses: readonly GraphPose[],
): Float64Array {
  const solved = joints.slice();
  const [h, g, a, b] = [new Float64Array(9), new Float64Array(3), new Float64Array(9), new Float64Array(3)];
  for (let e = 0; e < edges.length; e += 2) {
    const o = (3 * e) / 2;
    h.fill(0);
    for (let r = 0; r < 3; r++) {
      h[4 * r] = REST_WEIGHT * poses.length;
      g[r] = REST_WEIGHT * poses.length * joints[o + r];
    }
    for (const { rotations, centers } of poses) {
      a.fill(0);
      b.fill(0);
      for (let end = 0; end < 2; end++) {
        const j = edges[e + end];
        const sign = end === 0 ? 1 : -1;
        for (let r = 0; r < 3; r++) {
          b[r] -= sign * centers[3 * j + r];
          for (let c = 0; c < 3; c++) {
            a[3 * r + c] += sign * rotations[9 * j + 3 * c + r];
            b[r] += sign * rotations[9 * j + 3 * c + r] * rest[3 * points[j] + c];
          }
        }
      }
      for (let p = 0; p < 3; p++)
        for (let r = 0; r < 3; r++) {
          g[p] += a[3 * r + p] * b[r];
          for (let q = 0; q < 3; q++) h[3 * p + q] += a[3 * r + p] * a[3 * r + q];
        }
    }
    solveSymmetric3([h[0], h[1], h[2], h[4], h[5], h[8]], g, solved, o);
  }
  return solved;
}
