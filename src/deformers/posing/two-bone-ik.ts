// SPDX-License-Identifier: MIT
// Inverse kinematics of a limb: the middle joint bends by the law of cosines, then the upper joint aims.
import { quaternionFromAxisAngle } from '../../core/math/quaternion.ts';
import type { PoseEditor } from './pose-editor.ts';

/** Ranges limit rotations; in further iterations one joint makes up for the other. */
const ITERATIONS = 8;
/** Tolerance relative to the length of the limb, and on the sine of its bend. */
const STRAIGHT = 1e-4;

/** A point or a direction: x, y, z. */
type Vector3 = ArrayLike<number>;

/**
 * The joints above an end: [upper, middle]; undefined where there are not two.
 * @internal
 */
export function chainOf(parents: Int32Array, end: number): [upper: number, middle: number] | undefined {
  const middle = parents[end] ?? -1;
  const upper = middle >= 0 ? parents[middle] : -1;
  return upper >= 0 ? [upper, middle] : undefined;
}

/**
 * Moves joint `end` towards a target by rotating the two joints above it. Returns the remaining distance.
 * @internal
 */
export function twoBoneIk(pose: PoseEditor, end: number, target: Vector3): number {
  const chain = chainOf(pose.rig.parents, end);
  if (!chain) return distanceOf(pose.headOf(end), target);
  const [upper, middle] = chain;
  for (let n = 0; n < ITERATIONS; n++) {
    const [a, b, c] = [upper, middle, end].map((j) => pose.headOf(j));
    const first = distanceOf(a, b);
    const second = distanceOf(b, c);
    if (first < STRAIGHT * second || second < STRAIGHT * first) break;
    const shortest = Math.abs(first - second) * (1 + STRAIGHT);
    const reach = clamp(distanceOf(a, target), shortest, (first + second) * (1 - STRAIGHT));
    // the angle at the middle joint that puts end and upper joint at this distance
    const wanted = Math.acos(clamp((first * first + second * second - reach * reach) / (2 * first * second), -1, 1));
    const toA = unitOf(b, a);
    const toC = unitOf(b, c);
    const now = Math.acos(clamp(dot(toA, toC), -1, 1));
    let axis = cross(toA, toC);
    // a straight limb bends about an axis across it: one that faces the target, or any
    if (dot(axis, axis) < STRAIGHT * STRAIGHT) axis = cross(toC, unitOf(b, target));
    if (dot(axis, axis) < STRAIGHT * STRAIGHT) axis = cross([toC[1], toC[2], toC[0]], toC);
    const bend = [0, 0, 0, 1];
    quaternionFromAxisAngle(axis, wanted - now, bend);
    pose.turnBy(middle, bend);
    pose.turnBy(upper, turnBetween(unitOf(a, pose.headOf(end)), unitOf(a, target)));
    if (distanceOf(pose.headOf(end), target) < STRAIGHT * (first + second)) break;
  }
  return distanceOf(pose.headOf(end), target);
}

/** The shortest rotation between two unit vectors. */
function turnBetween(from: Vector3, to: Vector3): number[] {
  const axis = cross(from, to);
  const isOpposite = dot(from, to) < 0 && dot(axis, axis) < STRAIGHT ** 4;
  const out = [0, 0, 0, 1];
  const across = isOpposite ? cross([from[1], from[2], -from[0]], from) : axis;
  quaternionFromAxisAngle(across, Math.atan2(Math.sqrt(dot(axis, axis)), dot(from, to)), out);
  return out;
}

function cross(a: Vector3, b: Vector3): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function dot(a: Vector3, b: Vector3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function distanceOf(a: Vector3, b: Vector3): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** The direction from one point to another; zero if they are the same. */
function unitOf(from: Vector3, to: Vector3): number[] {
  const length = distanceOf(from, to) || 1;
  return [0, 1, 2].map((c) => (to[c] - from[c]) / length);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
