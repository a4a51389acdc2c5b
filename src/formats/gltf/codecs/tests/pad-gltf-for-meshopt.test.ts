// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Asset } from '../../../../core/model/asset.ts';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { compressDdm } from '../../../../methods/compress/compress-ddm.ts';
import { precomputeDdm } from '../../../../methods/mush/precompute-ddm.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { type GlbContent, writeGlb } from '../../write-glb.ts';

/** A creature read from a file that is compressed. */
let compressed: Asset;

beforeAll(async () => {
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 150, frames: 4 });
  const { mesh } = clip;
  const model = { kind: 'skin' as const, mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
  compressed = await readGltf(await writeGlb(makeAsset(model), { kind: 'skin', model }, { meshopt: true }));
});

async function listContents(): Promise<Record<string, GlbContent>> {
  const { mesh, rig } = compressed;
  const { skeleton, skin } = rig!;
  const ddm = await precomputeDdm(mesh, skeleton, skin);
  const { model } = await compressDdm(ddm, { virtualBones: 8, influences: 4, iterations: 1, poses: 4 });
  const count = skeleton.names.length;
  const own = Array.from({ length: count }, (_, j) => j);
  const virtualBones = makeSkin(own, new Array(count).fill(1), 1);
  return {
    'direct delta mush': { kind: 'delta-mush', model: ddm, skin },
    'two layers': { kind: 'two-layer', model, skin },
    'linear layers': {
      kind: 'weights',
      skin,
      layers: { kind: 'linear-two-layer', mesh, skeleton, virtualBones, skin },
    },
    'the same again': { kind: 'clip' },
  };
}

describe('a file that was read compressed, and is written without asking for compression', () => {
  it.each(['direct delta mush', 'two layers', 'linear layers', 'the same again'])(
    'holds %s that can be read again',
    async (name) => {
      const content = (await listContents())[name];
      const bytes = await writeGlb(compressed, content);
      expect((splitGlb(bytes).json as { extensionsUsed: string[] }).extensionsUsed).toContain(
        'EXT_meshopt_compression',
      );
      const { messages } = (await validateBytes(bytes)).issues;
      expect(messages.filter(({ severity }) => severity < 2)).toEqual([]);
      const back = await readGltf(bytes);
      const model = content.kind === 'delta-mush' || content.kind === 'two-layer' ? content.model : undefined;
      const expected: Asset = {
        ...compressed,
        ...(model?.kind === 'direct-delta-mush' ? { ddm: model } : {}),
        ...(model?.kind === 'two-layer' ? { twoLayer: model } : {}),
      };
      const [a, b] = [expected, back].map((one) => bakeAt(one, one.animations[0], Float64Array.of(0.05)).positions);
      for (let c = 0; c < a.length; c++) expect(Math.abs(a[c] - b[c])).toBeLessThan(1e-5);
    },
  );

  it('compresses indices of 8 bits as 16, without the corners of an incomplete triangle', async () => {
    const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
    const binary = new Uint8Array(40);
    binary.set(new Uint8Array(positions.buffer));
    binary.set([0, 1, 2, 1], 36);
    const json = {
      asset: { version: '2.0' },
      buffers: [{ byteLength: 40 }],
      bufferViews: [
        { buffer: 0, byteLength: 36 },
        { buffer: 0, byteOffset: 36, byteLength: 4 },
      ],
      accessors: [
        { bufferView: 0, componentType: 5126, type: 'VEC3', count: 3, min: [0, 0, 0], max: [1, 1, 0] },
        { bufferView: 1, componentType: 5121, type: 'SCALAR', count: 4 },
      ],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
    };
    const bytes = await writeGlb(await readGltf(packGlb(json, binary)), undefined, { meshopt: true });
    expect([...(await readGltf(bytes)).mesh.triangles]).toEqual([0, 1, 2]);
  });
});
