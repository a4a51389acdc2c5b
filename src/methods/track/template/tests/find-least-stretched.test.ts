// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeScanSurface, type ScanSurface } from '../../register/make-scan-surface.ts';
import { findLeastStretched, measureStretches } from '../find-least-stretched.ts';

/** A tube along x, closed by nothing, of a length and with a number of triangles left out at its side. */
function makeTube(length: number, left = 0): ScanSurface {
  const [rings, sides] = [30, 12];
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= rings; i++)
    for (let j = 0; j < sides; j++) {
      const angle = (2 * Math.PI * j) / sides;
      positions.push((length * i) / rings, 0.2 * Math.cos(angle), 0.2 * Math.sin(angle));
      if (i === rings) continue;
      const [a, b] = [i * sides + j, i * sides + ((j + 1) % sides)];
      triangles.push(...[a, b, a + sides], ...[b, b + sides, a + sides]);
    }
  const frame = { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles.slice(3 * left)) };
  return makeScanSurface(frame, { scale: 1, center: [0, 0, 0] });
}

/** The tube with its half of larger x stretched. */
function stretch({ positions }: ScanSurface, factor: number): Float64Array {
  return Float64Array.from(positions, (x, c) => (c % 3 === 0 && x > 0.5 ? 0.5 + factor * (x - 0.5) : x));
}

const tube = makeTube(1);
const shapes = [1, 1.3, 1.7, 2.2, 2.9].map((factor) => stretch(tube, factor));
const frames = shapes.map(() => tube);

describe('findLeastStretched', () => {
  it('is the frame in the middle of a stretch, whichever the template is', () => {
    expect(findLeastStretched(tube, shapes, frames, 0)).toBe(2);
    expect(findLeastStretched(tube, shapes, frames, 4)).toBe(2);
    expect(findLeastStretched(tube, shapes, frames, 2)).toBeUndefined();
  });

  it('measures the sum of squared logarithms of lengths over all pairs of frames', () => {
    const found = measureStretches(tube, shapes);
    const other = measureStretches(tube, shapes.toReversed());
    found.forEach((value, k) => {
      expect(value).toBeGreaterThan(0);
      expect(other[shapes.length - 1 - k]).toBeCloseTo(value, 9);
    });
    // two frames are stretched against each other alike
    const [a, b] = measureStretches(tube, [shapes[0], shapes[3]]);
    expect(a).toBeCloseTo(b, 9);
  });

  it('keeps the template if the better frame misses a large part', () => {
    const holes = frames.map((frame, k) => (k === 2 ? makeTube(1, 200) : frame));
    expect(findLeastStretched(tube, shapes, holes, 0)).not.toBe(2);
  });

  it('keeps the template if nothing is stretched', () => {
    const still = shapes.map(() => shapes[0]);
    expect(findLeastStretched(tube, still, frames, 1)).toBeUndefined();
  });
});
