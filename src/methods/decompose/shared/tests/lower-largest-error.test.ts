// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../../core/math/mat4.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { lowerLargestError } from '../lower-largest-error.ts';

const random = makeRandom(3);
const VERTICES = 40;
const rest = Float32Array.from({ length: 3 * VERTICES }, () => random.next() - 0.5);
/** Half of the vertices follow each of two bones, with some of the other. */
const skin = makeSkin(
  Array.from({ length: 2 * VERTICES }, (_, e) => (e + Math.floor(e / VERTICES)) % 2),
  Array.from({ length: 2 * VERTICES }, (_, e) => (e % 2 === 0 ? 0.8 : 0.2)),
  2,
);

function pose(bones: Float64Array): Float32Array {
  const out = new Float32Array(rest.length);
  for (let v = 0; v < VERTICES; v++) {
    for (let e = skin.rowStart[v]; e < skin.rowStart[v + 1]; e++) {
      const o = 16 * skin.boneIndices[e];
      for (let r = 0; r < 3; r++) {
        let x = bones[o + 12 + r];
        for (let c = 0; c < 3; c++) x += bones[o + 4 * c + r] * rest[3 * v + c];
        out[3 * v + r] += skin.weights[e] * x;
      }
    }
  }
  return out;
}

const farthest = (a: Float32Array, b: Float32Array) =>
  Math.max(
    ...Array.from({ length: VERTICES }, (_, v) => Math.hypot(...[0, 1, 2].map((r) => a[3 * v + r] - b[3 * v + r]))),
  );

describe('lowerLargestError', () => {
  it('finds the pose of its targets', () => {
    const truth = makeIdentities(2);
    truth.set([0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.3, 0, 0, 1]);
    const bones = makeIdentities(2);
    const before = farthest(pose(bones), pose(truth));
    const largest = lowerLargestError(rest, skin, bones, pose(truth));
    expect(largest).toBeLessThan(0.05 * before);
    expect(farthest(pose(bones), pose(truth))).toBeCloseTo(largest, 5);
  });

  it('lowers the largest distance below that of the mean square', () => {
    const targets = pose(makeIdentities(2));
    targets[0] += 1; // one outlier; the other vertices fit exactly
    const bones = makeIdentities(2);
    const largest = lowerLargestError(rest, skin, bones, targets);
    expect(largest).toBeLessThan(0.8);
    for (let j = 0; j < 2; j++) {
      const columns = [0, 1, 2].map((c) => bones.subarray(16 * j + 4 * c, 16 * j + 4 * c + 3));
      for (const column of columns) expect(Math.hypot(...column)).toBeCloseTo(1, 9);
    }
  });

  it('never raises it, and ends when it is small enough', () => {
    const bones = makeIdentities(2);
    expect(lowerLargestError(rest, skin, makeIdentities(2), pose(bones))).toBeLessThan(1e-6);
    const targets = pose(bones).map((x) => x + 0.1);
    expect(lowerLargestError(rest, skin, bones, targets, 1)).toBeCloseTo(Math.sqrt(0.03), 5);
    expect([...bones]).toEqual([...makeIdentities(2)]);
  });
});
