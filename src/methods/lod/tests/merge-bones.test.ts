// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { mergeBones } from '../merge-bones.ts';

/** Four vertices on a line: the first follows bone 0, the last bone 2, the others half of two bones. */
const skin = {
  rowStart: Uint32Array.of(0, 1, 3, 5, 6),
  boneIndices: Uint32Array.of(0, 0, 1, 1, 2, 2),
  weights: Float32Array.of(1, 0.5, 0.5, 0.5, 0.5, 1),
};
const level = { positions: Float32Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0), vertices: Uint32Array.of(0, 1, 2, 3) };

/** Bones that are lifted by these heights. */
const lift = (...heights: number[]) => {
  const bones = makeIdentities(heights.length);
  heights.forEach((y, b) => {
    bones[16 * b + 13] = y;
  });
  return bones;
};

describe('mergeBones', () => {
  it('merges bones that move nearly alike, and none beyond the limit', () => {
    const poses = [lift(0, 0.1, 5), lift(0, 0, -5)];
    expect([...mergeBones({ level, skin, boneCount: 3, poses }, 0.2)]).toEqual([0, 0, 2]);
    expect([...mergeBones({ level, skin, boneCount: 3, poses }, 0.01)]).toEqual([0, 1, 2]);
  });

  it('adds up the displacements of merges one after the other', () => {
    // each step is 0.5 for half of the weight: the second merge would move the third vertex by more
    const poses = [lift(0, 1, 2)];
    const map = mergeBones({ level, skin, boneCount: 3, poses }, 0.6);
    expect(new Set(map).size).toBe(2);
    expect(new Set(mergeBones({ level, skin, boneCount: 3, poses }, 10)).size).toBe(1);
  });
});
