// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { renderView, writePng } from '../../../draw/index.ts';
import { readAsset } from '../../../formats/assets/index.ts';
import { loadLooks } from '../load-looks.ts';

const uri = (bytes: Uint8Array, type: string) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

/** A square that faces +z, with a texture whose left half is red and whose right half is blue. */
async function readSquare(image: Uint8Array, type = 'image/png') {
  const data = Float32Array.of(...[-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], ...[0, 1, 1, 1, 1, 0, 0, 0]);
  const indices = Uint16Array.of(0, 1, 2, 0, 2, 3);
  const bytes = new Uint8Array([...new Uint8Array(data.buffer), ...new Uint8Array(indices.buffer)]);
  const json = {
    asset: { version: '2.0' },
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
    materials: [{ name: 'flag', pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    textures: [{ source: 0, sampler: 0 }],
    samplers: [{ magFilter: 9728 }],
    images: [{ uri: uri(image, type) }],
    accessors: [
      { bufferView: 0, componentType: 5126, type: 'VEC3', count: 4, min: [-1, -1, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5126, type: 'VEC2', count: 4 },
      { bufferView: 2, componentType: 5123, type: 'SCALAR', count: 6 },
    ],
    bufferViews: [
      { buffer: 0, byteLength: 48 },
      { buffer: 0, byteOffset: 48, byteLength: 32 },
      { buffer: 0, byteOffset: 80, byteLength: 12 },
    ],
    buffers: [{ uri: uri(bytes, 'application/octet-stream'), byteLength: bytes.length }],
  };
  return readAsset([{ name: 'x.gltf', bytes: new TextEncoder().encode(JSON.stringify(json)) }]);
}

const FLAG = writePng({ width: 2, height: 1, pixels: Uint8Array.of(255, 0, 0, 255, 0, 0, 255, 255) });

describe('loadLooks', () => {
  it('shows base colour textures in pictures', async () => {
    const asset = await readSquare(FLAG);
    const looks = await loadLooks(asset, () => expect.unreachable());
    const { positions, triangles } = asset.mesh;
    const image = renderView({ positions, triangles, looks }, { width: 64, height: 64, view: 'front', ground: false });
    const at = (x: number, y: number) => [...image.pixels.subarray(4 * (64 * y + x), 4 * (64 * y + x) + 3)];
    const [left, right] = [at(24, 32), at(40, 32)];
    expect(left[0]).toBeGreaterThan(2 * left[2]);
    expect(right[2]).toBeGreaterThan(2 * right[0]);
  });

  it('leaves out images that cannot be decoded, with a note', async () => {
    const notes: string[] = [];
    const looks = await loadLooks(await readSquare(FLAG.slice(0, 33)), (note) => notes.push(note));
    expect(looks).toBeUndefined();
    expect(notes).toEqual(['image 0 is not drawn: it has no picture']);
  });
});
