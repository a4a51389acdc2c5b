// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compose, IDENTITY, makeIdentities, multiply, transformPoint } from '../../../core/math/mat4.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { JOINT_SIZE, makeSkeletonPoser } from '../make-skeleton-poser.ts';

const PARENTS = [-1, 0, 1, 1, -1, 4];

/** Two trees of joints, moved, turned and, where asked, scaled; bound as they stand. */
function makeJoints(isScaled: boolean): { skeleton: Skeleton; joints: Float64Array } {
  const random = makeRandom(7);
  const boneCount = PARENTS.length;
  const joints = new Float64Array(JOINT_SIZE * boneCount);
  const bindMatrices = new Float64Array(16 * boneCount);
  const local = new Float64Array(16);
  for (let j = 0; j < boneCount; j++) {
    const q = [random.normal(), random.normal(), random.normal(), random.normal()];
    const length = Math.hypot(...q);
    joints.set([random.normal(), random.normal(), random.normal(), 0], JOINT_SIZE * j);
    for (let c = 0; c < 4; c++) joints[JOINT_SIZE * j + 4 + c] = q[c] / length;
    for (let c = 0; c < 3; c++) joints[JOINT_SIZE * j + 8 + c] = isScaled ? 0.5 + random.next() : 1;
    const at = JOINT_SIZE * j;
    compose(joints, joints, joints, local, at, at + 4, at + 8);
    if (PARENTS[j] < 0) bindMatrices.set(local, 16 * j);
    else multiply(bindMatrices, local, bindMatrices, 16 * PARENTS[j], 0, 16 * j);
  }
  return {
    skeleton: { names: PARENTS.map((_, j) => `bone${j}`), parents: Int32Array.from(PARENTS), bindMatrices },
    joints,
  };
}

function expectClose(found: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(found.length).toBe(expected.length);
  for (let e = 0; e < found.length; e++) expect(Math.abs(found[e] - expected[e])).toBeLessThan(1e-12);
}

describe('the pose of a skeleton', () => {
  it.each([false, true])('gives identities for the bind pose (scaled: %s)', (isScaled) => {
    const { skeleton, joints } = makeJoints(isScaled);
    const bones = new Float64Array(16 * PARENTS.length).fill(9);
    makeSkeletonPoser(skeleton).poseInto(joints, bones);
    expectClose(bones, makeIdentities(PARENTS.length));
  });

  it('rotates a joint and its descendants about the joint, and nothing else', () => {
    const { skeleton, joints } = makeJoints(false);
    const poser = makeSkeletonPoser(skeleton);
    // a quarter turn about x: q * (s, 0, 0, s)
    const [x, y, z, w] = joints.subarray(JOINT_SIZE + 4, JOINT_SIZE + 8);
    const s = Math.SQRT1_2;
    joints.set([s * (x + w), s * (y + z), s * (z - y), s * (w - x)], JOINT_SIZE + 4);
    const bones = new Float64Array(16 * PARENTS.length);
    poser.poseInto(joints, bones);
    for (const j of [0, 4, 5]) expectClose(bones.subarray(16 * j, 16 * j + 16), IDENTITY);
    for (const j of [2, 3]) expectClose(bones.subarray(16 * j, 16 * j + 16), bones.subarray(16, 32));
    const pivot = skeleton.bindMatrices.subarray(16 + 12, 16 + 15);
    const moved = new Float64Array(3);
    transformPoint(bones, pivot, moved, 16);
    expectClose(moved, pivot);
    // the trace of a rotation is 1 + 2 cos of its angle
    expect(bones[16] + bones[21] + bones[26]).toBeCloseTo(1, 12);
  });

  it('keeps at rest a bone whose bind scale is zero', () => {
    const { skeleton, joints } = makeJoints(false);
    skeleton.bindMatrices.fill(0, 32, 44);
    const bones = new Float64Array(16 * PARENTS.length);
    makeSkeletonPoser(skeleton).poseInto(joints, bones);
    expectClose(bones.subarray(32, 48), IDENTITY);
  });

  it('throws on arrays of another size', () => {
    const { skeleton, joints } = makeJoints(false);
    const poser = makeSkeletonPoser(skeleton);
    expect(() => poser.poseInto(joints.subarray(1), new Float64Array(96))).toThrow(
      'skeleton pose: 71 numbers for 6 joints, expected 12 for each',
    );
    expect(() => poser.poseInto(joints, new Float64Array(80))).toThrow(
      'skeleton pose: bones must have 6 matrices, got 5',
    );
  });
});
