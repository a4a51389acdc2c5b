// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Asset, SkinnedModel } from '../../../../core/model/asset.ts';
import { type Clip, makeTimes } from '../../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeLooseSkeleton } from '../../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { readGltf } from '../../../../formats/gltf/read-gltf.ts';
import { writeGlb } from '../../../../formats/gltf/write-glb.ts';
import { measureWritten } from '../../../../measure/measure-written.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { assetOfSample } from '../../../sample/sample-asset.ts';
import { addHalfwayKeys } from '../add-halfway-keys.ts';

const FRAMES = 4;
const REST = Float32Array.of(1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0);

/** One affine bone on a flat square that slides; in odd frames it mirrors and shears the free normal direction. */
function makeFlat(): { clip: Clip; model: SkinnedModel; asset: Asset } {
  const mesh = makeMesh(REST, Uint32Array.of(0, 1, 2, 0, 2, 3));
  const positions = new Float32Array(FRAMES * REST.length);
  const matrices = new Float64Array(16 * FRAMES);
  for (let k = 0; k < FRAMES; k++) {
    for (let i = 0; i < 4; i++) positions.set([REST[3 * i] + k, REST[3 * i + 1], 0], k * REST.length + 3 * i);
    const normal = k % 2 === 0 ? [0, 0, 1] : [3, 2, -1];
    matrices.set([1, 0, 0, 0, 0, 1, 0, 0, ...normal, 0, k, 0, 0, 1], 16 * k);
  }
  const times = makeTimes(FRAMES, 24);
  const clip: Clip = { kind: 'clip', name: 'flat', mesh, positions, times };
  const model: SkinnedModel = {
    ...{ kind: 'skin', mesh, skeleton: makeLooseSkeleton(1), skin: makeSkin([0, 0, 0, 0], [1, 1, 1, 1], 1) },
    motions: [{ name: 'flat', times, matrices }],
  };
  const sample = assetOfSample(makeSample('sheet', { resolution: 100, frames: 2 }));
  return { clip, model, asset: { ...sample, mesh, clips: [clip] } };
}

describe('addHalfwayKeys', () => {
  it('adds keys where affine bones stray between the frames, and only there', async () => {
    const { clip, model, asset } = makeFlat();
    const compute = await makeCompute({ kind: 'typescript' });
    const write = (one: SkinnedModel) => writeGlb(asset, { kind: 'skin', model: one, keys: 0 });
    const written = await measureWritten(await readGltf(await write(model)), [clip], { up: 'y', compute });
    expect(written.error.max).toBeLessThan(1e-5);
    expect(written.between.max).toBeGreaterThan(0.01);
    const options = { transforms: 'affine', compute, tried: [new Set<number>()] } as const;
    let last = { model, written };
    for (let round = 0; round < 8; round++) {
      const keyed = await addHalfwayKeys([{ clip }], last.model, last.written, options);
      if (!keyed) break;
      if (round === 0) expect(keyed.motions[0].times.length).toBe(2 * FRAMES - 1);
      const file = await readGltf(await write(keyed));
      last = { model: keyed, written: await measureWritten(file, [clip], { up: 'y', compute }) };
    }
    expect(last.written.error.max).toBeLessThan(1e-5);
    expect(last.written.between.max).toBeLessThan(5e-3);
  });
});
