// SPDX-License-Identifier: MIT
// Triangles are tested in coordinates in which the ray is the z axis, after S. Woop, C. Benthin and I. Wald, "Watertight ray/triangle intersection", Journal of Computer
// Graphics Techniques 2(1), 2013: the area on each side of an edge is computed from the two ends of that edge alone, so two triangles that share it agree, and no ray passes between them.
import { InputError } from '../../core/model/errors.ts';
import type { Collider } from './collider.ts';
import { cornersInto } from './triangles/corners-into.ts';
import { normalOf } from './triangles/crossing-into.ts';

/** A ray in world space. */
export interface Ray {
  /** Start, x y z. */
  origin: ArrayLike<number>;
  /** Direction x y z, of any length above 0. */
  direction: ArrayLike<number>;
  /** Length of the ray, world units; default: no end. */
  maxDistance?: number;
}

/** Where a ray hits a surface. */
export interface RayHit {
  /** Distance from the origin of the ray, world units. */
  distance: number;
  /** The point, world space. */
  point: [number, number, number];
  /** Unit normal of the triangle, by its winding; zero for a triangle without area. */
  normal: [number, number, number];
  /** Index of the triangle. */
  triangle: number;
}

/**
 * Finds the first triangle that a ray hits, from either side. Returns undefined if there is none.
 * @example
 * ```ts
 * import { raycast } from 'ossify/collide';
 *
 * const hit = raycast(colliderA, { origin: [0, 1, 5], direction: [0, 0, -1] });
 * if (hit) console.log(hit.triangle, hit.point);
 * ```
 */
export function raycast(collider: Collider, ray: Ray): RayHit | undefined {
  const search = new RaySearch(collider, ray);
  search.visit(0);
  return search.result;
}

class RaySearch {
  result: RayHit | undefined;
  readonly #collider: Collider;
  readonly #origin: Float64Array;
  /** Unit length. */
  readonly #direction: Float64Array;
  /** Axis along which the direction is longest, and the two others. */
  readonly #axes: [number, number, number];
  #best: number;
  readonly #corners = new Uint32Array(3);
  /** Coordinates of the corners across the ray, and along it: x y z each. */
  readonly #local = new Float64Array(9);

  constructor(collider: Collider, { origin, direction, maxDistance = Number.POSITIVE_INFINITY }: Ray) {
    const length = Math.hypot(direction[0], direction[1], direction[2]);
    if (!(length > 0 && length < Number.POSITIVE_INFINITY)) {
      throw new InputError('ray', `the direction must have a length above 0, got ${length}`);
    }
    this.#collider = collider;
    this.#origin = Float64Array.of(origin[0], origin[1], origin[2]);
    if (!this.#origin.every(Number.isFinite)) throw new InputError('ray', 'the origin must have three finite numbers');
    this.#direction = Float64Array.from({ length: 3 }, (_, c) => direction[c] / length);
    const [x, y, z] = this.#direction.map(Math.abs);
    const longest = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    this.#axes = [longest, (longest + 1) % 3, (longest + 2) % 3];
    this.#best = maxDistance;
  }

  visit(node: number): void {
    const { tree } = this.#collider;
    const first = tree.children[2 * node];
    const second = tree.children[2 * node + 1];
    if (first < 0) {
      for (let n = -1 - first; n < -1 - first + second; n++) this.#test(tree.triangles[n]);
      return;
    }
    const [enterFirst, enterSecond] = [this.#entryOf(first), this.#entryOf(second)];
    const isFirst = enterFirst <= enterSecond;
    if (isFirst && this.#isOpen(enterFirst)) this.visit(first);
    if (this.#isOpen(enterSecond)) this.visit(second);
    if (!isFirst && this.#isOpen(enterFirst)) this.visit(first);
  }

  /** Whether a sphere that is entered at this distance can have a nearer hit. The ray may have no end. */
  #isOpen(entry: number): boolean {
    return entry <= this.#best && entry < Number.POSITIVE_INFINITY;
  }

  /** Distance at which the ray enters the sphere of a node, at least 0; infinity if it does not. */
  #entryOf(node: number): number {
    const { spheres } = this.#collider;
    const o = this.#collider.computeSphere(node);
    const x = spheres[o] - this.#origin[0];
    const y = spheres[o + 1] - this.#origin[1];
    const z = spheres[o + 2] - this.#origin[2];
    const dx = this.#direction[0];
    const dy = this.#direction[1];
    const dz = this.#direction[2];
    const along = x * dx + y * dy + z * dz;
    // the part across is computed directly, because the difference of two squares loses its digits far away
    const across = (x - along * dx) ** 2 + (y - along * dy) ** 2 + (z - along * dz) ** 2;
    const radius = spheres[o + 3];
    if (across > radius * radius) return Number.POSITIVE_INFINITY;
    const half = Math.sqrt(radius * radius - across);
    return along + half < 0 ? Number.POSITIVE_INFINITY : Math.max(0, along - half);
  }

  #test(triangle: number): void {
    cornersInto(this.#collider, triangle, this.#corners);
    const { positions } = this.#collider;
    const [k, i, j] = this.#axes;
    const [dk, di, dj] = [this.#direction[k], this.#direction[i], this.#direction[j]];
    const local = this.#local;
    for (let n = 0; n < 3; n++) {
      const o = this.#corners[n];
      const z = positions[o + k] - this.#origin[k];
      local[3 * n] = positions[o + i] - this.#origin[i] - (di / dk) * z;
      local[3 * n + 1] = positions[o + j] - this.#origin[j] - (dj / dk) * z;
      local[3 * n + 2] = z / dk;
    }
    // twice the areas of the ray with each edge
    const u = local[6] * local[4] - local[7] * local[3];
    const v = local[0] * local[7] - local[1] * local[6];
    const w = local[3] * local[1] - local[4] * local[0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return;
    const sum = u + v + w;
    if (sum === 0) return;
    const distance = (u * local[2] + v * local[5] + w * local[8]) / sum;
    if (!(distance >= 0 && distance <= this.#best) || (this.result && distance === this.#best)) return;
    this.#best = distance;
    const point = Array.from(this.#origin, (x, c) => x + distance * this.#direction[c]) as [number, number, number];
    const normal = normalOf(positions, this.#corners);
    const length = Math.hypot(...normal) || 1;
    this.result = { distance, point, normal: normal.map((x) => x / length) as typeof normal, triangle };
  }
}
