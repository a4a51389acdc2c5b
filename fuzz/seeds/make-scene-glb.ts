// SPDX-License-Identifier: MIT
import { packGlb } from '../../src/formats/gltf/index.ts';

/**
 * A scene with features that the writers do not use: sparse accessors, interleaved and normalized attributes, strips and fans, one mesh drawn by a
 * skinned and by a plain node, a node matrix, all interpolations, weights on nodes, cameras, materials and extras.
 */
export function makeSceneGlb(): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  const bufferViews: object[] = [];
  const addView = (data: ArrayBufferView, more: object = {}): number => {
    while (bytes.length % 4 !== 0) bytes.push(0);
    const { buffer, byteOffset, byteLength } = data;
    bufferViews.push({ buffer: 0, byteOffset: bytes.length, byteLength, ...more });
    bytes.push(...new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength));
    return bufferViews.length - 1;
  };
  const floats = (...values: number[]): number => addView(Float32Array.from(values));
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

  // Position and normal of five vertices, interleaved.
  const corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0.5];
  const interleaved = Array.from({ length: 5 }, (_, i) => [...corners.slice(3 * i, 3 * i + 3), 0, 0, 1]).flat();
  const vertices = addView(Float32Array.from(interleaved), { byteStride: 24, target: 34962 });
  const indices = addView(Uint16Array.of(0, 1, 2, 3, 4), { target: 34963 });
  const joints = addView(Uint8Array.from({ length: 20 }, (_, c) => (c % 4 < 2 ? c % 2 : 0)));
  const weights = addView(Uint8Array.from({ length: 20 }, (_, c) => [200, 55, 0, 0][c % 4]));
  const targets = floats(0, 0, 1, 0, 0.5, 0);
  const places = addView(Uint8Array.of(1, 3));
  const times = floats(0, 0.5, 1);
  const moves = floats(0, 0, 0, 0, 1, 0, 0, 0, 0);
  const turns = addView(Int16Array.of(0, 0, 0, 32767, 0, 0, 23170, 23170, 0, 0, 32767, 0));
  const splines = floats(...Array.from({ length: 27 }, (_, c) => (Math.floor(c / 3) % 3 === 1 ? 1 + (c % 2) / 4 : 0)));
  const amounts = floats(0, 1, 0.5);
  const binds = floats(...identity, ...identity);
  const accessor = (bufferView: number, type: string, count: number, componentType = 5126, more: object = {}) => ({
    ...{ bufferView, componentType, type, count, ...more },
  });
  const sparse = { count: 2, indices: { bufferView: places, componentType: 5121 }, values: { bufferView: targets } };
  const attributes = { POSITION: 0, NORMAL: 1, JOINTS_0: 3, WEIGHTS_0: 4 };
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ name: 'scene', nodes: [0, 4] }],
    nodes: [
      { name: 'group', children: [1, 2, 3], matrix: [...identity.slice(0, 12), 0, 0.5, 0, 1] },
      { name: 'skinned', mesh: 0, skin: 0, weights: [0.25] },
      { name: 'joint', children: [5], translation: [0, 0, 0], extras: { limits: 1 } },
      { name: 'plain', mesh: 0, rotation: [0, 0, 0.6, 0.8], scale: [1, 2, 1] },
      { name: 'fan', mesh: 1, camera: 0 },
      { name: 'end', translation: [0, 1, 0] },
    ],
    skins: [{ joints: [2, 5], skeleton: 2, inverseBindMatrices: 11 }],
    meshes: [
      {
        name: 'strip',
        weights: [0.5],
        extras: { targetNames: ['lift'] },
        primitives: [{ attributes, indices: 2, mode: 5, material: 0, targets: [{ POSITION: 5 }] }],
      },
      {
        primitives: [
          { attributes: { POSITION: 0, NORMAL: 1 }, mode: 6 },
          { attributes: { POSITION: 0 }, mode: 1 },
        ],
      },
    ],
    materials: [{ name: 'skin', pbrMetallicRoughness: { baseColorFactor: [1, 0.5, 0.5, 1] }, doubleSided: true }],
    cameras: [{ type: 'perspective', perspective: { yfov: 0.6, znear: 0.1 } }],
    animations: [
      {
        name: 'all',
        samplers: [
          { input: 6, output: 7, interpolation: 'LINEAR' },
          { input: 6, output: 8, interpolation: 'STEP' },
          { input: 6, output: 9, interpolation: 'CUBICSPLINE' },
          { input: 6, output: 10 },
        ],
        channels: [
          { sampler: 0, target: { node: 5, path: 'translation' } },
          { sampler: 1, target: { node: 2, path: 'rotation' } },
          { sampler: 2, target: { node: 3, path: 'scale' } },
          { sampler: 3, target: { node: 1, path: 'weights' } },
        ],
      },
    ],
    accessors: [
      accessor(vertices, 'VEC3', 5, 5126, { min: [0, 0, 0], max: [2, 1, 0.5] }),
      accessor(vertices, 'VEC3', 5, 5126, { byteOffset: 12 }),
      accessor(indices, 'SCALAR', 5, 5123),
      accessor(joints, 'VEC4', 5, 5121),
      accessor(weights, 'VEC4', 5, 5121, { normalized: true }),
      { componentType: 5126, type: 'VEC3', count: 5, sparse },
      accessor(times, 'SCALAR', 3, 5126, { min: [0], max: [1] }),
      accessor(moves, 'VEC3', 3),
      accessor(turns, 'VEC4', 3, 5122, { normalized: true }),
      accessor(splines, 'VEC3', 9),
      accessor(amounts, 'SCALAR', 3),
      accessor(binds, 'MAT4', 2),
    ],
    bufferViews,
    buffers: [{ byteLength: bytes.length }],
  };
  return packGlb(json, Uint8Array.from(bytes));
}
