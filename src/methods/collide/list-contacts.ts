// SPDX-License-Identifier: MIT
// The triangles that intersect form curves where one surface enters the other. Each connected set of them is one contact. Along such a curve the normals of each surface tilt away
// from the direction of the contact to all sides, so their mean, weighted by the length of the curve, is that direction.
import type { Collider } from './collider.ts';
import { overlap } from './overlap.ts';
import { cornersInto } from './triangles/corners-into.ts';
import { crossingInto, normalOf } from './triangles/crossing-into.ts';

/** A place where two surfaces intersect. */
export interface Contact {
  /** Middle of the curve of intersection, world space. */
  point: [number, number, number];
  /** Unit vector from the first collider to the second: moving the second along it separates them. Follows the winding of the triangles. */
  normal: [number, number, number];
  /** Depth of the deepest pair of triangles: how far it must be moved along the normal of one of them until it is apart. World units. */
  depth: number;
  /** Number of pairs of triangles. */
  pairCount: number;
  /** Triangle of the first collider of the deepest pair. */
  triangleA: number;
  /** Triangle of the second collider of the deepest pair. */
  triangleB: number;
}

/**
 * Lists the contacts of two colliders, one for each connected set of triangles that intersect. Only these triangles are computed: the depth is exact for
 * shallow contacts, and too small where whole triangles are inside of the other shape.
 * @example
 * ```ts
 * import { listContacts } from 'ossify/collide';
 *
 * for (const { point, normal, depth } of listContacts(colliderA, colliderB)) console.log(point, normal, depth);
 * ```
 */
export function listContacts(a: Collider, b: Collider): Contact[] {
  const pairs: number[] = [];
  const groups = new PointGroups();
  overlap(a, b, (s, t) => {
    pairs.push(s, t);
    groups.join(a.tree.points, a.tree.model.mesh.triangles, s);
  });
  const sums = new Map<number, ContactSum>();
  for (let n = 0; n < pairs.length; n += 2) {
    const point = a.tree.points[a.tree.model.mesh.triangles[3 * pairs[n]]];
    const group = groups.find(point);
    const sum = sums.get(group) ?? new ContactSum(a, b);
    sums.set(group, sum);
    sum.add(pairs[n], pairs[n + 1]);
  }
  return [...sums.values()].map((sum) => sum.finish());
}

/** Sets of points that triangles connect. */
class PointGroups {
  readonly #parents = new Map<number, number>();

  find(point: number): number {
    let root = point;
    for (let up = this.#parents.get(root); up !== undefined && up !== root; up = this.#parents.get(root)) root = up;
    for (let one = point; one !== root; ) {
      const up = this.#parents.get(one)!;
      this.#parents.set(one, root);
      one = up;
    }
    return root;
  }

  join(points: Uint32Array, corners: Uint32Array, triangle: number): void {
    const [first, ...others] = [0, 1, 2].map((c) => this.find(points[corners[3 * triangle + c]]));
    this.#parents.set(first, first);
    for (const other of others) this.#parents.set(other, first);
  }
}

/** Sums over the pairs of one contact. */
class ContactSum {
  readonly #a: Collider;
  readonly #b: Collider;
  readonly #cornersA = new Uint32Array(3);
  readonly #cornersB = new Uint32Array(3);
  readonly #ends = new Float64Array(6);
  readonly #point = [0, 0, 0];
  readonly #normal = [0, 0, 0];
  #weight = 0;
  #pairCount = 0;
  #depth = -1;
  #deepest: [number, number] = [0, 0];

  constructor(a: Collider, b: Collider) {
    this.#a = a;
    this.#b = b;
  }

  add(triangleA: number, triangleB: number): void {
    const [p, q, a, b] = [this.#a.positions, this.#b.positions, this.#cornersA, this.#cornersB];
    cornersInto(this.#a, triangleA, a);
    cornersInto(this.#b, triangleB, b);
    const [normalA, normalB] = [unitOf(normalOf(p, a)), unitOf(normalOf(q, b))];
    const ends = this.#ends;
    // parallel triangles have no curve: their middle counts, with a small weight
    if (!crossingInto(p, a, q, b, ends)) {
      for (let c = 0; c < 3; c++) {
        ends[c] = (p[a[0] + c] + p[a[1] + c] + p[a[2] + c]) / 3;
        ends[3 + c] = (q[b[0] + c] + q[b[1] + c] + q[b[2] + c]) / 3;
      }
    }
    const length = Math.hypot(ends[3] - ends[0], ends[4] - ends[1], ends[5] - ends[2]) + Number.MIN_VALUE;
    for (let c = 0; c < 3; c++) {
      this.#point[c] += (length * (ends[c] + ends[c + 3])) / 2;
      this.#normal[c] += length * (normalA[c] - normalB[c]);
    }
    this.#weight += length;
    this.#pairCount++;
    const depth = Math.min(depthBelow(p, a, q, b, normalB), depthBelow(q, b, p, a, normalA));
    if (depth > this.#depth) {
      this.#depth = depth;
      this.#deepest = [triangleA, triangleB];
    }
  }

  finish(): Contact {
    const [triangleA, triangleB] = this.#deepest;
    const direction = Math.hypot(...this.#normal) > 0 ? this.#normal : this.#lineOfCenters();
    return {
      point: this.#point.map((x) => x / this.#weight) as Contact['point'],
      normal: unitOf(direction) as Contact['normal'],
      depth: Math.max(0, this.#depth),
      pairCount: this.#pairCount,
      triangleA,
      triangleB,
    };
  }

  /** For surfaces whose normals cancel, such as a blade that passes through another. */
  #lineOfCenters(): number[] {
    const [from, to] = [new Float64Array(4), new Float64Array(4)];
    this.#a.boundInto(from);
    this.#b.boundInto(to);
    const line = [0, 1, 2].map((c) => to[c] - from[c]);
    return Math.hypot(...line) > 0 ? line : [0, 1, 0];
  }
}

/** How far the deepest corner of a triangle is below the plane of another. */
function depthBelow(
  p: Float64Array,
  a: Uint32Array,
  q: Float64Array,
  b: Uint32Array,
  normal: readonly number[],
): number {
  let depth = 0;
  for (const i of a) {
    let height = 0;
    for (let c = 0; c < 3; c++) height += (p[i + c] - q[b[0] + c]) * normal[c];
    depth = Math.max(depth, -height);
  }
  return depth;
}

function unitOf(v: readonly number[]): number[] {
  const length = Math.hypot(...v);
  return length > 0 ? v.map((x) => x / length) : [...v];
}
