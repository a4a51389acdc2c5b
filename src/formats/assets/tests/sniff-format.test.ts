// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { ASSET_FORMATS } from '../asset-formats.ts';
import { readAsset } from '../read-asset.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const POINTER = encode(`version https://git-lfs.github.com/spec/v1\noid sha256:${'4d7a'.repeat(16)}\nsize 12345\n`);

describe('readAsset of files that Git LFS has not fetched', () => {
  it.each(ASSET_FORMATS.flatMap(({ extensions }) => extensions))(
    'names the pointer and the remedy: .%s',
    async (ext) => {
      await expect(readAsset([{ name: `x.${ext}`, bytes: POINTER }])).rejects.toThrow(
        `x.${ext}: it is a Git LFS pointer, not the file itself; run git lfs pull`,
      );
    },
  );

  it('names it for a buffer beside a glTF too', async () => {
    const json = { asset: { version: '2.0' }, buffers: [{ uri: 'x.bin', byteLength: 4 }] };
    const file = { name: 'x.gltf', bytes: encode(JSON.stringify(json)) };
    await expect(readAsset([file], { resolve: async () => POINTER })).rejects.toThrow(
      'x.gltf: the file needs "x.bin" beside it, which could not be read: it is a Git LFS pointer',
    );
  });
});
