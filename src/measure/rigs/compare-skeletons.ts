// SPDX-License-Identifier: MIT
// How well a skeleton that was found from motion is that of the rig which made the motion. docs/reference/metrics.md defines every number. Lengths are relative to the box diagonal of the rest pose, except those of
// `network`, which are relative to its longest side, as in papers on networks.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { findMirrorPlane } from '../../core/mesh/geometry/find-mirror-plane.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { SharedAnimation } from '../measure-joints.ts';
import { compareParents } from './compare-parents.ts';
import { countStubs } from './count-stubs.ts';
import { type JointMotion, listDetermined } from './list-determined.ts';
import { listRigJoints, type RigJoints } from './list-rig-joints.ts';
import { matchPoints } from './match-points.ts';
import { meanDistance, measureBoneDistances } from './measure-bone-distances.ts';
import { measureJointSymmetry } from './measure-joint-symmetry.ts';
import { measureShapeRadii } from './measure-shape-radii.ts';

/** Maximum distances of matched joints. */
const NEAR = 0.03;
const CLOSE = 0.01;
/** A joint of the result is released if its bone moves away from its parent by more, root mean square. Numbers in files are rounded to less. */
const RELEASED = 5e-5;
/** A rest pose is symmetric if the mean distance to its image is below this. */
const SYMMETRIC = 0.015;

/** Ratios of matched joints, one to one. */
export interface MatchedJoints {
  /** Number of joints that are looked for. */
  count: number;
  /** Ratio of them that is matched within 3 % and within 1 % of the size. */
  within3: number;
  within1: number;
}

/** How well a skeleton is that of a rig. */
export interface SkeletonReport {
  /** Joints of the reference that the motion determines. */
  recall: MatchedJoints;
  /** The same without those that slide. */
  recallConnected: MatchedJoints;
  /** Names of the joints of the reference that are determined and slide: no other bone is connected to them. */
  sliding: string[];
  /** Joints of the result, without roots, that are matched with any joint of the reference. */
  precision: MatchedJoints;
  /** The same without joints that are released: their bones move away from their parents. */
  precisionConnected: MatchedJoints;
  /** Names of the joints of the result that are released. */
  released: string[];
  /** Names of the joints of the result that match no joint of the reference within 3 %. */
  strays: string[];
  /** Ratio of matched joints with the right parent: as written, and with the best root. */
  parents: number;
  parentsBestRoot: number;
  /** Ratio of joints of the result with an image within 2 % of the size, and the same for the reference; absent if the rest pose is not symmetric. */
  symmetry?: number;
  referenceSymmetry?: number;
  /** Leaves with hardly any surface. */
  stubs: number;
  /** Determined joints that do not slide: mean distance of both directions, and ratio of matched joints in the union. */
  jointToJoint: number;
  iou: number;
  /** As papers on networks print them, over all joints of both files. */
  network: { jointToJoint: number; jointToBone: number; boneToBone: number; iou: number };
}

/** A skeleton with its motion. */
interface Side {
  joints: RigJoints;
  motions: JointMotion[];
  names: string[];
}

