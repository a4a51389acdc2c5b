// SPDX-License-Identifier: MIT
import type { Collider } from './collider.ts';
import { intersectTriangles, TRIANGLE_SCRATCH } from './intersect-triangles.ts';

/** Result of overlap: what was found, and its cost. */
export interface Overlap {
  /** Number of pairs of triangles that intersect; at most 1 without onPair. */
  pairCount: number;
  /** Number of pairs of spheres that were compared. */
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
  // pairs of nodes to compare
  const stack = [0, 0];
  while (stack.length > 0) {
    const nodeB = stack.pop()!;
    const nodeA = stack.pop()!;
    result.sphereTests++;
    if (!isNear(a, nodeA, b, nodeB)) continue;
    const leafA = a.tree.children[2 * nodeA] < 0;
    const leafB = b.tree.children[2 * nodeB] < 0;
    if (leafA && leafB) {
      if (compareLeaves(a, nodeA, b, nodeB, onPair, result, scratch)) break;
    } else if (leafB || (!leafA && a.spheres[4 * nodeA + 3] >= b.spheres[4 * nodeB + 3])) {
      stack.push(a.tree.children[2 * nodeA], nodeB, a.tree.children[2 * nodeA + 1], nodeB);
    } else {
      stack.push(nodeA, b.tree.children[2 * nodeB], nodeA, b.tree.children[2 * nodeB + 1]);
    }
  }
  return result;
}

function isNear(a: Collider, nodeA: number, b: Collider, nodeB: number): boolean {
  const i = a.computeSphere(nodeA);
  const j = b.computeSphere(nodeB);
  const x = a.spheres[i] - b.spheres[j];
  const y = a.spheres[i + 1] - b.spheres[j + 1];
  const z = a.spheres[i + 2] - b.spheres[j + 2];
  const reach = a.spheres[i + 3] + b.spheres[j + 3];
  return x * x + y * y + z * z <= reach * reach;
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
