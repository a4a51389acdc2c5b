// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { describe, expect, it } from 'vitest';
import { tidyGltfInto } from '../tidy-gltf.ts';

const tidied = (json: object): GLTF.IGLTF => {
  const tidy = { asset: { version: '2.0' }, ...structuredClone(json) } as unknown as GLTF.IGLTF;
  tidyGltfInto(tidy);
  return tidy;
};

describe('tidyGltfInto', () => {
  it('takes names of morph targets from the primitives, where some exporters write them', () => {
    const primitive = { attributes: {}, extras: { targetNames: ['smile', 'blink'], other: 1 } };
    const [{ extras }] = tidied({ meshes: [{ primitives: [{ attributes: {} }, primitive], extras: { kept: 2 } }] })
      .meshes!;
    expect(extras).toEqual({ kept: 2, targetNames: ['smile', 'blink'] });
    const own = { primitives: [primitive], extras: { targetNames: ['a', 'b'] } };
    expect(tidied({ meshes: [own] }).meshes![0].extras).toEqual({ targetNames: ['a', 'b'] });
    const wrong = { primitives: [{ attributes: {}, extras: { targetNames: 'smile' } }] };
    expect(tidied({ meshes: [wrong] }).meshes![0].extras).toBeUndefined();
  });

  it('forgets names of extensions that nothing uses, of those that are only kept', () => {
    const json = {
      extensionsUsed: ['EXT_used', 'EXT_unused', 'KHR_mesh_quantization'],
      materials: [{ normalTexture: { index: 0, extensions: { EXT_used: {} } } }],
    };
    expect(tidied(json).extensionsUsed).toEqual(['EXT_used', 'KHR_mesh_quantization']);
  });
});
