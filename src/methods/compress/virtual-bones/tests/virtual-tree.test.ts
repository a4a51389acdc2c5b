// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { BoneMoments } from '../../compress-moments.ts';
import type { Joints } from '../../examples/continuous-joints.ts';
import { sumUnderInto } from '../../examples/continuous-joints.ts';
import { listTreeSums } from '../virtual-tree.ts';

//     0
//     1
//   2   4
//   3   5
const PARENTS = [-1, 0, 1, 2, 1, 4];

function makeJoints(bones = [1, 2, 3, 4, 5]): Joints {
  const boneCount = PARENTS.length;
  const under = new Uint8Array(bones.length * boneCount);
  bones.forEach((bone, g) => {
    for (let j = 0; j < boneCount; j++) {
      for (let a = j; a >= 0; a = PARENTS[a]) if (a === bone) under[g * boneCount + j] = 1;
    }
  });
  const none = new Float64Array(0);
  return { boneCount, bones: Uint32Array.from(bones), under, binds: none, inverses: none, ranges: [], movingCount: 1 };
}

/** Moments of which only the joints matter: those that move a part of the bones. */
function momentsOf(joints: Joints, bones: number[], more: number[] = []): BoneMoments {
  const deltas = new Float64Array(10 * bones.length);
  const partial = Array.from(joints.bones.keys()).filter(
    (g) => sumUnderInto(joints, g, { bones, deltas, start: 0, end: bones.length }, new Float64Array(10)) === 2,
  );
  const none = new Float64Array(0);
  return { square: none, joints: [...partial, ...more], targets: none, others: [], shared: none };
}

describe('sums under joints', () => {
  const joints = makeJoints();

  it('are independent if one bone is the ancestor of all others', () => {
    const bones = [4, 0, 1, 3];
    const moments = momentsOf(joints, bones);
    const sums = listTreeSums(joints, bones, moments)!;
    expect(sums.map(({ entry, above }) => [bones[entry], bones[above]])).toEqual([
      [4, 1],
      [1, 0],
      [3, 1],
    ]);
    // joint 2 moves what joint 3 does: the bone between is none of these
    expect(sums.map(({ places }) => places.map((place) => joints.bones[moments.joints[place]]))).toEqual([
      [4],
      [1],
      [2, 3],
    ]);
  });

  it('change one at a time by opposite steps of the owner and the bone above', () => {
    const bones = [1, 2, 3, 5];
    const moments = momentsOf(joints, bones);
    for (const { entry, above, places } of listTreeSums(joints, bones, moments)!) {
      const deltas = new Float64Array(40);
      deltas[10 * entry] += 1;
      deltas[10 * above] -= 1;
      moments.joints.forEach((g, place) => {
        const y = new Float64Array(10);
        sumUnderInto(joints, g, { bones, deltas, start: 0, end: 4 }, y);
        expect(y[0]).toBe(places.includes(place) ? 1 : 0);
      });
      expect(deltas.reduce((sum, v) => sum + v, 0)).toBe(0);
    }
  });

  it('are dependent without a common ancestor, if a joint moves several branches, and with frames', () => {
    expect(listTreeSums(joints, [3, 5], momentsOf(joints, [3, 5]))).toBeUndefined();
    expect(listTreeSums(joints, [0, 3, 5], momentsOf(joints, [0, 3, 5]))).toBeUndefined();
    expect(listTreeSums(joints, [1, 2], momentsOf(joints, [1, 2], [joints.bones.length]))).toBeUndefined();
    // the root moves everything and is no joint of its own: it is on top all the same
    expect(listTreeSums(joints, [0, 1], momentsOf(joints, [0, 1]))).toHaveLength(1);
  });
});
