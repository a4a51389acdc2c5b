// SPDX-License-Identifier: MIT
import type { Collider } from './collider.ts';
import { cornersInto, listCornersInto } from './triangles/corners-into.ts';
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
  return new OverlapSearch(a, b, onPair).run();
}

/** Pairs of nodes of two trees, compared from the roots down. */
class OverlapSearch {
  readonly #a: Collider;
  readonly #b: Collider;
  readonly #onPair: (triangleA: number, triangleB: number) => unknown;
  readonly #result: Overlap = { pairCount: 0, sphereTests: 0, triangleTests: 0 };
  readonly #scratch = new Float64Array(TRIANGLE_SCRATCH);
  readonly #cornersA = new Uint32Array(3);
  readonly #cornersB = new Uint32Array(3);

  constructor(a: Collider, b: Collider, onPair: (triangleA: number, triangleB: number) => unknown) {
    this.#a = a;
    this.#b = b;
    this.#onPair = onPair;
  }

  run(): Overlap {
    const [a, b] = [this.#a, this.#b];
    const [childrenA, childrenB] = [a.tree.children, b.tree.children];
    // pairs of nodes to compare: each step removes one and adds two, and goes one level down in either tree
    let stack = new Int32Array(STACK);
    let top = 2;
    while (top > 0) {
      const nodeB = stack[--top];
      const nodeA = stack[--top];
      this.#result.sphereTests++;
      if (!isNear(a, nodeA, b, nodeB)) continue;
      const isLeafA = childrenA[2 * nodeA] < 0;
      const isLeafB = childrenB[2 * nodeB] < 0;
      if (isLeafA && isLeafB) {
        if (this.#compareLeaves(nodeA, nodeB)) break;
        continue;
      }
      if (top + 4 > stack.length) stack = growStack(stack);
      const isOfA = isLeafB || (!isLeafA && a.spheres[4 * nodeA + 3] >= b.spheres[4 * nodeB + 3]);
      for (let side = 0; side < 2; side++) {
        stack[top++] = isOfA ? childrenA[2 * nodeA + side] : nodeA;
        stack[top++] = isOfA ? nodeB : childrenB[2 * nodeB + side];
      }
    }
    return this.#result;
  }

  /** Returns whether the search is to stop. */
  #compareLeaves(nodeA: number, nodeB: number): boolean {
    const [a, b] = [this.#a, this.#b];
    const { children: childrenA, triangles: trianglesA } = a.tree;
    const { children: childrenB, triangles: trianglesB } = b.tree;
    const firstA = -1 - childrenA[2 * nodeA];
    const firstB = -1 - childrenB[2 * nodeB];
    for (let m = firstB; m < firstB + childrenB[2 * nodeB + 1]; m++) b.computeTriangle(trianglesB[m]);
    for (let n = firstA; n < firstA + childrenA[2 * nodeA + 1]; n++) {
      const s = trianglesA[n];
      cornersInto(a, s, this.#cornersA);
      for (let m = firstB; m < firstB + childrenB[2 * nodeB + 1]; m++) {
        const t = trianglesB[m];
        this.#result.triangleTests++;
        if (!this.#isPair(t)) continue;
        this.#result.pairCount++;
        if (this.#onPair(s, t) === true) return true;
      }
    }
    return false;
  }

  /** Whether the triangle of A with the present corners intersects a triangle of B. */
  #isPair(triangleB: number): boolean {
    listCornersInto(this.#b, triangleB, this.#cornersB);
    return intersectTriangles(this.#a.positions, this.#cornersA, this.#b.positions, this.#cornersB, this.#scratch);
  }
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
