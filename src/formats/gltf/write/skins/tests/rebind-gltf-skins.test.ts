// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import { makeSkin } from '../../../../../core/model/skin/skin.ts';
import { bakeAt } from '../../../../../deformers/playback/bake/bake-at.ts';
import { packGlb } from '../../../document/pack-glb.ts';
import { readGltf } from '../../../read-gltf.ts';
import { writeGlb } from '../../../write-glb.ts';

/** Two triangles on a joint that turns and one that stays, each with a skin of its own; the second binds the first joint two units along x. */
function makeTwoSkins(): Uint8Array {
  const chunks: Uint8Array[] = [];
  const bufferViews: object[] = [];
  const accessors: object[] = [];
  let byteLength = 0;
  const add = (values: Float32Array | Uint8Array, type: string, count: number, extra = {}): number => {
    const bytes = new Uint8Array(values.buffer);
    bufferViews.push({ buffer: 0, byteOffset: byteLength, byteLength: bytes.length });
    chunks.push(bytes);
    byteLength += bytes.length;
    const componentType = values instanceof Float32Array ? 5126 : 5121;
    return accessors.push({ bufferView: bufferViews.length - 1, componentType, type, count, ...extra }) - 1;
  };
  const bindAt = (x: number) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];
  const POSITION = add(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), 'VEC3', 3, { min: [0, 0, 0], max: [1, 1, 0] });
  const JOINTS_0 = add(Uint8Array.of(0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0), 'VEC4', 3);
  const WEIGHTS_0 = add(Float32Array.of(0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0), 'VEC4', 3);
  const binds = [0, -2].map((x) => add(Float32Array.of(...bindAt(x), ...bindAt(0)), 'MAT4', 2));
  const input = add(Float32Array.of(0, 1), 'SCALAR', 2, { min: [0], max: [1] });
  const output = add(Float32Array.of(0, 0, 0, 1, 0, 0, Math.SQRT1_2, Math.SQRT1_2), 'VEC4', 2);
  const binary = new Uint8Array(byteLength);
  let at = 0;
  for (const chunk of chunks) {
    binary.set(chunk, at);
    at += chunk.length;
  }
  return packGlb(
    {
      asset: { version: '2.0' },
      buffers: [{ byteLength }],
      ...{ bufferViews, accessors },
      meshes: [{ primitives: [{ attributes: { POSITION, JOINTS_0, WEIGHTS_0 } }] }],
      nodes: [{ name: 'joint' }, { name: 'still' }, { mesh: 0, skin: 0 }, { mesh: 0, skin: 1 }],
      skins: binds.map((inverseBindMatrices) => ({ joints: [0, 1], inverseBindMatrices })),
      animations: [
        {
          samplers: [{ input, output }],
          channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }],
        },
      ],
      scenes: [{ nodes: [0, 1, 2, 3] }],
      scene: 0,
    },
    binary,
  );
}

describe('weights on bones of other skins', () => {
  it('keep both binds of a node that two skins bind in two ways', async () => {
    const asset = await readGltf(makeTwoSkins());
    const { rig } = asset;
    expect([...rig!.nodeOfBone]).toEqual([0, 0, 1]);
    const pairs = Array.from({ length: 12 }, (_, c) => c % 2);
    const skin = makeSkin(
      pairs,
      pairs.map((_, c) => (c % 2 === 0 ? 0.75 : 0.25)),
      2,
    );
    const bytes = await writeGlb(asset, { kind: 'weights', skin });
    const { messages } = (await validateBytes(bytes)).issues;
    expect(messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const back = await readGltf(bytes);
    const times = Float64Array.of(0, 0.5, 1);
    const expected = bakeAt({ ...asset, rig: { ...rig!, skin } }, asset.animations[0], times).positions;
    const found = bakeAt(back, back.animations[0], times).positions;
    for (let c = 0; c < expected.length; c++) expect(found[c]).toBeCloseTo(expected[c], 5);
  });
});
