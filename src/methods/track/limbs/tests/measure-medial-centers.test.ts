// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { measureMedialCenters } from '../measure-medial-centers.ts';

const AROUND = 24;

/** A tube along x of radius 0.1, with the outward normals of its points, which are moved outward by some noise. */
function makeTube(noise = 0) {
  const random = makeRandom(1);
  const [positions, normals]: [number[], number[]] = [[], []];
  for (let r = 0; r <= 40; r++)
    for (let c = 0; c < AROUND; c++) {
      const angle = (2 * Math.PI * c) / AROUND;
      const radius = 0.1 + noise * random.normal();
      positions.push(r / 40, radius * Math.cos(angle), radius * Math.sin(angle));
      normals.push(0, Math.cos(angle), Math.sin(angle));
    }
  return { positions: Float64Array.from(positions), normals: Float32Array.from(normals) };
}

describe('measureMedialCenters', () => {
  it('finds the axis of a tube', () => {
    const { positions, normals } = makeTube();
    const centers = measureMedialCenters({ positions }, normals);
    for (let o = 0; o < centers.length; o += 3) {
      expect(centers[o]).toBeCloseTo(positions[o], 6);
      expect(Math.hypot(centers[o + 1], centers[o + 2])).toBeLessThan(1e-6);
    }
  });

  it('is not fooled by a rough surface', () => {
    const { positions, normals } = makeTube(0.005);
    const centers = measureMedialCenters({ positions }, normals);
    let sum = 0;
    for (let o = 0; o < centers.length; o += 3) sum += Math.hypot(centers[o + 1], centers[o + 2]);
    expect(sum / (centers.length / 3)).toBeLessThan(0.03);
  });

  it('leaves the points of a flat sheet where they are', () => {
    const positions = Float64Array.from(
      { length: 300 },
      (_, c) => [Math.floor(c / 30), Math.floor(c / 3) % 10, 0][c % 3],
    );
    const normals = Float32Array.from({ length: 300 }, (_, c) => (c % 3 === 2 ? 1 : 0));
    expect(measureMedialCenters({ positions }, normals)).toEqual(positions);
  });
});
