// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { denormalizeBones, normalizeBones, normalizeClip } from '../normalize-clip.ts';

describe('normalizeClip', () => {
  const { clip } = makeSample('parts', { resolution: 700, frames: 5 });

  it('refuses coordinates whose bones could exceed the range of files', async () => {
    const compute = await makeCompute({ threads: 1 });
    const mesh = { ...clip.mesh, positions: clip.mesh.positions.map((x) => 4e17 * x) };
    expect(() => normalizeClip(compute, { ...clip, mesh })).toThrow(/^clip: has a coordinate of \d\.\de\+1[78]; bones/);
    compute.dispose();
  });

  it('welds seams, centers every frame, and scales the rest pose to a unit ball', async () => {
    const compute = await makeCompute({ threads: 1 });
    const { trajectories, weld, size } = normalizeClip(compute, clip);
    expect(weld.pointCount).toBeLessThan(clip.mesh.positions.length / 3);
    const rest = trajectories.rest.view();
    const posed = trajectories.posed.view();
    const sums = new Float64Array(3 * (1 + trajectories.frameCount));
    for (let i = 0; i < weld.pointCount; i++) {
      for (let r = 0; r < 3; r++) sums[r] += rest[3 * i + r];
      for (let row = 0; row < 3 * trajectories.frameCount; row++)
        sums[3 + row] += posed[i * 3 * trajectories.frameCount + row];
      // file units again
      const v = weld.vertexOfPoint[i];
      expect(
        Math.abs(
          size * (rest[3 * i] - rest[0]) -
            (clip.mesh.positions[3 * v] - clip.mesh.positions[3 * weld.vertexOfPoint[0]]),
        ),
      ).toBeLessThan(1e-5);
    }
    for (const sum of sums) expect(Math.abs(sum / weld.pointCount)).toBeLessThan(1e-12);
    for (let v = 0; v < weld.pointOfVertex.length; v++) {
      const w = weld.vertexOfPoint[weld.pointOfVertex[v]];
      for (let r = 0; r < 3; r++) expect(clip.mesh.positions[3 * w + r]).toBe(clip.mesh.positions[3 * v + r]);
    }
  });

  it('converts bones to solver units and back', async () => {
    const compute = await makeCompute({ threads: 1 });
    const normalized = normalizeClip(compute, clip);
    const random = makeRandom(1);
    const matrices = new Float64Array(5 * 3 * 16);
    for (let o = 0; o < matrices.length; o += 16) {
      for (let c = 0; c < 4; c++) for (let r = 0; r < 3; r++) matrices[o + 4 * c + r] = random.normal();
      matrices[o + 15] = 1;
    }
    const back = denormalizeBones(normalized, normalizeBones(normalized, matrices, 3), 3);
    for (let e = 0; e < matrices.length; e++) expect(back[e]).toBeCloseTo(matrices[e], 12);
  });
});
