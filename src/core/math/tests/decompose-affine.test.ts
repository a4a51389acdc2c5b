// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { type AffineFactors, decomposeAffine, decomposeAffineInto, makeAffineFactors } from '../decompose-affine.ts';
import { compose, multiply } from '../mat4.ts';
import { makeRandom } from '../random.ts';

/** T U Σ Vᵀ put together again. */
function recompose({ translation, rotation, scale, v }: AffineFactors): Float64Array {
  const outer = new Float64Array(16);
  compose(translation, rotation, scale, outer);
  multiply(outer, [v[0], v[3], v[6], 0, v[1], v[4], v[7], 0, v[2], v[5], v[8], 0, 0, 0, 0, 1], outer);
  return outer;
}

function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let most = 0;
  for (let c = 0; c < 16; c++) most = Math.max(most, Math.abs(a[c] - b[c]));
  return most;
}

function affine(entries: number[]): number[] {
  const [a, b, c, d, e, f, g, h, i] = entries;
  return [a, b, c, 0, d, e, f, 0, g, h, i, 0, 1, 2, 3, 1];
}

describe('decomposeAffineInto', () => {
  it('puts any affine matrix together again, mirrored and flat ones too', () => {
    const random = makeRandom(1);
    for (let n = 0; n < 300; n++) {
      const entries = Array.from({ length: 9 }, () => random.normal());
      if (n % 5 === 1) for (let r = 6; r < 9; r++) entries[r] = entries[r - 3] * 2; // rank two
      if (n % 5 === 2) for (let r = 3; r < 9; r++) entries[r] = entries[r % 3] * (r < 6 ? -1 : 0.5); // rank one
      if (n % 50 === 3) entries.fill(0);
      const m = affine(entries);
      const factors = makeAffineFactors();
      decomposeAffineInto(m, factors);
      expect(distance(recompose(factors), m)).toBeLessThan(5e-6);
      expect(Math.hypot(...factors.rotation)).toBeCloseTo(1, 12);
    }
  });

  it('keeps V at the identity for translation, rotation and scale, so that one node says it', () => {
    const random = makeRandom(2);
    for (let n = 0; n < 100; n++) {
      const q = Array.from({ length: 4 }, () => random.normal());
      const length = Math.hypot(...q);
      const m = new Float64Array(16);
      const scale = [random.normal(), random.normal(), random.normal()];
      compose(
        [1, 2, 3],
        q.map((x) => x / length),
        scale,
        m,
      );
      const factors = makeAffineFactors();
      decomposeAffineInto(m, factors);
      expect([...factors.v]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
      expect(distance(recompose(factors), m)).toBeLessThan(1e-12);
      expect(distance(recompose(decomposeAffine(m)), m)).toBeLessThan(1e-12);
    }
  });

  it('moves the factors little from frame to frame, also where two stretches cross', () => {
    const factors = makeAffineFactors();
    let before: number[] | undefined;
    for (let k = 0; k <= 200; k++) {
      const t = k / 200;
      // Stretches 1 + t and 2 - t along axes that are not the matrix's own; they pass one another at t = 1/2.
      const [c, s] = [Math.cos(0.4), Math.sin(0.4)];
      const [p, q] = [1 + t, 2 - t];
      decomposeAffineInto(
        affine([c * c * p + s * s * q, c * s * (p - q), 0, c * s * (p - q), s * s * p + c * c * q, 0, 0, 0, 1]),
        factors,
      );
      const now = [...factors.v, ...factors.u];
      if (before) expect(Math.max(...now.map((x, n) => Math.abs(x - before![n])))).toBeLessThan(1e-6);
      before = now;
    }
  });
});
