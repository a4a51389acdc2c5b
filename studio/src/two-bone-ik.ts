// SPDX-License-Identifier: MIT
// A hand or foot is put where it is wanted by bending the two bones above it: the law of cosines at the middle joint, then the upper one aims.
import { Quaternion, type Vector3 } from 'three';
import type { PoseModel } from './pose-model.ts';

/** Ranges cut turns short; a few rounds take up in one joint what the other could not do. */
const ROUNDS = 8;
const STRAIGHT = 1e-4;

/** The joints above an end: [upper, middle]; undefined where there are not two. */
export function chainOf(parents: Int32Array, end: number): [number, number] | undefined {
  const middle = parents[end] ?? -1;
  const upper = middle >= 0 ? parents[middle] : -1;
  return upper >= 0 ? [upper, middle] : undefined;
}

/** Moves the head of joint `end` towards a target; returns how far it is off afterwards. */
export function twoBoneIk(pose: PoseModel, end: number, target: Vector3): number {
  const chain = chainOf(pose.rig.parents, end);
  if (!chain) return pose.headOf(end).distanceTo(target);
  const [upper, middle] = chain;
  for (let round = 0; round < ROUNDS; round++) {
    const a = pose.headOf(upper);
    const b = pose.headOf(middle);
    const c = pose.headOf(end);
    const first = a.distanceTo(b);
    const second = b.distanceTo(c);
    if (first < STRAIGHT * second || second < STRAIGHT * first) break;
    const reach = clamp(
      a.distanceTo(target),
      Math.abs(first - second) * (1 + STRAIGHT),
      (first + second) * (1 - STRAIGHT),
    );
    // the angle at the middle joint that makes end and upper joint so far apart
    const wanted = Math.acos(clamp((first * first + second * second - reach * reach) / (2 * first * second), -1, 1));
    const toA = a.clone().sub(b).normalize();
    const toC = c.clone().sub(b).normalize();
    const now = Math.acos(clamp(toA.dot(toC), -1, 1));
    const axis = toA.clone().cross(toC);
    // a straight limb bends about any axis across it: one that faces the target
    if (axis.lengthSq() < STRAIGHT * STRAIGHT) axis.copy(toC).cross(target.clone().sub(b));
    if (axis.lengthSq() < STRAIGHT * STRAIGHT) axis.set(toC.y, toC.z, toC.x).cross(toC);
    pose.turnBy(middle, new Quaternion().setFromAxisAngle(axis.normalize(), wanted - now));
    const from = pose.headOf(end).sub(a).normalize();
    const to = target.clone().sub(a).normalize();
    pose.turnBy(upper, new Quaternion().setFromUnitVectors(from, to));
    if (pose.headOf(end).distanceTo(target) < STRAIGHT * (first + second)) break;
  }
  return pose.headOf(end).distanceTo(target);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