/** Compares the skeletons of two assets with the same rest shape; undefined if one has no joints. */
export function compareSkeletons(
  reference: Asset,
  result: Asset,
  animations: readonly SharedAnimation[],
): SkeletonReport | undefined {
  const { positions, triangles } = reference.mesh;
  const { diagonal: size, min, max } = measureBounds(positions);
  const longest = Math.max(...[0, 1, 2].map((r) => max[r] - min[r]));
  const own = openSide(reference, animations, size);
  const played = animations.flatMap(({ result: animation, times }) =>
    animation ? [{ reference: animation, times }] : [],
  );
  const other = openSide(result, played, size);
  if (!own || !other) return undefined;
  const determined = listWhere(own, ({ isDetermined }) => isDetermined);
  const connected = determined.filter((n) => !own.motions[n].slides);
  const found = listWhere(other, (_, n) => other.joints.parents[n] >= 0);
  const released = found.filter((n) => other.motions[n].parentGap > RELEASED);
  const kept = found.filter((n) => !released.includes(n));
  const foundPlaces = placesOf(other, found);
  const allPlaces = own.joints.positions;
  const count = (from: Float64Array, to: Float64Array): MatchedJoints => ({
    count: from.length / 3,
    within3: shareOf(matchPoints(from, to, NEAR * size)),
    within1: shareOf(matchPoints(from, to, CLOSE * size)),
  });
  const matches = matchPoints(foundPlaces, allPlaces, NEAR * size);
  const byJoint = new Int32Array(other.joints.bones.length).fill(-1);
  found.forEach((n, f) => {
    byJoint[n] = matches[f];
  });
  const parents = compareParents(own.joints.parents, other.joints.parents, byJoint);
  const matched = Math.max(
    1,
    matches.reduce((sum, match) => sum + Number(match >= 0), 0),
  );
  const radii = measureShapeRadii(own.joints, { positions, triangles }, size);
  const plane = findMirrorPlane(positions, triangles);
  const isSymmetric = plane !== undefined && plane.error < SYMMETRIC;
  const symmetryOf = (places: Float64Array): number => (plane ? measureJointSymmetry(places, plane, size) : 0);
  return {
    recall: count(placesOf(own, determined), foundPlaces),
    recallConnected: count(placesOf(own, connected), foundPlaces),
    sliding: determined.filter((n) => own.motions[n].slides).map((n) => own.names[n]),
    precision: count(foundPlaces, allPlaces),
    precisionConnected: count(placesOf(other, kept), allPlaces),
    released: released.map((n) => other.names[n]),
    strays: found.filter((_, f) => matches[f] < 0).map((n) => other.names[n]),
    parents: parents.asWritten / matched,
    parentsBestRoot: parents.bestRoot / matched,
    ...(isSymmetric && { symmetry: symmetryOf(foundPlaces), referenceSymmetry: symmetryOf(placesOf(own, determined)) }),
    stubs: countStubs(result, other.joints, size),
    jointToJoint:
      (meanDistance(placesOf(own, connected), foundPlaces) + meanDistance(foundPlaces, allPlaces)) / 2 / longest,
    iou: measureIou(own, connected, foundPlaces, radii),
    network: measureNetwork(own, other, radii, longest),
  };
}

function openSide(asset: Asset, animations: readonly SharedAnimation[], size: number): Side | undefined {
  const { rig } = asset;
  if (!rig || !(size > 0)) return undefined;
  const joints = listRigJoints(asset, rig);
  if (joints.bones.length === 0) return undefined;
  const motions = listDetermined(asset, rig, joints, animations, size);
  return { joints, motions, names: Array.from(joints.bones, (j) => rig.skeleton.names[j]) };
}

function listWhere({ motions }: Side, isListed: (motion: JointMotion, n: number) => boolean): number[] {
  return motions.flatMap((motion, n) => (isListed(motion, n) ? [n] : []));
}

function placesOf({ joints: { positions } }: Side, list: readonly number[]): Float64Array {
  return Float64Array.from(list.flatMap((n) => [...positions.subarray(3 * n, 3 * n + 3)]));
}

function shareOf(matches: Int32Array): number {
  return matches.length > 0 ? matches.reduce((sum, match) => sum + Number(match >= 0), 0) / matches.length : 1;
}

/** Matched joints in the union of the joints that are looked for and the found ones. Found joints that match another joint of the reference are neither right nor wrong. */
function measureIou(own: Side, wanted: readonly number[], found: Float64Array, radii: Float64Array): number {
  const places = placesOf(own, wanted);
  const matches = matchPoints(
    places,
    found,
    Float64Array.from(wanted, (n) => radii[n]),
  );
  const used = new Set(matches);
  const others = own.motions.flatMap((_, n) => (wanted.includes(n) ? [] : [n]));
  const left = Array.from({ length: found.length / 3 }, (_, f) => f).filter((f) => !used.has(f));
  const leftPlaces = Float64Array.from(left.flatMap((f) => [...found.subarray(3 * f, 3 * f + 3)]));
  const excused = matchPoints(
    placesOf(own, others),
    leftPlaces,
    Float64Array.from(others, (n) => radii[n]),
  );
  const right = matches.reduce((sum, match) => sum + Number(match >= 0), 0);
  const wrong = left.length - excused.reduce((sum, match) => sum + Number(match >= 0), 0);
  return right / Math.max(1, wanted.length + wrong);
}

function measureNetwork(own: Side, other: Side, radii: Float64Array, longest: number): SkeletonReport['network'] {
  const { jointToJoint, jointToBone, boneToBone } = measureBoneDistances(own.joints, other.joints);
  const matches = matchPoints(own.joints.positions, other.joints.positions, radii);
  const right = matches.reduce((sum, match) => sum + Number(match >= 0), 0);
  return {
    jointToJoint: jointToJoint / longest,
    jointToBone: jointToBone / longest,
    boneToBone: boneToBone / longest,
    iou: right / (own.joints.bones.length + other.joints.bones.length - right),
  };
}
