// SPDX-License-Identifier: MIT
// The bone of the hips: that to which the hind legs are attached. Legs are pairs of limbs that reach the ground, and limbs are the branches beside the plane of symmetry; without a plane or legs there are no hips.
// The model stands on the ground along +y, as glTF and the readers of this project have it.
//
// Of two pairs of legs, the hind ones are those at the lower end of the trunk, as the head lies higher; or else at the end with fewer other pairs, such as ears and horns; or else at -z. With more pairs, as of a spider, or a leg without a partner,
// legs do not show where the hips are.
// The constants were chosen on Fox, fox, bird, spider, ninja, Michelle, Xbot and CesiumMan; docs/benchmarks/skeleton.md has the share of right parents.

import { findMirrorPlane, type MirrorPlane, reflectInto } from '../../../core/mesh/geometry/find-mirror-plane.ts';
import { measurePointAreas } from '../../../core/mesh/geometry/measure-point-areas.ts';
import type { SkinFit } from '../../../fit/skin/index.ts';
import { type JointTree, listJointEdges, makeJointTree } from '../joints/joint-tree.ts';

/** Maximum mean distance of a symmetric shape from its image, relative to the size. */
const SYMMETRIC = 0.015;
/** A branch is beside the plane if its center is farther from it, relative to the size. */
const BESIDE = 0.02;
/** Maximum distance of the center of a limb from the image of its partner, relative to the size. */
const PAIRED = 0.1;
/** A leg ends below this part of the height, has more than this part of the surface, and hangs on a bone higher than this part above its end. */
const LOW = 0.06;
const LEG_AREA = 0.006;
const HANGS = 0.1;
/** Minimum difference in height between the head and the tail, relative to the height. */
const HIGHER = 0.05;

/** Surface that mainly follows bones. */
interface Part {
  area: number;
  /** Sums of coordinates times area. */
  sums: number[];
  lowest: number;
}

interface Limb {
  /** The bone that it hangs on. */
  on: number;
  part: Part;
}

/** The bone of the hips, or undefined. */
export function findHips(fit: SkinFit, tree: JointTree, triangles: Uint32Array): number | undefined {
  const rest = fit.trajectories.rest.view();
  const plane = findMirrorPlane(rest, triangles);
  if (!plane || !(plane.error < SYMMETRIC) || triangles.length === 0) return undefined;
  const parts = listParts(fit, triangles);
  const bounds = measureBox(rest);
  const trunk = findTrunk(tree, parts, plane, BESIDE * bounds.size);
  const upright = makeJointTree(tree.boneCount, listJointEdges(tree), trunk);
  const below = sumBelow(upright, parts);
  const limbs = listLimbs(upright, below, plane, BESIDE * bounds.size);
  const pairs = listPairs(limbs, plane, PAIRED * bounds.size);
  const total = parts.reduce((sum, { area }) => sum + area, 0);
  const isLeg = ({ part, on }: Limb): boolean =>
    part.lowest < bounds.low + LOW * bounds.height &&
    part.area > LEG_AREA * total &&
    (pairs.length > 2 || centerOf(parts[on])[1] - part.lowest > HANGS * bounds.height);
  const legs = pairs.filter(([a, b]) => isLeg(a) && isLeg(b));
  const paired = new Set(legs.flat());
  if ((legs.length !== 1 && legs.length !== 2) || limbs.some((limb) => isLeg(limb) && !paired.has(limb)))
    return undefined;
  const bones = legs.map(([a, b]) => findMiddle(upright, a.on, b.on));
  if (bones.length === 2) {
    const others = pairs.filter((pair) => !legs.includes(pair)).map(([{ on }]) => on);
    return chooseHind({ tree: upright, parts, legs, others, height: bounds.height }, bones);
  }
  return bones[0];
}

function measureBox(rest: Float64Array): { low: number; height: number; size: number } {
  const ends = [0, 1, 2].map((r) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let o = r; o < rest.length; o += 3) {
      low = Math.min(low, rest[o]);
      high = Math.max(high, rest[o]);
    }
    return [low, high];
  });
  return {
    low: ends[1][0],
    height: ends[1][1] - ends[1][0],
    size: Math.hypot(...ends.map(([low, high]) => high - low)),
  };
}

function makePart(): Part {
  return { area: 0, sums: [0, 0, 0], lowest: Number.POSITIVE_INFINITY };
}

/** By bone: the surface whose points mainly follow it. */
function listParts({ weights, trajectories, boneCount }: SkinFit, triangles: Uint32Array): Part[] {
  const rest = trajectories.rest.view();
  const areas = measurePointAreas(rest, triangles);
  const [ids, values, influences] = [weights.bones.view(), weights.weights.view(), weights.influences];
  const parts = Array.from({ length: boneCount }, makePart);
  for (let i = 0; i < trajectories.vertexCount; i++) {
    let best = i * influences;
    for (let e = best + 1; e < (i + 1) * influences; e++) if (values[e] > values[best]) best = e;
    const part = parts[ids[best]];
    part.area += areas[i];
    for (let r = 0; r < 3; r++) part.sums[r] += areas[i] * rest[3 * i + r];
    part.lowest = Math.min(part.lowest, rest[3 * i + 1]);
  }
  return parts;
}

function centerOf({ area, sums }: Part): number[] {
  return sums.map((sum) => (area > 0 ? sum / area : 0));
}

function join(a: Part, b: Part): Part {
  return {
    area: a.area + b.area,
    sums: a.sums.map((sum, r) => sum + b.sums[r]),
    lowest: Math.min(a.lowest, b.lowest),
  };
}

