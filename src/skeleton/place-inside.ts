// SPDX-License-Identifier: MIT
// Moves joints inside the body. A joint outside approximates a translation by a distant center of rotation, or its position along a hinge is not determined. It is moved to the
// candidate point inside with the smallest rise of the error, (x − o)ᵀ H (x − o) with H the joint's own block of the
// normal matrix (strict-joints.ts), and to the nearest one if H is flat. It is pinned there, and everything else is fitted again. A joint that is
// too far from the blend of its bones, for example in the other leg, is moved in the same way.
import type { Trajectories } from '../kernels/trajectories.ts';
import { vertexNormalsInto } from '../mesh/vertex-normals.ts';
import { makeWindingNumber, type WindingNumber } from '../mesh/winding-number.ts';
import type { JointTree } from './joint-tree.ts';
import type { JointSprings } from './strict-joints.ts';

/** Number of surface points, and depths below them relative to the size, of the candidate points; the first is the minimum depth of a joint. Chosen by hand. */
const SURFACE_POINTS = 1500;
const DEPTHS = [0.004, 0.008, 0.015, 0.025, 0.04, 0.07];
/** Minimum winding number of a point inside. */
const HALF = 0.5;
/** Cost of distance, relative to the mean curvature of H: decides between candidates with the same error. */
const NEARNESS = 1e-3;
/** Spring of a pinned joint, in units of the absolute spring. */
const PINNED = 1e6;

export interface Inside {
  winding: WindingNumber;
  /** placeCount x 3: points inside, solver space; none for an open surface. Computed at the first access. */
  readonly places: Float64Array;
}

/** Finds candidate points inside a surface. */
export function listInside(trajectories: Trajectories, triangles: Uint32Array, size: number): Inside {
  const rest = Float32Array.from(trajectories.rest.view());
  const winding = makeWindingNumber(rest, triangles);
  const normals = new Float32Array(rest.length);
  vertexNormalsInto(rest, triangles, normals);
  const step = Math.max(1, Math.floor(trajectories.vertexCount / SURFACE_POINTS));
  let found: Float64Array | undefined;
  return {
    winding,
    // most of the time for joints inside is spent here, and many skeletons need no candidates
    get places() {
      found ??= listPlaces(rest, normals, winding, size, step);
      return found;
    },
  };
}

function listPlaces(
  rest: Float32Array,
  normals: Float32Array,
  winding: WindingNumber,
  size: number,
  step: number,
): Float64Array {
  const places: number[] = [];
  for (let i = 0; i < rest.length; i += 3 * step) {
    for (const depth of DEPTHS) {
      const [x, y, z] = [0, 1, 2].map((r) => rest[i + r] - depth * size * normals[i + r]);
      if (!isInside(winding, x, y, z)) break;
      places.push(x, y, z);
    }
  }
  return Float64Array.from(places);
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
 * Pins the joints that are outside, or too far from their anchors, to the candidates inside with the smallest cost; the springs contain the blocks of H. Returns the number of pinned joints.
 * @param reach boneCount: maximum distance of a joint from its anchor
 */
export function placeInside(
  tree: JointTree,
  inside: Inside,
  springs: JointSprings,
  isAnchored: Uint8Array,
  reach: Float64Array,
): number {
  const astray = listAstray(tree, inside.winding, springs, reach);
  if (astray.length === 0) return 0;
  const { places } = inside;
  if (places.length === 0) return 0;
  for (const a of astray) {
    const h = springs.blocks.subarray(9 * a, 9 * a + 9);
    const near = (NEARNESS * (h[0] + h[4] + h[8])) / 3 + Number.MIN_VALUE;
    let best = 0;
    let lowest = Number.POSITIVE_INFINITY;
    let isNear = false;
    for (let p = 0; p < places.length; p += 3) {
      const x = places[p] - tree.joints[3 * a];
      const y = places[p + 1] - tree.joints[3 * a + 1];
      const z = places[p + 2] - tree.joints[3 * a + 2];
      const cost =
        x * (h[0] * x + 2 * h[1] * y + 2 * h[2] * z) +
        y * (h[4] * y + 2 * h[5] * z) +
        z * h[8] * z +
        near * (x * x + y * y + z * z);
      // candidates out of reach belong to another limb: they are used only if there are no others
      const isWithin = measureAway(springs, a, places, p) <= reach[a];
      if (isWithin === isNear ? cost < lowest : isWithin) {
        lowest = cost;
        best = p;
        isNear = isWithin;
      }
    }
    springs.anchors.set(places.subarray(best, best + 3), 3 * a);
    springs.factors[a] = PINNED;
    isAnchored[a] = 1;
  }
  return astray.length;
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
