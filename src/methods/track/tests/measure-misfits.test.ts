// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { pointTriangles, weldVertices } from '../../../core/mesh/topology/weld.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { measureMisfits } from '../measure-misfits.ts';
import type { ScanFrame } from '../register/scan-frame.ts';

const { clip } = makeSample('creature', { resolution: 900, frames: 2 });
const weld = weldVertices(clip.mesh.positions);
const body: ScanFrame = {
  positions: Float32Array.from(
    { length: 3 * weld.pointCount },
    (_, c) => clip.mesh.positions[3 * weld.vertexOfPoint[Math.floor(c / 3)] + (c % 3)],
  ),
  triangles: pointTriangles(clip.mesh.triangles, weld),
};

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => compute.dispose());

/** The body with positions that are moved. */
function move(fn: (x: number, y: number, z: number) => number[]): Float32Array {
  return body.positions.map((_, c) => {
    const at = c - (c % 3);
    return fn(body.positions[at], body.positions[at + 1], body.positions[at + 2])[c % 3];
  });
}

/** The lower half of one leg. */
const isShin = (x: number, y: number, z: number): boolean => x > 0.25 && z > 0.3 && y < 0.3;

/** A frame without the triangles whose first corner is chosen. */
function cut(isCut: (x: number, y: number, z: number) => boolean): ScanFrame {
  const { positions, triangles } = body;
  const isKept = (c: number): boolean => {
    const [x, y, z] = positions.subarray(3 * triangles[c - (c % 3)]);
    return !isCut(x, y, z);
  };
  return { positions, triangles: triangles.filter((_, c) => isKept(c)) };
}

describe('measureMisfits', () => {
  it('finds nothing where the result is the frame, in another place', async () => {
    const moved = move((x, y, z) => [x + 40, y, z]);
    const [misfit] = await measureMisfits(compute, body, moved, [{ ...body, positions: moved }]);
    expect(misfit).toEqual({
      ...{ unexplained: 0, lost: 0, distance: 0, missing: 0, torn: 0 },
      stretch: expect.closeTo(0, 4),
    });
  });

  it('finds a limb that was lost, on the result and on the frame', async () => {
    const lifted = move((x, y, z) => (isShin(x, y, z) ? [x + 0.3, y, z] : [x, y, z]));
    for (const [result, frame] of [
      [lifted, body.positions],
      [body.positions, lifted],
    ]) {
      const [misfit] = await measureMisfits(compute, body, result, [{ ...body, positions: frame }]);
      expect(misfit.lost).toBeGreaterThan(0.005);
      expect(misfit.distance).toBeGreaterThan(0.05);
      expect(misfit.missing).toBe(0);
    }
  });

  it('takes a hole of the frame for missing, not for lost', async () => {
    const [misfit] = await measureMisfits(compute, body, body.positions, [cut((_x, y) => y < 0.3)]);
    expect(misfit.missing).toBeGreaterThan(0.1);
    expect(misfit.lost).toBe(0);
  });

  it('measures the stretch, and not the growth', async () => {
    const shapes = [
      move((x, y, z) => [1.4 * x, 1.4 * y, 1.4 * z]),
      move((x, y, z) => [1.4 * x, y, 0.7 * z]),
      move((x, y, z) => [x, y, z + 0.8 * Math.sin(4 * z)]),
    ];
    const frames = shapes.map((positions) => ({ ...body, positions }));
    const all = Float32Array.from(shapes.flatMap((shape) => [...shape]));
    const [grown, squeezed, wrinkled] = await measureMisfits(compute, body, all, frames);
    expect(grown.stretch).toBeLessThan(0.01);
    expect(squeezed.stretch).toBeLessThan(0.01);
    expect(wrinkled.stretch).toBeGreaterThan(0.12);
    expect([grown.torn, squeezed.torn]).toEqual([0, 0]);
    expect(wrinkled.torn).toBeGreaterThan(0.02);
  });
});
