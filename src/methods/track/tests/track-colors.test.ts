// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { ScanFrame } from '../register/scan-frame.ts';
import { trackFrames } from '../track-frames.ts';

const [FRAMES, RINGS, RADIUS, HEIGHT, TURN] = [3, 9, 0.3, 1, 0.12];

/** A closed cylinder about z that is turned by an angle. The vertices of each frame are elsewhere on it; the painted pattern turns with it. */
function makeCylinder(k: number, hasColors: boolean): ScanFrame {
  const segments = 30 + 3 * k;
  const positions: number[] = [];
  const colors: number[] = [];
  const triangles: number[] = [];
  const add = (angle: number, radius: number, z: number): void => {
    positions.push(radius * Math.cos(angle), radius * Math.sin(angle), z);
    const painted = angle - k * TURN;
    colors.push(0.5 + 0.5 * Math.sin(3 * painted), 0.5 + 0.5 * Math.cos(2 * painted + 4 * z), 0.5);
  };
  for (let ring = 0; ring < RINGS; ring++)
    for (let s = 0; s < segments; s++)
      add((2 * Math.PI * (s + 0.37 * k + 0.5 * (ring % 2))) / segments, RADIUS, (HEIGHT * ring) / (RINGS - 1));
  add(0, 0, 0);
  add(0, 0, HEIGHT);
  const last = RINGS * segments;
  for (let s = 0; s < segments; s++) {
    const next = (s + 1) % segments;
    triangles.push(next, s, last, last - segments + s, last - segments + next, last + 1);
    for (let o = 0; o + segments < last; o += segments)
      triangles.push(o + s, o + next, o + segments + s, o + next, o + segments + next, o + segments + s);
  }
  return {
    positions: Float32Array.from(positions),
    triangles: Uint32Array.from(triangles),
    ...(hasColors ? { colors: Float32Array.from(colors) } : {}),
  };
}

/** Part of the vertices of the side within 1 % of the box diagonal of their true place. */
async function measureFollowed(hasColors: boolean): Promise<number> {
  const compute = await makeCompute({ threads: 1 });
  const frames = Array.from({ length: FRAMES }, (_, k) => makeCylinder(k, hasColors));
  const { positions, mesh } = await trackFrames(compute, frames, { template: 0 });
  compute.dispose();
  const count = mesh.positions.length / 3;
  let near = 0;
  for (let k = 0; k < FRAMES; k++)
    for (let i = 0; i < count - 2; i++) {
      const [x, y, z] = mesh.positions.subarray(3 * i, 3 * i + 3);
      const [c, s] = [Math.cos(k * TURN), Math.sin(k * TURN)];
      const at = 3 * (k * count + i);
      const error = Math.hypot(
        positions[at] - (c * x - s * y),
        positions[at + 1] - (s * x + c * y),
        positions[at + 2] - z,
      );
      if (error < 0.01 * Math.hypot(2 * RADIUS, 2 * RADIUS, HEIGHT)) near++;
    }
  return near / (FRAMES * (count - 2));
}

describe('trackFrames', () => {
  it('follows a painted cylinder that turns about its axis, which its shape does not show', async () => {
    expect(await measureFollowed(true)).toBeGreaterThan(0.98);
    expect(await measureFollowed(false)).toBeLessThan(0.5);
  });
});
