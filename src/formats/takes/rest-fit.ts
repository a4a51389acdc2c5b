// SPDX-License-Identifier: MIT
// How the rest pose of a file with animations fits that of the character: sizes, proportions, and axes of joints.
import { compose, transformDirection } from '../../core/math/mat4.ts';
import { multiplyQuaternions } from '../../core/math/quaternion.ts';
import { findTrunk } from '../../core/model/skin/find-trunk.ts';
import { isBelow, type RestPose } from './rest-pose.ts';

/** Relative difference of lengths within which two rigs have one shape: above the rounding of files in text, below what a viewer could show. */
const SAME_LENGTH = 0.005;
/** Radians within which two rests are the same: half a degree. */
const SAME_ANGLE = Math.PI / 360;
/** Radians within which two skeletons stand in one pose, in the mean: an A-pose and a T-pose differ by more. */
const SAME_POSE = Math.PI / 18;

/** Turn about the y axis from which on a skeleton faces another way, radians: an avatar of VRM 0 is turned by half a circle. */
const OTHER_WAY = Math.PI / 4;

/** A joint in both files, and the nearest matching one above it. */
export interface JointPair {
  /** Node of the file with the animations. */
  own: number;
  /** Node of the character. */
  to: number;
  /** The pair above; -1 for the model space. */
  above: number;
}

export interface RestFit {
  pairs: readonly JointPair[];
  /** Factor on positions. */
  scale: number;
  /** Whether all bones have the same ratio of lengths, so that translations are taken. If not, bones keep the lengths of the character. */
  isUniform: boolean;
  /** Whether joints of the same pose have other axes, so that rotations are taken relative to the rests. */
  hasOtherAxes: boolean;
  /** Turn about the y axis from the file to the character, radians; 0 if axes are the same. */
  facing: number;
  /** By pair: whether its translation is taken even if proportions differ: the trunk and what is above it. */
  isTrunk: readonly boolean[];
  /** What differs, as sentences without a subject. */
  notes: string[];
}

/** Lists the joints that match, parents first. */
export function listJointPairs(character: RestPose, other: RestPose, match: Int32Array): JointPair[] {
  const pairs: JointPair[] = [];
  const placeOf = new Map<number, number>();
  match.forEach((to, own) => {
    if (to < 0) return;
    let above = -1;
    for (let n = other.tree.parents[own]; n >= 0 && above < 0; n = other.tree.parents[n]) {
      const place = placeOf.get(n);
      if (place !== undefined && isBelow(character.tree, to, pairs[place].to)) above = place;
    }
    placeOf.set(own, pairs.push({ own, to, above }) - 1);
  });
  return pairs;
}

/** @param joints nodes of the character that are joints */
export function fitRests(
  character: RestPose,
  other: RestPose,
  pairs: readonly JointPair[],
  joints: ReadonlySet<number>,
): RestFit {
  const notes: string[] = [];
  const lengths = pairs.flatMap(({ own, to, above }) => {
    if (above < 0) return [];
    const [a, b] = [distanceOf(character, to, pairs[above].to), distanceOf(other, own, pairs[above].own)];
    return [{ a, b }];
  });
  const total = lengths.reduce((sum, { a }) => sum + a, 0);
  const whole = total / (lengths.reduce((sum, { b }) => sum + b, 0) || 1) || 1;
  const isSame = (ratio: number): boolean =>
    lengths.every(({ a, b }) => Math.abs(a - ratio * b) <= SAME_LENGTH * Math.max(a, total / (lengths.length || 1)));
  const isUniform = isSame(1) || isSame(whole);
  const trunk = findTrunk(character.tree, { joints });
  const scale = isSame(1) ? 1 : isUniform ? whole : legRatio(character, other, pairs, trunk, whole);
  if (!isUniform)
    notes.push(
      `bones have other lengths: those of the character are kept, and positions of the trunk are scaled by ${scale.toPrecision(3)}`,
    );
  else if (scale !== 1) notes.push(`the skeleton has another size: positions are scaled by ${scale.toPrecision(4)}`);
  const turns = compareTurns(character, other, pairs, notes);
  const isTrunk = pairs.map(({ to, above }) => above < 0 || (trunk >= 0 && isBelow(character.tree, trunk, to)));
  return { pairs, scale, isUniform, ...turns, isTrunk, notes };
}

/** Ratio of the lengths of the path from the trunk to the lowest joint: what a step is long. Lengths, since the pose of a file may be that of its first frame. */
function legRatio(
  character: RestPose,
  other: RestPose,
  pairs: readonly JointPair[],
  trunk: number,
  whole: number,
): number {
  const below = pairs.filter(({ to }) => isBelow(character.tree, to, trunk));
  const heightOf = ({ to }: JointPair): number => character.worlds[16 * to + 13];
  const lowest = below.reduce((low, pair) => (heightOf(pair) < heightOf(low) ? pair : low), below[0] ?? pairs[0]);
  let [a, b] = [0, 0];
  for (let pair = lowest; pair && pair.above >= 0 && pair.to !== trunk; pair = pairs[pair.above]) {
    a += distanceOf(character, pair.to, pairs[pair.above].to);
    b += distanceOf(other, pair.own, pairs[pair.above].own);
  }
  return a > 0 && b > 0 ? a / b : whole;
}

