// SPDX-License-Identifier: MIT
// Moves joints inside the body. A joint outside approximates a translation by a distant center of rotation, or its position along a hinge is not determined. It is moved to the
// point inside with the smallest rise of the error, (x − o)ᵀ H (x − o) with H the joint's own block of the
// normal matrix (strict-joints.ts), and to the nearest one if H is flat. It is pinned there, and everything else is fitted again. A joint that is
// too far from the blend of its bones, for example in the other leg, is moved in the same way.
import type { Trajectories } from '../kernels/trajectories.ts';
import { vertexNormalsInto } from '../mesh/vertex-normals.ts';
import { makeWindingNumber, type WindingNumber } from '../mesh/winding-number.ts';
import type { JointTree } from './joint-tree.ts';
import type { JointSprings } from './strict-joints.ts';

/** Number of surface points, and depths below them relative to the size, of the points; the first is the minimum depth of a joint. Chosen by hand. */
const SURFACE_POINTS = 1500;
const DEPTHS = [0.004, 0.008, 0.015, 0.025, 0.04, 0.07];
/** Minimum winding number of a point inside. */
const HALF = 0.5;
/** Cost of distance, relative to the mean curvature of H: decides between points with the same error. */
const NEARNESS = 1e-3;
/** Spring of a pinned joint, in units of the absolute spring. */
const PINNED = 1e6;

export interface Inside {
  winding: WindingNumber;
  /** count x 3: points below the surface, solver space; some of them may be outside. */
  points: Float64Array;
  /** Whether a point is inside, as well as those above it. The answer is kept: most of the time for joints inside is spent here, and few points are candidates. */
  isPlace(point: number): boolean;
}

/** Lists points below a surface. */
export function listInside(trajectories: Trajectories, triangles: Uint32Array, size: number): Inside {
  const rest = Float32Array.from(trajectories.rest.view());
  const winding = makeWindingNumber(rest, triangles);
  const normals = new Float32Array(rest.length);
  vertexNormalsInto(rest, triangles, normals);
  const step = Math.max(1, Math.floor(trajectories.vertexCount / SURFACE_POINTS));
  const points: number[] = [];
  for (let i = 0; i < rest.length; i += 3 * step) {
    for (const depth of DEPTHS) for (let r = 0; r < 3; r++) points.push(rest[i + r] - depth * size * normals[i + r]);
  }
  const known = new Int8Array(points.length / 3);
  const isPlace = (n: number): boolean => {
    if (known[n] === 0) {
      const isBelow = n % DEPTHS.length === 0 || isPlace(n - 1);
      known[n] = isBelow && isInside(winding, points[3 * n], points[3 * n + 1], points[3 * n + 2]) ? 1 : -1;
    }
    return known[n] > 0;
  };
  return { winding, points: Float64Array.from(points), isPlace };
}

/** Whether a point is inside, also for a surface with inverted triangles. */
export function isInside(winding: WindingNumber, x: number, y: number, z: number): boolean {
  return Math.abs(winding.at(x, y, z)) >= HALF;
}

/** Bones whose joint with their parent is outside. */
export function listOutside({ parents, joints }: JointTree, winding: WindingNumber): number[] {
  const outside: number[] = [];
  for (let a = 0; a < parents.length; a++) {
    if (parents[a] >= 0 && !isInside(winding, joints[3 * a], joints[3 * a + 1], joints[3 * a + 2])) outside.push(a);
  }
  return outside;
}

/** Bones whose joint with their parent is outside, or too far from its anchor. */
export function listAstray(
  tree: JointTree,
  winding: WindingNumber,
  springs: JointSprings,
  reach: Float64Array,
): number[] {
  const outside = new Set(listOutside(tree, winding));
  return Array.from(tree.parents.keys()).filter(
    (a) => outside.has(a) || (tree.parents[a] >= 0 && measureAway(springs, a, tree.joints, 3 * a) > reach[a]),
  );
}

/**
 * Pins the joints that are outside, or too far from their anchors, to the points inside with the smallest cost; the springs contain the blocks of H. Returns the number of pinned joints.
 * @param reach boneCount: maximum distance of a joint from its anchor
 */
export function placeInside(
  tree: JointTree,
  inside: Inside,
  springs: JointSprings,
  isAnchored: Uint8Array,
  reach: Float64Array,
): number {
  let count = 0;
  for (const a of listAstray(tree, inside.winding, springs, reach)) {
    const place = findPlace(tree, inside, springs, a, reach[a]);
    if (place < 0) continue;
    springs.anchors.set(inside.points.subarray(3 * place, 3 * place + 3), 3 * a);
    springs.factors[a] = PINNED;
    isAnchored[a] = 1;
    count++;
  }
  return count;
}

/** The point inside with the smallest cost for a joint, or -1. Points out of reach belong to another limb: they are used only if there are no others. */
function findPlace(
  tree: JointTree,
  { points, isPlace }: Inside,
  springs: JointSprings,
  a: number,
  reach: number,
): number {
  const h = springs.blocks.subarray(9 * a, 9 * a + 9);
  const near = (NEARNESS * (h[0] + h[4] + h[8])) / 3 + Number.MIN_VALUE;
  const costs = new Float64Array(points.length / 3);
  for (let n = 0; n < costs.length; n++) {
    const x = points[3 * n] - tree.joints[3 * a];
    const y = points[3 * n + 1] - tree.joints[3 * a + 1];
    const z = points[3 * n + 2] - tree.joints[3 * a + 2];
    costs[n] =
      x * (h[0] * x + 2 * h[1] * y + 2 * h[2] * z) +
      y * (h[4] * y + 2 * h[5] * z) +
      z * h[8] * z +
      near * (x * x + y * y + z * z);
  }
  const order = Uint32Array.from(costs.keys()).sort((p, q) => costs[p] - costs[q] || p - q);
  const isWithin = (n: number): boolean => measureAway(springs, a, points, 3 * n) <= reach;
  return order.find((n) => isWithin(n) && isPlace(n)) ?? order.find(isPlace) ?? -1;
}

/** Distance of a point from the anchor of a joint. */
function measureAway({ anchors }: JointSprings, a: number, points: Float64Array, p: number): number {
  const [x, y, z] = [
    points[p] - anchors[3 * a],
    points[p + 1] - anchors[3 * a + 1],
    points[p + 2] - anchors[3 * a + 2],
  ];
  return Math.sqrt(x * x + y * y + z * z);
}
