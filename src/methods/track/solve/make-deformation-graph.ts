// SPDX-License-Identifier: MIT
// A deformation graph: few nodes on the surface, each with a rotation and a translation, that move all points.
//
// R. W. Sumner, J. Schmid, M. Pauly, "Embedded deformation for shape manipulation", ACM TOG 26(3), 2007 (SIGGRAPH). Differences: rotations are exact instead of affine matrices held near
// rotations, and distances are along the surface, so that a hand on a hip does not move with the hip.
import { type SurfacePaths, visitNear } from '../limbs/surface-paths.ts';

/** Nodes that influence a point. */
export const GRAPH_INFLUENCES = 4;

export interface DeformationGraph {
  nodeCount: number;
  /** nodeCount: the point at which each node is */
  points: Uint32Array;
  /** edgeCount x 2: nodes that are neighbours on the surface, the smaller first */
  edges: Uint32Array;
  /** pointCount x GRAPH_INFLUENCES nodes */
  nodes: Uint32Array;
  /** pointCount x GRAPH_INFLUENCES: their weights, sum 1 */
  weights: Float64Array;
}

/**
 * Orders points so that any first few of them are spread over the surface: each is the farthest from those before it.
 * @returns the points, and for each the largest distance of any point of the surface to it and those before it
 */
export function spreadPoints(paths: SurfacePaths, count: number): { points: Uint32Array; spacings: Float64Array } {
  const pointCount = paths.rowStart.length - 1;
  const least = new Float64Array(pointCount).fill(Number.POSITIVE_INFINITY);
  const points = new Uint32Array(Math.min(count, pointCount));
  const spacings = new Float64Array(points.length);
  // the farthest point from any other is at the end of a limb
  visitNear(paths, 0, least);
  let next = indexOfLargest(least);
  least.fill(Number.POSITIVE_INFINITY);
  for (let n = 0; n < points.length; n++) {
    points[n] = next;
    visitNear(paths, next, least);
    next = indexOfLargest(least);
    spacings[n] = least[next];
  }
  return { points, spacings };
}

/**
 * Makes a graph whose nodes are at these points.
 * @param spacing largest distance of any point to its nearest node
 */
export function makeDeformationGraph(paths: SurfacePaths, points: Uint32Array, spacing: number): DeformationGraph {
  const pointCount = paths.rowStart.length - 1;
  const nodeCount = points.length;
  const width = Math.min(GRAPH_INFLUENCES + 1, nodeCount);
  const near = new Uint32Array(pointCount * width);
  const distances = new Float64Array(pointCount * width).fill(Number.POSITIVE_INFINITY);
  const least = new Float64Array(pointCount).fill(Number.POSITIVE_INFINITY);
  // wider until every point has all of its nodes
  for (let reach = REACH * (spacing || 1), isDone = false; !isDone; reach *= 2) {
    distances.fill(Number.POSITIVE_INFINITY);
    for (let j = 0; j < nodeCount; j++) {
      const visited: number[] = [];
      visitNear(paths, points[j], least, reach, (i, distance) => {
        visited.push(i);
        insertNear(near, distances, i * width, width, j, distance);
      });
      // all that was lowered is visited
      for (const i of visited) least[i] = Number.POSITIVE_INFINITY;
    }
    isDone = distances.every((d) => d < Number.POSITIVE_INFINITY);
  }
  return { nodeCount, points, edges: listNodeEdges(near, width, nodeCount), ...weigh(near, distances, width) };
}

/** Distance within which nodes of a point are searched, relative to the spacing of nodes. */
const REACH = 2;

/** Moves points by the nodes: Σ w (R (p − g) + c). */
export function deformByGraphInto(
  graph: DeformationGraph,
  rest: Float64Array,
  { rotations, centers }: GraphPose,
  out: Float64Array,
): void {
  const { nodes, weights, points } = graph;
  for (let i = 0; i < rest.length / 3; i++) {
    let [x, y, z] = [0, 0, 0];
    for (let n = i * GRAPH_INFLUENCES; n < (i + 1) * GRAPH_INFLUENCES; n++) {
      const w = weights[n];
      if (w === 0) continue;
      const j = nodes[n];
      const [g, r] = [3 * points[j], 9 * j];
      const dx = rest[3 * i] - rest[g];
      const dy = rest[3 * i + 1] - rest[g + 1];
      const dz = rest[3 * i + 2] - rest[g + 2];
      x += w * (rotations[r] * dx + rotations[r + 3] * dy + rotations[r + 6] * dz + centers[3 * j]);
      y += w * (rotations[r + 1] * dx + rotations[r + 4] * dy + rotations[r + 7] * dz + centers[3 * j + 1]);
      z += w * (rotations[r + 2] * dx + rotations[r + 5] * dy + rotations[r + 8] * dz + centers[3 * j + 2]);
    }
    out[3 * i] = x;
    out[3 * i + 1] = y;
    out[3 * i + 2] = z;
  }
}

/** The transforms of the nodes. */
export interface GraphPose {
  /** nodeCount x 9, column-major rotations */
  rotations: Float64Array;
  /** nodeCount x 3: where the nodes are */
  centers: Float64Array;
}

/** Keeps the nearest nodes of a row in ascending order; ties go to the smaller node. */
function insertNear(near: Uint32Array, distances: Float64Array, row: number, width: number, j: number, d: number) {
  let at = row + width - 1;
  if (!(d < distances[at])) return;
  for (; at > row && d < distances[at - 1]; at--) {
    distances[at] = distances[at - 1];
    near[at] = near[at - 1];
  }
  distances[at] = d;
  near[at] = j;
}

/** Sumner et al.: w = (1 − d / dₘₐₓ)², where dₘₐₓ is the distance of the first node that has no influence. */
function weigh(near: Uint32Array, distances: Float64Array, width: number) {
  const pointCount = near.length / width;
  const nodes = new Uint32Array(pointCount * GRAPH_INFLUENCES);
  const weights = new Float64Array(pointCount * GRAPH_INFLUENCES);
  const isAll = width <= GRAPH_INFLUENCES;
  for (let i = 0; i < pointCount; i++) {
    const last = distances[(i + 1) * width - 1];
    const most = isAll ? 2 * last : last;
    let sum = 0;
    for (let n = 0; n < Math.min(width, GRAPH_INFLUENCES); n++) {
      nodes[i * GRAPH_INFLUENCES + n] = near[i * width + n];
      const w = most > 0 ? (1 - distances[i * width + n] / most) ** 2 : n === 0 ? 1 : 0;
      weights[i * GRAPH_INFLUENCES + n] = w;
      sum += w;
    }
    if (!(sum > 0)) {
      weights[i * GRAPH_INFLUENCES] = 1;
      sum = 1;
    }
    for (let n = i * GRAPH_INFLUENCES; n < (i + 1) * GRAPH_INFLUENCES; n++) weights[n] /= sum;
  }
  return { nodes, weights };
}

/** Nodes are neighbours if they are the two nearest of some point. */
function listNodeEdges(near: Uint32Array, width: number, nodeCount: number): Uint32Array {
  const keys = new Set<number>();
  for (let row = 0; width > 1 && row < near.length; row += width)
    keys.add(Math.min(near[row], near[row + 1]) * nodeCount + Math.max(near[row], near[row + 1]));
  return Uint32Array.from(
    [...keys].sort((a, b) => a - b).flatMap((key) => [Math.floor(key / nodeCount), key % nodeCount]),
  );
}

function indexOfLargest(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
