// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compose } from '../mat4.ts';
import {
  conjugateQuaternion,
  multiplyQuaternions,
  normalizeQuaternion,
  quaternionFromAxisAngle,
  quaternionFromMatrix,
  quaternionFromRotationVector,
  rotationVectorFromQuaternion,
  slerpInto,
} from '../quaternion.ts';

const component = fc.double({ min: -1, max: 1, noNaN: true });
const unit = fc
  .tuple(component, component, component, component)
  .filter((q) => Math.hypot(...q) > 1e-3)
  .map((q) => q.map((x) => x / Math.hypot(...q)));

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
/** Largest difference, q and −q being the same. */
function apart(a: number[], b: number[]): number {
  const sign = dot(a, b) < 0 ? -1 : 1;
  return Math.max(...a.map((x, c) => Math.abs(x - sign * b[c])));
}

function matrixOf(q: number[]): number[] {
  const m = new Array<number>(16).fill(0);
  compose([0, 0, 0], q, [1, 1, 1], m);
  return m;
}

describe('quaternionFromMatrix', () => {
  it('undoes compose for every rotation, and returns w not negative', () => {
    fc.assert(
      fc.property(unit, (q) => {
        const out = [0, 0, 0, 0];
        quaternionFromMatrix(matrixOf(q), out);
        expect(out[3]).toBeGreaterThanOrEqual(0);
        expect(apart(out, q)).toBeLessThan(1e-14);
      }),
      { numRuns: 500 },
    );
  });

  it('reads half turns about each axis', () => {
    for (const q of [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 0],
      [Math.SQRT1_2, Math.SQRT1_2, 0, 0],
    ]) {
      const out = [0, 0, 0, 0];
      quaternionFromMatrix(matrixOf(q), out);
      expect(apart(out, q)).toBeLessThan(1e-15);
    }
  });
});

/** v turned by the unit quaternion q: v + 2 u × (u × v + w v), u the vector part. */
function rotateVector([x, y, z, w]: number[], [v0, v1, v2]: number[]): number[] {
  const [c0, c1, c2] = [y * v2 - z * v1 + w * v0, z * v0 - x * v2 + w * v1, x * v1 - y * v0 + w * v2];
  return [v0 + 2 * (y * c2 - z * c1), v1 + 2 * (z * c0 - x * c2), v2 + 2 * (x * c1 - y * c0)];
}

describe('multiplyQuaternions', () => {
  it('turns by the second, then by the first', () => {
    fc.assert(
      fc.property(unit, unit, fc.tuple(component, component, component), (a, b, v) => {
        const ab = [0, 0, 0, 0];
        multiplyQuaternions(a, b, ab);
        const once = rotateVector(ab, v);
        const twice = rotateVector(a, rotateVector(b, v));
        for (let c = 0; c < 3; c++) expect(Math.abs(once[c] - twice[c])).toBeLessThan(1e-14);
      }),
    );
  });

  it('gives the identity for a quaternion and its conjugate', () => {
    fc.assert(
      fc.property(unit, (q) => {
        const out = [0, 0, 0, 0];
        conjugateQuaternion(q, out);
        multiplyQuaternions(q, out, out);
        expect(apart(out, [0, 0, 0, 1])).toBeLessThan(1e-15);
      }),
    );
  });
});

describe('slerpInto', () => {
  it('starts at a, ends at b (or −b), stays at unit length and moves at steady speed', () => {
    fc.assert(
      fc.property(unit, unit, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, t) => {
        const out = [0, 0, 0, 0];
        slerpInto(a, b, 0, out);
        expect(apart(out, a)).toBeLessThan(1e-14);
        slerpInto(a, b, 1, out);
        expect(apart(out, b)).toBeLessThan(1e-14);
        slerpInto(a, b, t, out);
        expect(Math.hypot(...out)).toBeCloseTo(1, 14);
        // the angle from a, by the chord: exact near zero
        const whole =
          2 * Math.asin(Math.min(1, Math.hypot(...a.map((x, c) => x - b[c] * Math.sign(dot(a, b) || 1))) / 2));
        const part = 2 * Math.asin(Math.min(1, Math.hypot(...a.map((x, c) => x - out[c])) / 2));
        expect(Math.abs(part - t * whole)).toBeLessThan(1e-14);
      }),
      { numRuns: 500 },
    );
  });

  it('goes the shorter way', () => {
    const a = [0, 0, 0, 1];
    const b = [0, 0, 0, 0];
    quaternionFromAxisAngle([0, 0, 1], 0.4, b);
    const out = [0, 0, 0, 0];
    slerpInto(
      a,
      b.map((x) => -x),
      0.5,
      out,
    );
    expect(out[2]).toBeCloseTo(Math.sin(0.1), 14);
    expect(out[3]).toBeCloseTo(Math.cos(0.1), 14);
  });

  it('is exact for rotations that nearly coincide, and may write over its source', () => {
    const a = [0, 0, 0, 1];
    const b = [1e-9, 0, 0, 1];
    slerpInto(a, b, 0.25, a);
    expect(a[0]).toBeCloseTo(2.5e-10, 24);
  });
});

describe('rotation vectors', () => {
  it('go to quaternions and back, from nothing to half a turn', () => {
    for (const angle of [0, 1e-300, 1e-12, 1e-8, 0.1, 1, 3, Math.PI - 1e-9]) {
      const v = [0.6 * angle, 0, -0.8 * angle];
      const q = [0, 0, 0, 0];
      const back = [0, 0, 0];
      quaternionFromRotationVector(v, q);
      rotationVectorFromQuaternion(q, back);
      for (let c = 0; c < 3; c++)
        expect(Math.abs(back[c] - v[c])).toBeLessThanOrEqual(4e-16 * Math.max(angle, 1e-290) * 4);
      rotationVectorFromQuaternion(
        q.map((x) => -x),
        back,
      );
      for (let c = 0; c < 3; c++)
        expect(Math.abs(back[c] - v[c])).toBeLessThanOrEqual(4e-16 * Math.max(angle, 1e-290) * 4);
    }
  });

  it('agree with axis and angle', () => {
    const a = [0, 0, 0, 0];
    const b = [0, 0, 0, 0];
    quaternionFromAxisAngle([3, 0, 4], 1.5, a);
    quaternionFromRotationVector([0.9, 0, 1.2], b);
    expect(apart(a, b)).toBeLessThan(1e-15);
    quaternionFromAxisAngle([0, 0, 0], 1.5, a);
    expect(a).toEqual([0, 0, 0, 1]);
  });
});

describe('normalizeQuaternion', () => {
  it('gives the identity where there is no direction', () => {
    for (const q of [
      [0, 0, 0, 0],
      [Number.NaN, 0, 0, 1],
      [Number.POSITIVE_INFINITY, 0, 0, 1],
    ]) {
      const out = [9, 9, 9, 9];
      normalizeQuaternion(q, out);
      expect(out).toEqual([0, 0, 0, 1]);
    }
    const tiny = [0, 3e-200, 0, 4e-200];
    normalizeQuaternion(tiny, tiny);
    expect(tiny).toEqual([0, 0.6, 0, 0.8]);
  });
});
