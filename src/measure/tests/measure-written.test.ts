// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import { makeRandom } from '../../core/math/random.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { bakeAt } from '../../deformers/playback/bake/bake-at.ts';
import { readGltf } from '../../formats/gltf/read-gltf.ts';
import { writeGlb } from '../../formats/gltf/write-glb.ts';
import { assetOfSample, skinnedOfSample } from '../../jobs/sample/sample-asset.ts';
import { makeSample } from '../../samples/make-sample.ts';
import { measureBetween } from '../between/measure-between.ts';
import { measureError } from '../error/measure-error.ts';
import { LOCAL_MEASURE_HOST } from '../error/measure-host.ts';
import { measureWritten } from '../measure-written.ts';

const FRAMES = 7;

/** A rig, and a clip that its animation follows with errors. */
async function makeCase(name: 'bar-bend' | 'creature', resolution = 300): Promise<{ asset: Asset; clip: Clip }> {
  const sample = makeSample(name, { resolution, frames: FRAMES });
  const content = { kind: 'skin', model: skinnedOfSample(sample)! } as const;
  const asset = await readGltf(await writeGlb(assetOfSample(sample), content));
  const random = makeRandom(3);
  const [animation] = asset.animations;
  const baked = bakeAt(asset, animation, sample.clip.times);
  const positions = baked.positions.map((x) => x + 0.01 * random.normal());
  // the first two vertices are one point
  for (let k = 0; k < FRAMES; k++) {
    const at = k * asset.mesh.positions.length;
    positions.copyWithin(at + 3, at, at + 3);
  }
  const rest = asset.mesh.positions.slice();
  rest.copyWithin(3, 0, 3);
  return { asset, clip: { ...baked, mesh: { ...asset.mesh, positions: rest }, positions } };
}

async function withComputes(check: (compute: Compute) => Promise<void>): Promise<void> {
  for (const options of [{ kind: 'typescript' }, { kind: 'wasm', threads: 1 }, { kind: 'wasm', threads: 3 }] as const) {
    const compute = await makeCompute(options);
    try {
      await check(compute);
    } finally {
      compute.dispose();
    }
  }
}

/** Compares two reports, numbers within a millionth. */
function expectClose(found: unknown, expected: unknown, path = 'report'): void {
  if (typeof expected === 'number') {
    const scale = Math.max(1e-6, Math.abs(expected));
    expect(Math.abs((found as number) - expected) / scale, `${path}: ${found}, ${expected}`).toBeLessThan(1e-6);
  } else if (expected !== null && typeof expected === 'object') {
    for (const [key, value] of Object.entries(expected))
      expectClose((found as Record<string, unknown>)[key], value, `${path}.${key}`);
  } else expect(found, path).toEqual(expected);
}

describe('measureWritten', () => {
  it('gives the reports of measureError and measureBetween, on any number of threads', async () => {
    const { asset, clip } = await makeCase('creature');
    const [animation] = asset.animations;
    const error = measureError(clip, bakeAt(asset, animation, clip.times), { up: 'z' });
    expect(error.pointCount).toBe(error.vertexCount - 1);
    const between = measureBetween(clip, (times) => bakeAt(asset, animation, times));
    await withComputes(async (compute) => {
      const fractions: number[] = [];
      const written = await measureWritten(asset, [clip], {
        ...{ up: 'z', compute, onProgress: (fraction) => fractions.push(fraction) },
      });
      expectClose(written.error, error);
      expectClose(written.between, { eRms: between.eRms, rmse: between.rmse });
      // the largest error is searched between the midpoints too
      expect(written.between.max).toBeGreaterThanOrEqual(between.max * (1 - 1e-6));
      expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
      expect(fractions.at(-1)).toBe(1);
    });
  });

  it('measures several clips alone and together', async () => {
    const { asset, clip } = await makeCase('bar-bend');
    const [animation] = asset.animations;
    const named = { ...asset, animations: ['a', 'b'].map((name) => ({ ...animation, name })) };
    const halves = ['a', 'b'].map((name, n) => {
      const frames = n === 0 ? [0, 3] : [3, FRAMES];
      const stride = clip.mesh.positions.length;
      const positions = clip.positions.slice(frames[0] * stride, frames[1] * stride);
      return { ...clip, name, positions, times: clip.times.slice(...frames) };
    });
    const together = measureError(clip, bakeAt(asset, animation, clip.times));
    await withComputes(async (compute) => {
      const { error, clips } = await measureWritten(named, halves, { up: 'y', compute });
      expectClose(error, together);
      expect(clips.map(({ name, error: one }) => [name, one.frameCount])).toEqual([
        ['a', 3],
        ['b', FRAMES - 3],
      ]);
    });
  });

  it('asks for the shapes of models that are more than a skin', async () => {
    const { asset, clip } = await makeCase('bar-bend');
    const bent = { ...asset, morphs: { targets: [], restWeights: [] } };
    const expected = measureError(clip, bakeAt(asset, asset.animations[0], clip.times));
    await withComputes(async (compute) => {
      let frames = 0;
      const { error } = await measureWritten(bent, [clip], {
        ...{ up: 'y', compute },
        host: {
          ...LOCAL_MEASURE_HOST,
          bake: async (one, animation, times) => {
            frames += times.length;
            return bakeAt(one, animation, times);
          },
        },
      });
      expectClose(error, expected);
      expect(frames).toBeGreaterThanOrEqual(2 * FRAMES - 1);
    });
  });

  it('names a position that is not finite, and a file with other vertices', async () => {
    const { asset, clip } = await makeCase('bar-bend');
    const positions = clip.positions.slice();
    positions[3 * clip.mesh.positions.length + 12] = Number.NaN;
    const { asset: other } = await makeCase('bar-bend', 900);
    await withComputes(async (compute) => {
      const measure = (one: Asset, truth: Clip) => measureWritten(one, [truth], { up: 'y', compute });
      await expect(measure(asset, { ...clip, positions })).rejects.toThrow(
        'frame 3, vertex 4 has a position that is not',
      );
      await expect(measure(other, clip)).rejects.toThrow(/has \d+ vertices instead of \d+/);
    });
  });
});
