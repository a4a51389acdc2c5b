// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { makeWindingNumber, solidAngle } from '../winding-number.ts';

/** A unit cube, corners numbered by bits, fronts outwards. */
const CORNERS = Float32Array.from({ length: 24 }, (_, e) => (Math.floor(e / 3) >> (e % 3)) & 1);
const CUBE = Uint32Array.from(
  [
    [0, 2, 3, 0, 3, 1],
    [4, 5, 7, 4, 7, 6],
    [0, 1, 5, 0, 5, 4],
    [2, 6, 7, 2, 7, 3],
    [0, 4, 6, 0, 6, 2],
    [1, 3, 7, 1, 7, 5],
  ].flat(),
);

describe('the winding number', () => {
  it('is one inside a cube, zero outside, and what is left where a side is missing', () => {
    const whole = makeWindingNumber(CORNERS, CUBE);
    expect(whole.at(0.5, 0.5, 0.5)).toBeCloseTo(1, 12);
    expect(whole.at(0.9, 0.1, 0.2)).toBeCloseTo(1, 12);
    expect(whole.at(1.5, 0.5, 0.5)).toBeCloseTo(0, 12);
    const open = makeWindingNumber(CORNERS, CUBE.slice(6));
    expect(open.at(0.5, 0.5, 0.5)).toBeCloseTo(5 / 6, 12);
    expect(makeWindingNumber(CORNERS, CUBE.toReversed()).at(0.5, 0.5, 0.5)).toBeCloseTo(-1, 12);
  });

  it('agrees with the sum over all triangles on a shape of thousands', () => {
    const { mesh } = makeSample('creature', { resolution: 2000, frames: 1, seed: 1 }).clip;
    const fast = makeWindingNumber(mesh.positions, mesh.triangles);
    const random = makeRandom(5);
    let inside = 0;
    for (let n = 0; n < 200; n++) {
      const i = 3 * random.below(mesh.positions.length / 3);
      const [x, y, z] = [0, 1, 2].map((r) => mesh.positions[i + r] + 0.15 * random.normal());
      let exact = 0;
      for (let f = 0; f < mesh.triangles.length / 3; f++)
        exact += solidAngle(mesh.positions, mesh.triangles, f, x, y, z);
      exact /= 4 * Math.PI;
      expect(Math.abs(fast.at(x, y, z) - exact)).toBeLessThan(0.02);
      expect(fast.at(x, y, z) > 0.5).toBe(exact > 0.5);
      if (exact > 0.5) inside++;
    }
    expect(inside).toBeGreaterThan(20);
    expect(inside).toBeLessThan(180);
  });

  it('is zero of nothing, and finite on corners and flat triangles', () => {
    expect(makeWindingNumber(new Float32Array(0), new Uint32Array(0)).at(0, 0, 0)).toBe(0);
    const flat = makeWindingNumber(new Float32Array(9), Uint32Array.of(0, 1, 2));
    expect(flat.at(0, 0, 0)).toBe(0);
    expect(flat.at(1, 0, 0)).toBe(0);
    expect(Number.isFinite(makeWindingNumber(CORNERS, CUBE).at(0, 0, 0))).toBe(true);
  });
});
