// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { measureJointGap } from '../measure-joint-gap.ts';

const FRAMES = 5;

/** Rotations about the z axis through a point, after a displacement along x. */
function turn(angle: (k: number) => number, [x, y]: [number, number], shift: (k: number) => number = () => 0) {
  const matrices = new Float64Array(16 * FRAMES);
  for (let k = 0; k < FRAMES; k++) {
    const [c, s] = [Math.cos(angle(k)), Math.sin(angle(k))];
    matrices.set([c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, x - c * x + s * y + shift(k), y - s * x - c * y, 0, 1], 16 * k);
  }
  return matrices;
}
const still = turn(() => 0, [0, 0]);

describe('measureJointGap', () => {
  it('is close to zero for equal motions and for a hinge', () => {
    const hinge = turn((k) => 0.2 * k, [100, 3]);
    expect(measureJointGap(hinge, hinge, [0, 0, 0], 1)).toBe(0);
    expect(measureJointGap(still, hinge, [100.4, 3, 7], 1)).toBeLessThan(1e-4);
  });

  it('is the displacement of parts that slide, also if a distant center would explain it', () => {
    const slide = turn(
      () => 0,
      [0, 0],
      (k) => 0.1 * k,
    );
    expect(measureJointGap(still, slide, [0, 0, 0], 1)).toBeCloseTo(0.4, 6);
    const swing = turn((k) => 1e-3 * k, [0, 100]);
    expect(measureJointGap(still, swing, [0, 0, 0], 1)).toBeCloseTo(0.4, 3);
    expect(measureJointGap(still, swing, [0, 0, 0], 200)).toBeLessThan(1e-3);
  });
});
