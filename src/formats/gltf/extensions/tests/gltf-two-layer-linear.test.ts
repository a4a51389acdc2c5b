// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Asset } from '../../../../core/model/asset.ts';
import type { LinearTwoLayer } from '../../../../core/model/deformed/two-layer.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { makeLinearTwoLayer } from '../../../../deformers/two-layer/linear-two-layer.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { readAsset } from '../../../assets/read-asset.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { writeGlb } from '../../write-glb.ts';

/** A creature read back from a file, and two layers on its bones: virtual bone k is half of bone k and half of the next. */
async function makeCase(): Promise<{ asset: Asset; model: LinearTwoLayer }> {
  const sample = makeSample('creature', { resolution: 150, frames: 4 });
  const none = new Float64Array(0);
  const nodes = { names: [], parents: new Int32Array(0), translations: none, rotations: none, scales: none };
  const first = await writeGlb(
    { name: 'creature', mesh: sample.clip.mesh, nodes, clips: [], animations: [], up: 'y', byteLength: 0 },
    {
      kind: 'skin',
      model: {
        kind: 'skin',
        mesh: sample.clip.mesh,
        skeleton: sample.skeleton!,
        skin: sample.skin!,
        motions: [sample.motion!],
      },
    },
  );
  const asset = await readAsset([{ name: 'creature.glb', bytes: first }]);
  const { skeleton } = asset.rig!;
  const count = skeleton.names.length;
  const bones = Array.from({ length: 2 * count }, (_, e) => ((e >> 1) + (e & 1)) % count);
  const vertexCount = asset.mesh.positions.length / 3;
  const ids: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < vertexCount; i++) {
    ids.push(i % count, (3 * i + 1) % count);
    weights.push(0.7, 0.3);
  }
  const virtualBones = makeSkin(
    bones,
    bones.map((_, e) => (e & 1 ? 0.25 : 0.75)),
    2,
  );
  return {
    asset,
    model: { kind: 'linear-two-layer', mesh: asset.mesh, skeleton, virtualBones, skin: makeSkin(ids, weights, 2) },
  };
}

describe('OSSIFY_two_layer_skin of kind linear', () => {
  let asset: Asset;
  let model: LinearTwoLayer;
  beforeAll(async () => {
    ({ asset, model } = await makeCase());
  });

  for (const quantize of [false, true]) {
    it(`comes back as it was written, ${quantize ? 'to 16 bits' : 'bit for bit'}, and passes the validator`, async () => {
      const bytes = await writeGlb(asset, { kind: 'weights', skin: asset.rig!.skin, layers: model }, { quantize });
      const { issues } = await validateBytes(bytes);
      expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
      const back = await readAsset([{ name: 'two.glb', bytes }]);
      const read = back.linearTwoLayer!;
      expect(read.skin.boneIndices.length).toBe(model.skin.boneIndices.length);
      const times = Float64Array.of(0, 0.05);
      const expected = bakeAt({ ...asset, linearTwoLayer: model }, asset.animations[0], times).positions;
      const found = bakeAt(back, back.animations[0], times).positions;
      let off = 0;
      for (let c = 0; c < expected.length; c++) off = Math.max(off, Math.abs(expected[c] - found[c]));
      expect(off).toBeLessThan(quantize ? 1e-3 : 1e-5);
      // the plain skin beside it is what it was
      const plain = bakeAt({ ...back, linearTwoLayer: undefined }, back.animations[0], times).positions;
      const before = bakeAt(asset, asset.animations[0], times).positions;
      for (let c = 0; c < plain.length; c += 97) expect(plain[c]).toBeCloseTo(before[c], 3);
    });
  }

  it('lets a file of weights only be written without it', async () => {
    const back = await readAsset([
      { name: 'one.glb', bytes: await writeGlb(asset, { kind: 'weights', skin: model.skin }) },
    ]);
    expect(back.linearTwoLayer).toBeUndefined();
    expect([...back.rig!.skin.boneIndices.subarray(0, 40)].length).toBe(40);
  });

  it('is refused in one sentence where its numbers cannot be', async () => {
    const bytes = await writeGlb(asset, { kind: 'weights', skin: asset.rig!.skin, layers: model });
    const { json, binary } = splitGlb(bytes);
    const text = JSON.stringify(json);
    const own = JSON.parse(text.match(/"OSSIFY_two_layer_skin":(\{[^{}]*\})/)![1]) as Record<string, number>;
    const damage = (name: string, value: unknown) => {
      const broken = text.replace(`"${name}":${own[name]}`, `"${name}":${JSON.stringify(value)}`);
      return readAsset([{ name: 'broken.glb', bytes: packGlb(JSON.parse(broken), binary!) }]);
    };
    await expect(damage('boneWeights', own.weights)).rejects.toThrow(/OSSIFY_two_layer_skin of mesh/);
    await expect(damage('boneCounts', own.counts)).rejects.toThrow(/OSSIFY_two_layer_skin of mesh/);
    await expect(damage('joints', 'none')).rejects.toThrow(/OSSIFY_two_layer_skin of mesh/);
    await expect(damage('weights', 99999)).rejects.toThrow(/OSSIFY_two_layer_skin of mesh/);
  });
});

describe('the deformer of a skin in two layers', () => {
  it('is linear blend skinning by the product of its layers, and leaves the rest shape', async () => {
    const { asset, model } = await makeCase();
    const deformer = makeLinearTwoLayer(model);
    const bones = new Float64Array(16 * deformer.boneCount);
    for (let j = 0; j < deformer.boneCount; j++) for (let c = 0; c < 4; c++) bones[16 * j + 5 * c] = 1;
    const positions = new Float32Array(asset.mesh.positions.length);
    deformer.deformInto({ bones }, positions);
    positions.forEach((x, c) => {
      expect(Math.abs(x - asset.mesh.positions[c])).toBeLessThan(1e-6);
    });
    expect(() => makeLinearTwoLayer({ ...model, skin: asset.rig!.skin, virtualBones: makeSkin([0], [1], 1) })).toThrow(
      /names bone/,
    );
  });
});
