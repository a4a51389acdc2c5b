// SPDX-License-Identifier: MIT
import type { Collider } from './collider.ts';
import { intersectTriangles, TRIANGLE_SCRATCH } from './triangles/intersect-triangles.ts';

/** Numbers of the stack, which grows if trees are deep. */
const STACK = 512;

/** Result of overlap: what was found, and its cost. */
export interface Overlap {
  /** Number of pairs of triangles that intersect; at most 1 without onPair. */
  pairCount: number;
  /** Number of pairs of nodes that were compared by their spheres, and those of clusters by their boxes. */
  sphereTests: number;
  /** Number of pairs of triangles that were compared. */
  triangleTests: number;
}

/**
 * Finds pairs of triangles of two colliders that intersect. Without onPair it stops at the first, which is enough to know whether they overlap.
 * Surfaces are compared: a shape wholly inside of another does not overlap it.
 * @param onPair called for each pair, in no particular order; stops the search by returning true
 * @example
 * ```ts
 * import { overlap } from 'ossify/collide';
 *
 * if (overlap(colliderA, colliderB).pairCount > 0) console.log('they touch');
 * const pairs: [number, number][] = [];
 * overlap(colliderA, colliderB, (triangleA, triangleB) => {
 *   pairs.push([triangleA, triangleB]);
 * });
 * ```
 */
export function overlap(
  a: Collider,
  b: Collider,
  onPair: (triangleA: number, triangleB: number) => unknown = () => true,
): Overlap {
  const result: Overlap = { pairCount: 0, sphereTests: 0, triangleTests: 0 };
  const scratch = new Float64Array(TRIANGLE_SCRATCH);
  const [childrenA, childrenB] = [a.tree.children, b.tree.children];
  // pairs of nodes to compare: each step removes one and adds two, and goes one level down in either tree
  let stack = new Int32Array(STACK);
  let top = 2;
  while (top > 0) {
    const nodeB = stack[--top];
    const nodeA = stack[--top];
    result.sphereTests++;
    if (!isNear(a, nodeA, b, nodeB)) continue;
    const isLeafA = childrenA[2 * nodeA] < 0;
    const isLeafB = childrenB[2 * nodeB] < 0;
    if (isLeafA && isLeafB) {
      if (compareLeaves(a, nodeA, b, nodeB, onPair, result, scratch)) break;
      continue;
    }
    if (top + 4 > stack.length) stack = growStack(stack);
    const isOfA = isLeafB || (!isLeafA && a.spheres[4 * nodeA + 3] >= b.spheres[4 * nodeB + 3]);
    for (let side = 0; side < 2; side++) {
      stack[top++] = isOfA ? childrenA[2 * nodeA + side] : nodeA;
      stack[top++] = isOfA ? nodeB : childrenB[2 * nodeB + side];
    }
  }
  return result;
}

function growStack(stack: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(2 * stack.length);
  grown.set(stack);
  return grown;
}

/** Nodes of clusters are compared by their boxes, others by their spheres. */
function isNear(a: Collider, nodeA: number, b: Collider, nodeB: number): boolean {
  const i = a.computeSphere(nodeA);
  const j = b.computeSphere(nodeB);
  const s = 6 * (nodeA - a.tree.boundEnd);
  const t = 6 * (nodeB - b.tree.boundEnd);
  if (s >= 0 && t >= 0) {
    const p = a.boxes;
    const q = b.boxes;
    return (
      p[s] <= q[t + 3] &&
      q[t] <= p[s + 3] &&
      p[s + 1] <= q[t + 4] &&
      q[t + 1] <= p[s + 4] &&
      p[s + 2] <= q[t + 5] &&
      q[t + 2] <= p[s + 5]
    );
  }
  if (s >= 0) return isBoxNear(a.boxes, s, b.spheres, j);
  if (t >= 0) return isBoxNear(b.boxes, t, a.spheres, i);
  const x = a.spheres[i] - b.spheres[j];
  const y = a.spheres[i + 1] - b.spheres[j + 1];
  const z = a.spheres[i + 2] - b.spheres[j + 2];
  const reach = a.spheres[i + 3] + b.spheres[j + 3];
  return x * x + y * y + z * z <= reach * reach;
}

/** Whether a box and a sphere overlap. */
function isBoxNear(boxes: Float64Array, b: number, spheres: Float64Array, o: number): boolean {
  let square = 0;
  for (let c = 0; c < 3; c++) {
    const x = spheres[o + c];
    const gap = x < boxes[b + c] ? boxes[b + c] - x : x > boxes[b + 3 + c] ? x - boxes[b + 3 + c] : 0;
    square += gap * gap;
  }
  return square <= spheres[o + 3] * spheres[o + 3];
}

/** Returns whether the search is to stop. */
function compareLeaves(
  a: Collider,
  nodeA: number,
  b: Collider,
  nodeB: number,
  onPair: (triangleA: number, triangleB: number) => unknown,
  result: Overlap,
  scratch: Float64Array,
): boolean {
  const { children: childrenA, triangles: trianglesA, model: modelA } = a.tree;
  const { children: childrenB, triangles: trianglesB, model: modelB } = b.tree;
  const cornersA = modelA.mesh.triangles;
  const cornersB = modelB.mesh.triangles;
  const firstA = -1 - childrenA[2 * nodeA];
  const firstB = -1 - childrenB[2 * nodeB];
  for (let m = firstB; m < firstB + childrenB[2 * nodeB + 1]; m++) b.computeTriangle(trianglesB[m]);
  for (let n = firstA; n < firstA + childrenA[2 * nodeA + 1]; n++) {
    const s = trianglesA[n];
    a.computeTriangle(s);
    const i = 3 * cornersA[3 * s];
    const j = 3 * cornersA[3 * s + 1];
    const k = 3 * cornersA[3 * s + 2];
    for (let m = firstB; m < firstB + childrenB[2 * nodeB + 1]; m++) {
      const t = trianglesB[m];
      result.triangleTests++;
      const isPair = intersectTriangles(
        a.positions,
        i,
        j,
        k,
        b.positions,
        3 * cornersB[3 * t],
        3 * cornersB[3 * t + 1],
        3 * cornersB[3 * t + 2],
        scratch,
      );
      if (!isPair) continue;
      result.pairCount++;
      if (onPair(s, t) === true) return true;
    }
  }
  return false;
}
