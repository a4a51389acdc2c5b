// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import { checkSkin } from '../../../core/model/skin/skin.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import type { Sample } from '../../../samples/sample.ts';
import { skeleton } from '../extract.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 2 });
});
afterAll(() => {
  compute.dispose();
});

/** By found bone: the true bone whose vertices it moves most. */
function matchBones(sample: Sample, { skin, skeleton }: SkinnedModel): number[] {
  const [found, wanted] = [skeleton.names.length, sample.skeleton!.names.length];
  const shared = new Float64Array(found * wanted);
  const truth = sample.skin!;
  for (let v = 0; v + 1 < truth.rowStart.length; v++) {
    for (let a = skin.rowStart[v]; a < skin.rowStart[v + 1]; a++)
      for (let b = truth.rowStart[v]; b < truth.rowStart[v + 1]; b++)
        shared[skin.boneIndices[a] * wanted + truth.boneIndices[b]] += skin.weights[a] * truth.weights[b];
  }
  return skeleton.names.map((_, j) => {
    const row = shared.subarray(j * wanted, (j + 1) * wanted);
    return row.indexOf(Math.max(...row));
  });
}

describe('skeletons of generated creatures', () => {
  it.each([1, 3, 7])(
    'have the true number of bones and topology, joints within 2 % of the size (seed %i)',
    async (seed) => {
      const sample = makeSample('creature', { seed, frames: 30, resolution: 700 });
      const { skeleton: truth, clip } = sample;
      const size = measureBounds(clip.mesh.positions).diagonal;
      const { model, rmsePercent, outside } = await skeleton(clip, { compute });
      expect(model.skeleton.names).toHaveLength(truth!.names.length);
      const match = matchBones(sample, model);
      expect(new Set(match).size).toBe(truth!.names.length);
      const { parents, bindMatrices, names } = model.skeleton;
      parents.forEach((p, j) => {
        if (p < 0) return;
        const [a, b] = [match[p], match[j]];
        const below = truth!.parents[b] === a ? b : a;
        expect(truth!.parents[below], `${truth!.names[a]} and ${truth!.names[b]}`).toBe(below === b ? a : b);
        const away = [12, 13, 14].map((c) => bindMatrices[16 * j + c] - truth!.bindMatrices[16 * below + c]);
        expect(Math.hypot(...away) / size, `joint of ${truth!.names[below]}`).toBeLessThan(0.02);
      });
      expect(outside).toBe(0);
      expect(rmsePercent).toBeLessThan(0.01);
      checkSkin(model.skin, names.length);
      expect(new Set(names).size).toBe(names.length);
      // left and right limbs carry one number
      const left = names.filter((name) => name.endsWith('.L')).map((name) => name.slice(0, -2));
      expect(left.length).toBeGreaterThan(5);
      expect(left.filter((name) => names.includes(`${name}.R`)).length).toBeGreaterThan(5);
      expect(model.jointLimits).toHaveLength(names.length);
    },
    240_000,
  );
});

describe('several clips of one mesh', () => {
  it('share one skeleton, with a motion each', async () => {
    const { clip } = makeSample('creature', { seed: 1, frames: 10, resolution: 300 });
    const half = clip.positions.length / 2;
    const parts = [0, 1].map((n) => ({
      ...clip,
      name: `part ${n}`,
      positions: clip.positions.slice(n * half, (n + 1) * half),
      times: clip.times.slice(0, 5),
    }));
    const { model } = await skeleton(parts, { bones: 8, passes: 2, iterations: 2, compute });
    expect(model.motions.map(({ name, times }) => [name, times.length])).toEqual([
      ['part 0', 5],
      ['part 1', 5],
    ]);
  }, 240_000);
});

it('places the joints of a clip that faces inward as those of one that faces outward, and keeps its triangles', async () => {
  const { clip } = makeSample('creature', { seed: 1, frames: 10, resolution: 300 });
  const triangles = clip.mesh.triangles.map((_, c, all) => all[c - (c % 3) + [0, 2, 1][c % 3]]);
  const outward = await skeleton(clip, { compute });
  const inward = await skeleton({ ...clip, mesh: { ...clip.mesh, triangles } }, { compute });
  expect(inward.model.skeleton).toEqual(outward.model.skeleton);
  expect(inward.model.mesh.triangles).toEqual(triangles);
});
