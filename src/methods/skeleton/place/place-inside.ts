// SPDX-License-Identifier: MIT
// Moves joints inside the body. A joint outside approximates a translation by a distant center of rotation, or its position along a hinge is not determined. It is moved to the
// point inside with the smallest rise of the error, (x − o)ᵀ H (x − o) with H the joint's own block of the
// normal matrix (strict-joints.ts), and to the nearest one if H is flat. It is pinned there, and everything else is fitted again. A joint that is
// too far from the blend of its bones, for example in the other leg, is moved in the same way. If a limit is given, joints whose move would raise the error by more stay: the motion determines where they are.
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { vertexNormalsInto } from '../../../core/mesh/geometry/vertex-normals.ts';
import type { JointTree } from '../joints/joint-tree.ts';
import type { JointSprings } from '../joints/strict-joints.ts';
import { makeWindingNumber, type WindingNumber } from './winding-number.ts';

/** Number of surface points, and depths below them relative to the size, of the points; the first is the minimum depth of a joint. Chosen by hand. */
const SURFACE_POINTS = 1500;
const DEPTHS = [0.004, 0.008, 0.015, 0.025, 0.04, 0.07];
/** Minimum winding number of a point inside. */
const HALF = 0.5;
/** Cost of distance, relative to the mean curvature of H: decides between points with the same error. */
const NEARNESS = 1e-3;
/** Maximum distance between a joint that the motion determines and its place inside, relative to the size; the bone of a farther one is rather removed. Chosen by hand. */
const MAX_MOVE = 0.05;
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

/** The joints of a solved skeleton. */
export interface PlacedJoints {
  tree: JointTree;
  /** With the blocks of H. */
  springs: JointSprings;
  /** boneCount: 1 if the anchor of a joint is given */
  isAnchored: Uint8Array;
  /** boneCount: maximum distance of a joint from its anchor */
  measureReach(): Float64Array;
}

/** A joint that should be moved, and the number of a point inside, or -1 if there is none. */
export interface AstrayJoint {
  bone: number;
  place: number;
  /** Whether the error hardly rises if it is moved there. */
  isMovable: boolean;
}

/**
 * Lists the joints that are outside, or too far from their anchors, and can be moved inside, or would have to be moved far.
 * @param limit maximum rise of the squared error by moving a joint inside
 */
export function listAstray(joints: PlacedJoints, inside: Inside, limit: number): AstrayJoint[] {
  const { tree, springs } = joints;
  const reach = joints.measureReach();
  const outside = new Set(listOutside(tree, inside.winding));
  const astray: AstrayJoint[] = [];
  for (let bone = 0; bone < tree.boneCount; bone++) {
    const isFar = tree.parents[bone] >= 0 && measureAway(springs, bone, tree.joints, 3 * bone) > reach[bone];
    if ((!isFar && !outside.has(bone)) || tree.released?.[bone]) continue;
    const { place, cost } = findPlace(tree, inside, springs, bone, reach[bone]);
    const isMovable = cost <= limit;
    if (isMovable || (place >= 0 && measureMove(tree, inside, bone, place) > MAX_MOVE * springs.size))
      astray.push({ bone, place, isMovable });
  }
  return astray;
}

/** Pins the joints that listAstray() lists and that can be moved to the points inside with the smallest cost. Returns the number of pinned joints. */
export function placeInside(joints: PlacedJoints, inside: Inside, limit: number): number {
  const { springs, isAnchored } = joints;
  let count = 0;
  for (const { bone, place, isMovable } of listAstray(joints, inside, limit)) {
    if (place < 0 || !isMovable) continue;
    springs.anchors.set(inside.points.subarray(3 * place, 3 * place + 3), 3 * bone);
    springs.factors[bone] = PINNED;
    isAnchored[bone] = 1;
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
): { place: number; cost: number } {
  const h = springs.blocks.subarray(9 * a, 9 * a + 9);
  const near = (NEARNESS * (h[0] + h[4] + h[8])) / 3 + Number.MIN_VALUE;
  const best = { place: -1, cost: Number.POSITIVE_INFINITY };
  const bestWithin = { ...best };
  for (let n = 0; n < points.length / 3; n++) {
    const x = points[3 * n] - tree.joints[3 * a];
    const y = points[3 * n + 1] - tree.joints[3 * a + 1];
    const z = points[3 * n + 2] - tree.joints[3 * a + 2];
    const cost =
      x * (h[0] * x + 2 * h[1] * y + 2 * h[2] * z) +
      y * (h[4] * y + 2 * h[5] * z) +
      z * h[8] * z +
      near * (x * x + y * y + z * z);
    const known = measureAway(springs, a, points, 3 * n) <= reach ? bestWithin : best;
    if (cost < known.cost && isPlace(n)) Object.assign(known, { place: n, cost });
  }
  return bestWithin.place >= 0 ? bestWithin : best;
}

/** Distance of a joint from a point inside. */
function measureMove({ joints }: JointTree, { points }: Inside, bone: number, place: number): number {
  return Math.hypot(...[0, 1, 2].map((r) => points[3 * place + r] - joints[3 * bone + r]));
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
