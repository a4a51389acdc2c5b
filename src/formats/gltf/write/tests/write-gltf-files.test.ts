// SPDX-License-Identifier: MIT
import validator from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import { checkVrm } from '../../../vrm/index.ts';
import { makeVrm1 } from '../../../vrm/tests/make-avatar.ts';
import { readGltf } from '../../read-gltf.ts';
import { writeGlb } from '../../write-glb.ts';
import { writeGltfFiles } from '../write-gltf-files.ts';

describe('writeGltfFiles', () => {
  it.each([
    ['a plain file', {}],
    ['a compressed file', { meshopt: true }],
  ])('writes %s as text, numbers and images, which read as the same', async (_, options) => {
    const before = await readGltf(await writeGlb(await readGltf(makeVrm1()), { kind: 'clip' }, options));
    const { bytes, beside } = writeGltfFiles(before.source!, 'my avatar');
    expect(beside.map(({ path }) => path)).toEqual(['my avatar.bin', 'my_avatar_0.png', 'my_avatar_1.png']);
    const find = async (uri: string): Promise<Uint8Array> => {
      const found = beside.find(({ path }) => path === decodeURIComponent(uri));
      if (!found) throw new Error(`${uri} was not written`);
      return found.bytes;
    };
    const after = await readGltf(bytes, { resolve: find });
    expect(after.mesh).toEqual({ ...before.mesh, name: after.mesh.name });
    expect(after.morphs).toEqual(before.morphs);
    expect(after.rig).toEqual(before.rig);
    const json = JSON.parse(new TextDecoder().decode(bytes));
    expect(json.bufferViews.length).toBeLessThan((before.source!.json.bufferViews as unknown[]).length);
    expect(checkVrm(json)).toEqual([]);
    const { issues } = await validator.validateBytes(bytes, { externalResourceFunction: find });
    expect(
      issues.messages.filter(({ severity }) => severity < 2).map(({ code, message }) => `${code} ${message}`),
    ).toEqual([]);
  });

  it('gives images of one name files of their own, without folders', async () => {
    const bytes = makeVrm1((json) => {
      for (const image of json.images) image.name = '../a b/Skin.png';
    });
    const { beside } = writeGltfFiles((await readGltf(bytes)).source!, 'out');
    expect(beside.map(({ path }) => path)).toEqual(['out.bin', '.._a_b_Skin.png', '.._a_b_Skin_2.png']);
  });
});