/** How rotations are taken. */
interface TurnFit {
  hasOtherAxes: boolean;
  facing: number;
}

/**
 * Compares rotations at rest. Joints have other axes if bones point elsewhere in the spaces of their parents, whatever the pose is; or if they point to the same places
 * in model space and joints are turned about them.
 */
function compareTurns(character: RestPose, other: RestPose, pairs: readonly JointPair[], notes: string[]): TurnFit {
  const linked = pairs.flatMap(({ own, to, above }) =>
    above < 0 ? [] : [{ own, to, ownAbove: pairs[above].own, toAbove: pairs[above].to }],
  );
  const turns = linked.map(({ own, to, ownAbove, toAbove }) =>
    angleBetween(turnFrom(character, to, toAbove), turnFrom(other, own, ownAbove)),
  );
  const bones = linked.flatMap(({ own, to, ownAbove, toAbove }) => {
    const [a, b] = [directionOf(character, to, toAbove), directionOf(other, own, ownAbove)];
    return a && b ? { a, b, inA: inSpaceOf(character, toAbove, a), inB: inSpaceOf(other, ownAbove, b) } : [];
  });
  const points = meanOf(bones.map(({ inA, inB }) => angleOf(inA, inB)));
  const unturned = meanOf(bones.map(({ a, b }) => angleOf(a, b)));
  const different = turns.filter((angle) => angle > SAME_ANGLE);
  const isSameAxes =
    points < SAME_POSE && (different.length === 0 || !(unturned < SAME_POSE && unturned < meanOf(turns)));
  const count = `${different.length} of ${turns.length} joints are turned otherwise at rest${different.length > 0 ? `, by at most ${degreesOf(Math.max(...different))}°` : ''}`;
  if (isSameAxes) {
    if (different.length > 0) notes.push(`${count}: rotations are taken as they are`);
    return { hasOtherAxes: false, facing: 0 };
  }
  const { facing, rest } = faceAlike(bones, unturned);
  if (facing !== 0) notes.push(`the skeleton faces another way and is turned by ${degreesOf(Math.abs(facing))}°`);
  notes.push(
    rest < SAME_POSE
      ? `the axes of joints are others (${count}), while the skeletons stand in the same pose: rotations are taken relative to the rest poses`
      : `the axes of joints are others (${count}), and bones point elsewhere at rest by ${degreesOf(rest)}° on average: rotations are taken relative to the rest poses, so this difference stays`,
  );
  return { hasOtherAxes: true, facing };
}

/** Turn about the y axis that takes bones of the file to those of the character, if they face another way; and their mean angle then. */
function faceAlike(bones: readonly { a: number[]; b: number[] }[], unturned: number): { facing: number; rest: number } {
  let [along, across] = [0, 0];
  for (const { a, b } of bones) {
    along += a[0] * b[0] + a[2] * b[2];
    across += a[0] * b[2] - a[2] * b[0];
  }
  const facing = Math.atan2(across, along);
  const [sin, cos] = [Math.sin(facing), Math.cos(facing)];
  const turned = meanOf(bones.map(({ a, b: [x, y, z] }) => angleOf(a, [cos * x + sin * z, y, cos * z - sin * x])));
  return Math.abs(facing) > OTHER_WAY && turned < unturned ? { facing, rest: turned } : { facing: 0, rest: unturned };
}

const degreesOf = (angle: number): number => Math.round((angle * 180) / Math.PI);

const angleOf = (a: readonly number[], b: readonly number[]): number =>
  Math.acos(Math.max(-1, Math.min(1, a[0] * b[0] + a[1] * b[1] + a[2] * b[2])));

/** A direction in model space as a node has it. */
function inSpaceOf({ rotations }: RestPose, node: number, direction: readonly number[]): number[] {
  const [x, y, z, w] = rotations.subarray(4 * node, 4 * node + 4);
  const turn = new Float64Array(16);
  compose([0, 0, 0], [-x, -y, -z, w], [1, 1, 1], turn);
  const out = [0, 0, 0];
  transformDirection(turn, direction, out);
  return out;
}

const meanOf = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0) / (list.length || 1);

function distanceOf({ worlds }: RestPose, a: number, b: number): number {
  const [o, p] = [16 * a + 12, 16 * b + 12];
  return Math.hypot(worlds[o] - worlds[p], worlds[o + 1] - worlds[p + 1], worlds[o + 2] - worlds[p + 2]);
}

/** Unit vector from a node to one below it; undefined if they are at one place. */
function directionOf(pose: RestPose, node: number, above: number): number[] | undefined {
  const length = distanceOf(pose, node, above);
  if (!(length > 0)) return undefined;
  return [12, 13, 14].map((c) => (pose.worlds[16 * node + c] - pose.worlds[16 * above + c]) / length);
}

/** The rotation of a node relative to one above it. */
function turnFrom({ rotations }: RestPose, node: number, above: number): Float64Array {
  const inverse = Float64Array.from(rotations.subarray(4 * above, 4 * above + 4), (x, c) => (c === 3 ? x : -x));
  multiplyQuaternions(inverse, rotations, inverse, 0, 4 * node);
  return inverse;
}

function angleBetween(a: Float64Array, b: Float64Array): number {
  const dot = Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
  return 2 * Math.acos(Math.min(1, dot));
}
