// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { SurfaceMeter } from '../../../measure/measure-surface-distance.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { measureTracked } from '../measure-tracked.ts';

it('agrees with the distance between two surfaces in every frame, on any number of threads', async () => {
  const { clip } = makeSample('bar-bend', { resolution: 200, frames: 3 });
  const { clip: other } = makeSample('bar-bend', { resolution: 350, frames: 3 });
  const frames = [0, 1, 2].map((k) => ({ positions: frameOf(other, k), triangles: other.mesh.triangles }));
  const surface = { triangles: clip.mesh.triangles, positionsAt: (k: number) => frameOf(clip, k) };
  for (const threads of [1, 2]) {
    const compute = await makeCompute({ threads });
    const [found, again] = await measureTracked(compute, frames, [surface, surface]);
    compute.dispose();
    expect(again).toEqual(found);
    for (const [k, frame] of frames.entries()) {
      const { mean } = new SurfaceMeter(frame.triangles, surface.triangles).measure(frame.positions, frameOf(clip, k));
      const percent = 100 / measureBounds(frame.positions).diagonal;
      expect(found.perFrame[k]).toBeCloseTo(percent * mean, 6);
      expect(found.max).toBeGreaterThanOrEqual(found.worst);
    }
  }
});
