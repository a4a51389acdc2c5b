// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { listSurfaces } from '../list-surfaces.ts';

const triangle = makeMesh(new Float32Array(9), Uint32Array.of(0, 1, 2));
const [part] = triangle.parts;
const meshOf = (...materials: string[]) => ({
  ...triangle,
  parts: materials.map((material) => ({ ...part, material })),
});

describe('listSurfaces', () => {
  it('lists materials, maps and images, and the material of each part', () => {
    const bytes = Uint8Array.of(9, 9, 1, 2, 3, 9);
    const json = {
      materials: [
        { alphaMode: 'MASK', alphaCutoff: 0.25, emissiveFactor: [1, 0, 0.5] },
        {
          name: 'skin',
          doubleSided: true,
          pbrMetallicRoughness: {
            baseColorFactor: [0.5, 0.25, 1, 1],
            metallicFactor: 0,
            baseColorTexture: { index: 0, extensions: { KHR_texture_transform: { offset: [0.5, 0], scale: [2, 2] } } },
          },
          normalTexture: { index: 1, scale: 0.5, texCoord: 1 },
        },
      ],
      textures: [{ source: 0, sampler: 0 }, { extensions: { EXT_texture_webp: { source: 1 } } }],
      samplers: [{ wrapS: 33071, wrapT: 33648, magFilter: 9728 }],
      images: [{ bufferView: 0, mimeType: 'image/png' }, { uri: 'bumps.webp' }],
      bufferViews: [{ buffer: 0, byteOffset: 2, byteLength: 3 }],
      buffers: [{ byteLength: 6 }],
    };
    const resources = { '@glb.bin': bytes, 'bumps.webp': Uint8Array.of(7) };
    const look = listSurfaces({ mesh: meshOf('skin', '', 'material 0'), source: { json, resources } });
    expect(look?.materialOfPart).toEqual([1, -1, 0]);
    expect(look?.images.map((image) => [image.type, ...image.bytes])).toEqual([
      ['image/png', 1, 2, 3],
      ['', 7],
    ]);
    const [mask, skin] = look!.materials;
    expect(mask).toMatchObject({ alpha: 'mask', cutoff: 0.25, emissive: [1, 0, 0.5], metallic: 1, roughness: 1 });
    expect(skin).toMatchObject({ name: 'skin', color: [0.5, 0.25, 1, 1], isDoubleSided: true, normalScale: 0.5 });
    expect(skin.colorMap).toEqual({
      ...{ image: 0, uv: 0, wrap: ['clamp', 'mirror'], isNearest: true },
      ...{ offset: [0.5, 0], rotation: 0, scale: [2, 2] },
    });
    expect(skin.normalMap).toMatchObject({ image: 1, uv: 1, wrap: ['repeat', 'repeat'] });
  });

  it('reads the diffuse colour of specular and glossiness', () => {
    const glossy = { diffuseFactor: [0.2, 0.4, 0.6, 1], glossinessFactor: 0.75 };
    const json = { materials: [{ name: 'a', extensions: { KHR_materials_pbrSpecularGlossiness: glossy } }] };
    const look = listSurfaces({ mesh: meshOf('a'), source: { json, resources: {} } });
    expect(look?.materials[0]).toMatchObject({ color: [0.2, 0.4, 0.6, 1], metallic: 0, roughness: 0.25 });
  });

  it('gives nothing for files without materials', () => {
    expect(listSurfaces({ mesh: meshOf('') })).toBeUndefined();
    expect(listSurfaces({ mesh: meshOf('a'), source: { json: {}, resources: {} } })).toBeUndefined();
    const json = { materials: [{ name: 'other' }] };
    expect(listSurfaces({ mesh: meshOf(''), source: { json, resources: {} } })).toBeUndefined();
  });
});
