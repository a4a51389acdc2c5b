// SPDX-License-Identifier: MIT
import { Matrix4, Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { type EditedRig, PoseEditor } from '../pose-editor.ts';
import { chainOf, twoBoneIk } from '../two-bone-ik.ts';

/** A limb along y: shoulder at 0, elbow at 1, hand at 2, each in a frame turned about its own axis. */
function makeLimb(range: number): EditedRig {
  const parents = Int32Array.of(-1, 0, 1);
  const binds = new Float64Array(48);
  for (let j = 0; j < 3; j++) {
    const turn = new Quaternion().setFromAxisAngle(new Vector3(1, 2, 3).normalize(), 0.4 * j);
    binds.set(new Matrix4().compose(new Vector3(0, j, 0), turn, new Vector3(1, 1, 1)).elements, 16 * j);
  }
  const ranges = Float64Array.from({ length: 18 }, (_, c) => (c % 2 === 0 ? -range : range));
  return { parents, binds, ranges };
}

/** The position of a joint. */
const headOf = (pose: PoseEditor, j: number): Vector3 => new Vector3(...pose.headOf(j));

const identity = (): Float64Array => Float64Array.from({ length: 48 }, (_, c) => ((c % 16) % 5 === 0 ? 1 : 0));

describe('a pose by hand', () => {
  it('gives back the bones it takes', () => {
    const pose = new PoseEditor(makeLimb(3));
    const bones = identity();
    const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), 0.7);
    const moved = new Matrix4().compose(new Vector3(1, 2, 3), turn, new Vector3(1, 1, 1));
    for (let j = 0; j < 3; j++) bones.set(moved.elements, 16 * j);
    pose.take(bones);
    pose.setAngles(1, pose.anglesOf(1));
    pose.bones().forEach((x, c) => {
      expect(x).toBeCloseTo(bones[c], 10);
    });
  });

  it('turns a joint about its own head, and its children follow', () => {
    const pose = new PoseEditor(makeLimb(3));
    pose.take(identity());
    pose.turnBy(1, new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), Math.PI / 2).toArray());
    expect(headOf(pose, 0).distanceTo(new Vector3(0, 0, 0))).toBeLessThan(1e-12);
    expect(headOf(pose, 1).distanceTo(new Vector3(0, 1, 0))).toBeLessThan(1e-12);
    // the hand was a step above the elbow, and is now a step beside it
    expect(headOf(pose, 2).distanceTo(new Vector3(-1, 1, 0))).toBeLessThan(1e-12);
  });

  it('holds angles within the range of the joint', () => {
    const pose = new PoseEditor(makeLimb(0.5));
    pose.take(identity());
    pose.setAngles(1, [2, -2, 0.2]);
    const [x, y, z] = pose.anglesOf(1);
    expect(x).toBeCloseTo(0.5, 10);
    expect(y).toBeCloseTo(-0.5, 10);
    expect(z).toBeCloseTo(0.2, 10);
  });
});

describe('two-bone IK', () => {
  it('finds the two bones above an end', () => {
    expect(chainOf(Int32Array.of(-1, 0, 1, 2), 3)).toEqual([1, 2]);
    expect(chainOf(Int32Array.of(-1, 0), 1)).toBeUndefined();
  });

  it.each([
    [1.2, 0.6, 0.3],
    [-0.4, 1.1, 0.8],
    [0, 0.9, 0],
    [0.1, -1.5, 0.2],
  ])('puts the hand at (%d, %d, %d), and bones keep their length', (x, y, z) => {
    const pose = new PoseEditor(makeLimb(4));
    pose.take(identity());
    const target = new Vector3(x, y, z);
    expect(twoBoneIk(pose, 2, target.toArray())).toBeLessThan(1e-3);
    expect(headOf(pose, 0).distanceTo(headOf(pose, 1))).toBeCloseTo(1, 9);
    expect(headOf(pose, 1).distanceTo(headOf(pose, 2))).toBeCloseTo(1, 9);
  });

  it('stretches towards what is out of reach', () => {
    const pose = new PoseEditor(makeLimb(4));
    pose.take(identity());
    expect(twoBoneIk(pose, 2, [5, 0, 0])).toBeCloseTo(3, 2);
    expect(headOf(pose, 2).distanceTo(new Vector3(2, 0, 0))).toBeLessThan(0.05);
  });

  it('stays within ranges, and comes as close as they let it', () => {
    const pose = new PoseEditor(makeLimb(0.6));
    pose.take(identity());
    const target = new Vector3(0.9, 1.4, 0);
    const before = headOf(pose, 2).distanceTo(target);
    expect(twoBoneIk(pose, 2, target.toArray())).toBeLessThan(before);
    for (const j of [0, 1])
      for (const angle of pose.anglesOf(j)) expect(Math.abs(angle)).toBeLessThanOrEqual(0.6 + 1e-9);
  });
});