function awayFrom({ normal, offset }: MirrorPlane, [x, y, z]: readonly number[]): number {
  return Math.abs(normal[0] * x + normal[1] * y + normal[2] * z - offset);
}

/** By bone: its surface and that of all bones below it. */
function sumBelow({ order, parents }: JointTree, parts: readonly Part[]): Part[] {
  const below = [...parts];
  for (let n = order.length - 1; n > 0; n--) {
    const p = parents[order[n]];
    below[p] = join(below[p], below[order[n]]);
  }
  return below;
}

/** The bone in the plane whose largest branch has the least surface. */
function findTrunk(tree: JointTree, parts: readonly Part[], plane: MirrorPlane, beside: number): number {
  const below = sumBelow(tree, parts);
  const total = below[tree.order[0]].area;
  const largest = below.map(({ area }) => total - area);
  tree.parents.forEach((p, j) => {
    if (p >= 0) largest[p] = Math.max(largest[p], below[j].area);
  });
  const cost = parts.map((part, j) =>
    part.area > 0 && awayFrom(plane, centerOf(part)) < beside ? largest[j] : 2 * total + largest[j],
  );
  return cost.indexOf(Math.min(...cost));
}

/** Branches whose centers are beside the plane, the largest ones. */
function listLimbs(tree: JointTree, below: readonly Part[], plane: MirrorPlane, beside: number): Limb[] {
  const limbs: Limb[] = [];
  const isLimb = new Uint8Array(tree.boneCount);
  for (const j of tree.order) {
    const p = tree.parents[j];
    if (p < 0) continue;
    if (isLimb[p]) isLimb[j] = 1;
    else if (below[j].area > 0 && awayFrom(plane, centerOf(below[j])) > beside) {
      isLimb[j] = 1;
      limbs.push({ on: p, part: below[j] });
    }
  }
  return limbs;
}

/** Pairs of limbs that are images of each other, the nearest first. */
function listPairs(limbs: readonly Limb[], plane: MirrorPlane, near: number): [Limb, Limb][] {
  const image = new Float64Array(3);
  const choices: { a: Limb; b: Limb; away: number }[] = [];
  limbs.forEach((a, n) => {
    reflectInto(plane, centerOf(a.part), 0, image);
    for (const b of limbs.slice(n + 1)) {
      const away = Math.hypot(...centerOf(b.part).map((x, r) => x - image[r]));
      if (away < near) choices.push({ a, b, away });
    }
  });
  const used = new Set<Limb>();
  const pairs: [Limb, Limb][] = [];
  for (const { a, b } of choices.sort((p, q) => p.away - q.away)) {
    if (used.has(a) || used.has(b)) continue;
    used.add(a).add(b);
    pairs.push([a, b]);
  }
  return pairs;
}

/** The bone in the middle of the path between two bones. */
function findMiddle({ parents }: JointTree, a: number, b: number): number {
  const pathFrom = (bone: number): number[] => (bone < 0 ? [] : [bone, ...pathFrom(parents[bone])]);
  const [up, down] = [pathFrom(a), pathFrom(b)];
  const top = up.findIndex((bone) => down.includes(bone));
  const path = [...up.slice(0, top), ...down.slice(0, down.indexOf(up[top]) + 1).reverse()];
  return path[path.length >> 1];
}

interface Quadruped {
  tree: JointTree;
  parts: readonly Part[];
  /** Two pairs. */
  legs: readonly (readonly [Limb, Limb])[];
  /** Bones on which other pairs of limbs hang, such as ears. */
  others: readonly number[];
  height: number;
}

/** Of the bones of two pairs of legs, the one at the end without the head. */
function chooseHind({ tree, parts, legs, others, height }: Quadruped, [a, b]: readonly number[]): number {
  if (a === b) return a;
  const ends = measureEnds(tree, parts, a, b).map(({ part, bones }, n) => {
    const leg = join(legs[n][0].part, legs[n][1].part);
    const rest = { ...part, area: part.area - leg.area, sums: part.sums.map((sum, r) => sum - leg.sums[r]) };
    const pairCount = others.filter((on) => bones.has(on)).length;
    return { y: centerOf(rest)[1], z: centerOf(leg)[2], pairCount };
  });
  const [first, second] = ends;
  if (Math.abs(first.y - second.y) > HIGHER * height) return first.y < second.y ? a : b;
  if (first.pairCount !== second.pairCount) return first.pairCount < second.pairCount ? a : b;
  return first.z < second.z ? a : b;
}

/** The surfaces and bones of both ends of the path between two bones: a branch belongs to the nearer end of the path, and to none in the middle. */
function measureEnds(
  tree: JointTree,
  parts: readonly Part[],
  a: number,
  b: number,
): { part: Part; bones: Set<number> }[] {
  const seen = makeJointTree(tree.boneCount, listJointEdges(tree), a);
  const path = [b];
  while (path[0] !== a) path.unshift(seen.parents[path[0]]);
  const steps = new Int32Array(tree.boneCount);
  for (const j of seen.order) steps[j] = path.includes(j) ? path.indexOf(j) : steps[seen.parents[j]];
  return [1, -1].map((way) => {
    const bones = seen.order.filter((j) => way * (2 * steps[j] - (path.length - 1)) < 0);
    return { part: [...bones].map((j) => parts[j]).reduce(join, makePart()), bones: new Set(bones) };
  });
}
