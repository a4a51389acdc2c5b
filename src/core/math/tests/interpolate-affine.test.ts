// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { interpolateAffineInto } from '../interpolate-affine.ts';
import { compose } from '../mat4.ts';
import { quaternionFromAxisAngle } from '../quaternion.ts';

function makeMatrix(angle: number, x: number, scale: number[]): Float64Array {
  const [turn, out] = [new Float64Array(4), new Float64Array(16)];
  quaternionFromAxisAngle([1, 2, 3], angle, turn);
  compose([x, 0, -x], turn, scale, out);
  return out;
}

const between = (a: Float64Array, b: Float64Array, t: number): Float64Array => {
  const out = new Float64Array(16);
  interpolateAffineInto(a, b, t, out);
  return out;
};

describe('interpolateAffineInto', () => {
  it('gives both ends back, shear and mirroring included', () => {
    const a = makeMatrix(0.4, 1, [1, 2, 3]);
    const b = makeMatrix(2, 5, [-1, 1, 0.5]);
    b[4] += 0.7;
    for (const [t, expected] of [
      [0, a],
      [1, b],
    ] as const)
      for (const [c, x] of between(a, b, t).entries()) expect(x).toBeCloseTo(expected[c], 12);
  });

  it('turns at constant speed, and scales and moves linearly', () => {
    const middle = between(makeMatrix(0.2, 1, [1, 1, 1]), makeMatrix(1.2, 3, [3, 3, 3]), 0.25);
    for (const [c, x] of makeMatrix(0.45, 1.5, [1.5, 1.5, 1.5]).entries()) expect(middle[c]).toBeCloseTo(x, 12);
  });
});
