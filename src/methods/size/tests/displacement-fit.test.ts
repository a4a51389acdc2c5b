// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { DisplacementFit } from '../displacement-fit.ts';

/** Two vertices in one frame: one moves along z, the other at 60 degrees to it. */
const played = Float32Array.of(0, 0, 0, 1, 0, 0);
const directions = Float32Array.of(0, 0, 1, Math.sqrt(3) / 2, 0, 0.5);

describe('displacements along normals', () => {
  it('reach a surface across, and their part across if they move at an angle', () => {
    const fit = new DisplacementFit(played, directions);
    for (let n = 0; n < 4; n++) {
      const from = fit.positions;
      // the plane z = 1
      fit.aim(
        from,
        from.map((x, c) => (c % 3 === 2 ? 1 : x)),
      );
    }
    const { positions } = fit;
    expect(positions[2]).toBeCloseTo(1, 6);
    expect(positions[5]).toBeCloseTo(1, 2);
  });

  it('are rounded to whole steps, and state the error that is left', () => {
    const fit = new DisplacementFit(played, Float32Array.of(0, 0, 1, 0, 0, 1));
    for (let n = 0; n < 2; n++) fit.aim(fit.positions, Float32Array.of(0, 0, 1, 1, 0, -0.25));
    expect([...fit.round(0.5).values]).toEqual([2, 0]);
    expect(fit.round(0.5).rms).toBeCloseTo(Math.sqrt(0.25 ** 2 / 2), 6);
    expect([...fit.round(0.25).values]).toEqual([4, -1]);
    expect(fit.round(0.25).rms).toBeCloseTo(0, 6);
    expect([...fit.round(Number.POSITIVE_INFINITY).values]).toEqual([0, 0]);
  });

  it('do not move a vertex whose direction is along the surface', () => {
    const fit = new DisplacementFit(Float32Array.of(0, 0, 0), Float32Array.of(1, 0, 0));
    fit.aim(Float32Array.of(0, 0, 0), Float32Array.of(0, 0, 1));
    expect([...fit.positions]).toEqual([0, 0, 0]);
  });
});
