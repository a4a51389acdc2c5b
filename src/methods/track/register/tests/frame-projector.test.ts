// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { FrameProjector } from '../frame-projector.ts';

/** A sphere of radius one with `rings` x 2 rings points. */
function makeSphere(rings: number) {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let y = 0; y <= rings; y++)
    for (let x = 0; x < 2 * rings; x++) {
      const [polar, angle] = [(Math.PI * y) / rings, (Math.PI * x) / rings];
      positions.push(Math.sin(polar) * Math.cos(angle), Math.cos(polar), -Math.sin(polar) * Math.sin(angle));
      if (y === rings) continue;
      const [a, b] = [y * 2 * rings + x, y * 2 * rings + ((x + 1) % (2 * rings))];
      triangles.push(a, a + 2 * rings, b, b, a + 2 * rings, b + 2 * rings);
    }
  return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
}

describe('projection onto frames', () => {
  it('keeps sharp edges: points on the faces of a cube stay', async () => {
    const positions = Float32Array.from({ length: 24 }, (_, c) => (Math.floor(c / 3) >> (c % 3)) & 1);
    const triangles = Uint32Array.of(
      ...[0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4],
      ...[2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5],
    );
    const compute = await makeCompute({ threads: 1 });
    const projector = new FrameProjector(compute, [{ positions, triangles }]);
    const points = Float32Array.of(0.2, 0.3, 1, 1, 0.1, 0.1, 0.5, 0, 0.9);
    const projected = await projector.project(points);
    projector.dispose();
    compute.dispose();
    projected.forEach((x, c) => {
      expect(x).toBeCloseTo(points[c], 6);
    });
  });

  it('comes closer to the smooth surface than flat triangles are', async () => {
    const compute = await makeCompute({ threads: 1 });
    const projector = new FrameProjector(compute, [makeSphere(10)]);
    const points = Float32Array.from({ length: 300 }, (_, c) => {
      const [polar, angle] = [0.3 + 0.025 * Math.floor(c / 3), 0.17 * Math.floor(c / 3)];
      const at = [Math.sin(polar) * Math.cos(angle), Math.cos(polar), Math.sin(polar) * Math.sin(angle)];
      return 1.05 * at[c % 3];
    });
    const projected = await projector.project(points);
    projector.dispose();
    compute.dispose();
    let sum = 0;
    for (let n = 0; n < points.length; n += 3) sum += Math.abs(Math.hypot(...projected.subarray(n, n + 3)) - 1) / 100;
    // flat triangles of this sphere are 0.008 below it on average
    expect(sum).toBeLessThan(0.005);
  });
});
