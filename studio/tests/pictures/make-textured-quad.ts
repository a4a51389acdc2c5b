// SPDX-License-Identifier: MIT
// For tests: a square with a texture as GLB. Its left half is red and its right half is green.
import { writePng } from '../../../src/entry/draw.ts';
import { makeKtx2 } from './make-ktx2.ts';

const RED = [220, 20, 20] as const;
const GREEN = [20, 200, 20] as const;

export function makeTexturedQuad(format: 'png' | 'ktx2' = 'png'): Buffer {
  const image = format === 'png' ? makePng() : makeKtx2([RED, GREEN]);
  const positions = Float32Array.of(-1, 0, 0, 1, 0, 0, 1, 2, 0, -1, 2, 0);
  const uvs = Float32Array.of(0, 1, 1, 1, 1, 0, 0, 0);
  const indices = Uint16Array.of(0, 1, 2, 0, 2, 3);
  const chunks = [positions, uvs, indices].map((array) => Buffer.from(array.buffer));
  chunks.push(Buffer.concat([image, Buffer.alloc((4 - (image.length % 4)) % 4)]));
  let at = 0;
  const bufferViews = chunks.map((chunk, n) => {
    const view = { buffer: 0, byteOffset: at, byteLength: n === 3 ? image.length : chunk.length };
    at += chunk.length;
    return view;
  });
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, name: 'square' }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
    materials: [
      {
        name: 'paint',
        doubleSided: true,
        pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0, roughnessFactor: 1 },
      },
    ],
    textures: [format === 'png' ? { source: 0 } : { extensions: { KHR_texture_basisu: { source: 0 } } }],
    images: [{ bufferView: 3, mimeType: `image/${format}` }],
    ...(format === 'png' ? {} : { extensionsUsed: ['KHR_texture_basisu'], extensionsRequired: ['KHR_texture_basisu'] }),
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [-1, 0, 0], max: [1, 2, 0] },
      { bufferView: 1, componentType: 5126, count: 4, type: 'VEC2' },
      { bufferView: 2, componentType: 5123, count: 6, type: 'SCALAR' },
    ],
    bufferViews,
    buffers: [{ byteLength: at }],
  };
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const head = (length: number, type: string): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32LE(length);
    bytes.write(type, 4, 'latin1');
    return bytes;
  };
  const body = [head(padded.length, 'JSON'), padded, head(at, 'BIN\0'), ...chunks];
  const start = Buffer.alloc(12);
  start.write('glTF', 0, 'latin1');
  start.writeUInt32LE(2, 4);
  start.writeUInt32LE(12 + body.reduce((sum, part) => sum + part.length, 0), 8);
  return Buffer.concat([start, ...body]);
}

function makePng(): Buffer {
  const pixels = new Uint8Array(4 * 16 * 16);
  for (let n = 0; n < 256; n++) pixels.set([...(n % 16 < 8 ? RED : GREEN), 255], 4 * n);
  return Buffer.from(writePng({ width: 16, height: 16, pixels }));
}
