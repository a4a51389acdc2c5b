// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { measureBoneDistances } from '../measure-bone-distances.ts';
import { measureShapeRadii } from '../measure-shape-radii.ts';

const chain = (...x: number[]) => ({
  positions: Float64Array.from(x.flatMap((at) => [at, 0, 0])),
  parents: x.map((_, n) => n - 1),
});

describe('measureBoneDistances', () => {
  it('is zero for equal skeletons', () => {
    expect(measureBoneDistances(chain(0, 1, 2), chain(0, 1, 2))).toEqual({
      jointToJoint: 0,
      jointToBone: 0,
      boneToBone: 0,
    });
  });

  it('averages both directions', () => {
    // the joint at 1 is missing: 1 from the nearest joint, and on the bone
    const { jointToJoint, jointToBone, boneToBone } = measureBoneDistances(chain(0, 1, 2), chain(0, 2));
    expect(jointToJoint).toBeCloseTo(1 / 3 / 2, 12);
    expect(jointToBone).toBeCloseTo(0, 12);
    expect(boneToBone).toBeCloseTo(0, 12);
  });

  it('measures points on bones against bones', () => {
    // half of the longer bone is beyond the shorter one, at 0.5 in the mean
    expect(measureBoneDistances(chain(0, 2), chain(0, 1)).boneToBone).toBeCloseTo(0.125, 9);
  });
});

describe('measureShapeRadii', () => {
  it('is half of the width of a tube around its bones', () => {
    const [w, l] = [0.2, 3];
    const corners = [-1, 1].flatMap((x) => [-w, w].flatMap((y) => [-w, w].flatMap((z) => [x * l, y, z])));
    const faces = [
      0, 1, 3, 0, 3, 2, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 3, 7, 1, 7, 5,
    ];
    const shape = { positions: Float64Array.from(corners), triangles: Uint32Array.from(faces) };
    for (const radius of measureShapeRadii(chain(-1, 0, 1), shape, 6)) {
      expect(radius).toBeGreaterThan(0.99 * w);
      expect(radius).toBeLessThan(1.5 * w);
    }
  });
});
