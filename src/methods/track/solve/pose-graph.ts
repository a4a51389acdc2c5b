// SPDX-License-Identifier: MIT
import { nearestRotationInto } from '../../../core/math/rotation.ts';
import { type DeformationGraph, GRAPH_INFLUENCES, type GraphPose } from './make-deformation-graph.ts';

/**
 * The pose of a graph that follows points: each node gets the rigid motion of the points that it influences, from one shape to another (least squares, weighted).
 * @param from pointCount x 3
 * @param to pointCount x 3
 */
export function poseGraph(graph: DeformationGraph, from: Float64Array, to: Float64Array): GraphPose {
  const { nodeCount, nodes, weights, points } = graph;
  // sum of weights, of the two shapes, and of their products
  const sums = new Float64Array(16 * nodeCount);
  for (let n = 0; n < nodes.length; n++) {
    const w = weights[n];
    if (w === 0) continue;
    const i = 3 * Math.floor(n / GRAPH_INFLUENCES);
    const o = 16 * nodes[n];
    const g = 3 * points[nodes[n]];
    sums[o] += w;
    for (let c = 0; c < 3; c++) {
      // relative to the node, so that products do not cancel
      const p = from[i + c] - from[g + c];
      sums[o + 1 + c] += w * p;
      sums[o + 4 + c] += w * (to[i + c] - to[g + c]);
      for (let r = 0; r < 3; r++) sums[o + 7 + 3 * c + r] += w * p * (to[i + r] - to[g + r]);
    }
  }
  const pose = { rotations: new Float64Array(9 * nodeCount), centers: new Float64Array(3 * nodeCount) };
  const product = new Float64Array(9);
  for (let j = 0; j < nodeCount; j++) {
    const o = 16 * j;
    const total = sums[o] || 1;
    for (let c = 0; c < 3; c++)
      for (let r = 0; r < 3; r++)
        product[3 * c + r] = sums[o + 7 + 3 * c + r] - (sums[o + 1 + c] * sums[o + 4 + r]) / total;
    nearestRotationInto(product, pose.rotations, 0, 9 * j);
    const m = pose.rotations.subarray(9 * j, 9 * j + 9);
    for (let r = 0; r < 3; r++) {
      const turned = m[r] * sums[o + 1] + m[3 + r] * sums[o + 2] + m[6 + r] * sums[o + 3];
      pose.centers[3 * j + r] = to[3 * points[j] + r] + (sums[o + 4 + r] - turned) / total;
    }
  }
  return pose;
}
