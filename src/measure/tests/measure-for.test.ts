// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Asset } from '../../core/model/asset.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import { readGltf } from '../../formats/gltf/read-gltf.ts';
import { writeGlb } from '../../formats/gltf/write-glb.ts';
import { assetOfSample, skinnedOfSample } from '../../jobs/sample/sample-asset.ts';
import { makeSample } from '../../samples/make-sample.ts';
import { assetFor, listOtherPlayers, measureFor } from '../measure-for.ts';

async function makeRig(): Promise<Asset> {
  const sample = makeSample('bar-bend', { resolution: 200, frames: 8 });
  return readGltf(await writeGlb(assetOfSample(sample), { kind: 'skin', model: skinnedOfSample(sample)! }));
}

it('measures a file of more than four weights as three.js plays it', async () => {
  const asset = await makeRig();
  const bones = asset.rig!.skeleton.names.length;
  const count = asset.mesh.positions.length / 3;
  const weights = [0.3, 0.25, 0.2, 0.15, 0.1];
  const spread = makeSkin(
    Array.from({ length: 5 * count }, (_, e) => (Math.floor(e / 5) + e) % bones),
    Array.from({ length: 5 * count }, (_, e) => weights[e % 5]),
    5,
  );
  const wide = { ...asset, rig: { ...asset.rig!, skin: spread } };
  expect(listOtherPlayers(asset)).toEqual([]);
  expect(listOtherPlayers(wide)).toEqual(bones > 4 ? ['four'] : []);
  const four = assetFor(wide, 'four').rig!.skin;
  const last = four.rowStart.length - 1;
  expect(four.rowStart[last]).toBeLessThanOrEqual(4 * count);
  const sum = four.weights.subarray(0, four.rowStart[1]).reduce((total, w) => total + w, 0);
  expect(sum).toBeCloseTo(1, 6);
  const compute = await makeCompute({ kind: 'typescript' });
  const run = { up: 'y', compute } as const;
  const references = listReferences(wide);
  const own = await measureFor(wide, references, { ...run, player: 'runtime' });
  const other = await measureFor(wide, references, { ...run, player: 'four' });
  expect(Math.max(own.error.max, own.between.max)).toBeLessThan(1e-6);
  expect(other.error.max > 1e-3).toBe(bones > 4);
});

it('finds an error between frames that is largest at no middle', async () => {
  const asset = await makeRig();
  const [animation] = asset.animations;
  // one key that the frames of the reference do not have, a tenth after the first frame
  const late = {
    ...animation,
    tracks: animation.tracks.map((track, n) => {
      if (n > 0 || track.path === 'weights') return track;
      const size = track.values.length / track.times.length;
      const [first, second] = track.times;
      const values = [...track.values.subarray(0, size), ...track.values.subarray(0, size).map((x) => x + 0.5)];
      return {
        ...track,
        times: Float32Array.of(first, first + 0.1 * (second - first), ...track.times.subarray(1)),
        values: Float32Array.of(...values, ...track.values.subarray(size)),
      };
    }),
  };
  const compute = await makeCompute({ kind: 'typescript' });
  const { error, between } = await measureFor({ ...asset, animations: [late] }, listReferences(asset), {
    ...{ up: 'y', compute, player: 'runtime' },
  });
  expect(error.max).toBeLessThan(1e-5);
  expect(between.max).toBeGreaterThan(0.1);
});
