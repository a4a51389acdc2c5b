// SPDX-License-Identifier: MIT
import { UsageError } from '../../core/model/errors.ts';
import type { Collider } from './collider.ts';
import { cornersInto } from './triangles/corners-into.ts';
import { TriangleDistance } from './triangles/triangle-distance.ts';

/** Options of distance. */
export interface DistanceOptions {
  /** Larger distances are not searched, world units. */
  maxDistance?: number;
}

/** Defaults of DistanceOptions. */
export const DISTANCE_DEFAULTS: Required<DistanceOptions> = { maxDistance: Number.POSITIVE_INFINITY };

/** The closest points of two colliders. */
export interface ClosestPoints {
  /** Distance of the surfaces, world units; 0 if they intersect. */
  distance: number;
  /** Point on the first surface, world space. */
  pointA: [number, number, number];
  /** Point on the second surface, world space. */
  pointB: [number, number, number];
  /** Triangle of the first point. */
  triangleA: number;
  /** Triangle of the second point. */
  triangleB: number;
}

/**
 * The distance of two surfaces, with their closest points. Returns undefined if it is not below maxDistance.
 * @example
 * ```ts
 * import { distance } from 'ossify/collide';
 *
 * const closest = distance(colliderA, colliderB, { maxDistance: 0.05 });
 * if (closest) console.log(closest.distance, closest.pointA);
 * ```
 */
export function distance(a: Collider, b: Collider, options: DistanceOptions = {}): ClosestPoints | undefined {
  const maxDistance = options.maxDistance ?? DISTANCE_DEFAULTS.maxDistance;
  if (!(maxDistance > 0)) throw new UsageError('distance', `maxDistance must be above 0, got ${maxDistance}`);
  const search = new ClosestSearch(a, b, maxDistance);
  search.visit(0, 0);
  return search.result;
}

/** Branch and bound: pairs of nodes are visited nearest first, and left out if their spheres are farther apart than the best pair of triangles. */
class ClosestSearch {
  result: ClosestPoints | undefined;
  readonly #a: Collider;
  readonly #b: Collider;
  #best: number;
  /** Corners of both triangles, and their closest points. */
  readonly #cornersA = new Uint32Array(3);
  readonly #cornersB = new Uint32Array(3);
  readonly #points = new Float64Array(6);
  readonly #distance = new TriangleDistance();

  constructor(a: Collider, b: Collider, maxDistance: number) {
    this.#a = a;
    this.#b = b;
    this.#best = maxDistance;
  }

  visit(nodeA: number, nodeB: number): void {
    const [a, b] = [this.#a.tree.children, this.#b.tree.children];
    const leafA = a[2 * nodeA] < 0;
    const leafB = b[2 * nodeB] < 0;
    if (leafA && leafB) this.#compareLeaves(nodeA, nodeB);
    else if (leafB || (!leafA && this.#radiusOf(this.#a, nodeA) >= this.#radiusOf(this.#b, nodeB)))
      this.#visitNearer(a[2 * nodeA], nodeB, a[2 * nodeA + 1], nodeB);
    else this.#visitNearer(nodeA, b[2 * nodeB], nodeA, b[2 * nodeB + 1]);
  }

  #visitNearer(nodeA: number, nodeB: number, otherA: number, otherB: number): void {
    const gap = this.#gapOf(nodeA, nodeB);
    const otherGap = this.#gapOf(otherA, otherB);
    const isFirst = gap <= otherGap;
    if (isFirst && this.#isOpen(gap)) this.visit(nodeA, nodeB);
    if (this.#isOpen(otherGap)) this.visit(otherA, otherB);
    if (!isFirst && this.#isOpen(gap)) this.visit(nodeA, nodeB);
  }

  /** Whether spheres with this gap can have closer triangles than the best pair. */
  #isOpen(gap: number): boolean {
    return Math.max(gap, 0) < this.#best;
  }

  #radiusOf(collider: Collider, node: number): number {
    return collider.spheres[collider.computeSphere(node) + 3];
  }

  /** Distance of two spheres, negative if they overlap: of two pairs that overlap, the deeper one comes first. */
  #gapOf(nodeA: number, nodeB: number): number {
    const p = this.#a.spheres;
    const q = this.#b.spheres;
    const i = this.#a.computeSphere(nodeA);
    const j = this.#b.computeSphere(nodeB);
    const x = p[i] - q[j];
    const y = p[i + 1] - q[j + 1];
    const z = p[i + 2] - q[j + 2];
    return Math.sqrt(x * x + y * y + z * z) - p[i + 3] - q[j + 3];
  }

  #compareLeaves(nodeA: number, nodeB: number): void {
    const [a, b] = [this.#a.tree, this.#b.tree];
    const firstA = -1 - a.children[2 * nodeA];
    const firstB = -1 - b.children[2 * nodeB];
    for (let n = firstA; n < firstA + a.children[2 * nodeA + 1]; n++) {
      for (let m = firstB; m < firstB + b.children[2 * nodeB + 1]; m++) this.#compare(a.triangles[n], b.triangles[m]);
    }
  }

  #compare(triangleA: number, triangleB: number): void {
    cornersInto(this.#a, triangleA, this.#cornersA);
    cornersInto(this.#b, triangleB, this.#cornersB);
    const points = this.#points;
    const limit = this.#best * this.#best;
    const square = this.#distance.measure(
      this.#a.positions,
      this.#cornersA,
      this.#b.positions,
      this.#cornersB,
      limit,
      points,
    );
    if (!(square < limit)) return;
    this.#best = Math.sqrt(square);
    const pointA: [number, number, number] = [points[0], points[1], points[2]];
    const pointB: [number, number, number] = [points[3], points[4], points[5]];
    this.result = { distance: this.#best, pointA, pointB, triangleA, triangleB };
  }
}
