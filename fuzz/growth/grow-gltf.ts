// SPDX-License-Identifier: MIT
import { packGlb } from '../../src/formats/gltf/index.ts';
import { type FormatInput, fill, textFile } from './growing-input.ts';

const TRIANGLE = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
const URI = `data:application/octet-stream;base64,${Buffer.from(TRIANGLE.buffer).toString('base64')}`;

/** A scene with one triangle, and more. */
function makeScene(more: Record<string, unknown>, bytes = 36, uri = URI): Record<string, unknown> {
  return {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [{ bufferView: 0, componentType: 5126, type: 'VEC3', count: bytes / 12 }],
    bufferViews: [{ buffer: 0, byteLength: bytes }],
    buffers: [{ uri, byteLength: bytes }],
    ...more,
  };
}

const gltf = (more: Record<string, unknown>) => [textFile('x.gltf', JSON.stringify(makeScene(more)))];

/** A mesh of half the bytes in the binary chunk, drawn again and again by the rest. */
function packMesh(size: number, more: (count: number) => Record<string, unknown>) {
  const bytes = 36 * Math.ceil(size / 72);
  const count = Math.ceil(size / 2 / 24);
  const scene = makeScene(more(count), bytes);
  const positions = Float32Array.from({ length: bytes / 4 }, (_, c) => c % 7);
  const json = { ...scene, buffers: [{ byteLength: bytes }] };
  return [{ name: 'x.glb', bytes: packGlb(json, new Uint8Array(positions.buffer)) }];
}

/** Numbers from 0. */
const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

const bufferless = (type: string, count: number) => ({ componentType: 5126, type, count });

export const GLTF_INPUTS: readonly FormatInput[] = [
  {
    ...{ name: 'empty nodes', grows: 'bytes' },
    make: (size) => {
      const nodes = fill(size, () => '{}').map(() => ({}));
      return gltf({ nodes: [{ mesh: 0 }, ...nodes], scenes: [{ nodes: range(nodes.length + 1) }] });
    },
  },
  {
    ...{ name: 'a chain of nodes', grows: 'bytes' },
    make: (size) => {
      const nodes = fill(size, (n) => `{"children":[${n}]}`).map((_, n) => ({ children: [n + 1] }));
      return gltf({ nodes: [...nodes, { mesh: 0 }] });
    },
  },
  {
    ...{ name: 'primitives that share their accessors', grows: 'bytes' },
    make: (size) =>
      packMesh(size, (count) => ({
        meshes: [{ primitives: range(count).map(() => ({ attributes: { POSITION: 0 } })) }],
      })),
  },
  {
    ...{ name: 'nodes that share a mesh', grows: 'bytes' },
    make: (size) =>
      packMesh(size, (count) => ({
        nodes: range(count).map(() => ({ mesh: 0 })),
        scenes: [{ nodes: range(count) }],
      })),
  },
  {
    ...{ name: 'nodes that share morph targets', grows: 'bytes' },
    make: (size) => {
      const targets = fill(size / 3, () => '{"POSITION":0}').map(() => ({ POSITION: 0 }));
      const nodes = fill(size / 3, () => '{"mesh":0}').map(() => ({ mesh: 0 }));
      return gltf({
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, targets }] }],
        ...{ nodes, scenes: [{ nodes: range(nodes.length) }] },
      });
    },
  },
  {
    ...{ name: 'nodes, primitives and morph targets', grows: 'claim' },
    make: (size) => {
      const count = Math.ceil(size ** (1 / 3));
      const targets = range(count).map(() => ({ POSITION: 0 }));
      const primitives = range(count).map(() => ({ attributes: { POSITION: 0 }, targets }));
      const nodes = range(count).map(() => ({ mesh: 0 }));
      return gltf({ meshes: [{ primitives }], nodes, scenes: [{ nodes: range(count) }] });
    },
  },
  {
    ...{ name: 'animations that share their samplers', grows: 'bytes' },
    make: (size) => {
      const accessors = [
        { bufferView: 0, componentType: 5126, type: 'VEC3', count: 3 },
        { bufferView: 1, componentType: 5126, type: 'SCALAR', count: 3 },
      ];
      const bufferViews = [0, 36].map((byteOffset) => ({
        buffer: 0,
        byteOffset,
        byteLength: byteOffset === 0 ? 36 : 12,
      }));
      const data = Float32Array.of(...TRIANGLE, 0, 1, 2);
      const uri = `data:application/octet-stream;base64,${Buffer.from(data.buffer).toString('base64')}`;
      const animation = {
        samplers: [{ input: 1, output: 0 }],
        channels: [{ sampler: 0, target: { node: 0, path: 'translation' } }],
      };
      const animations = fill(size, () => JSON.stringify(animation)).map(() => animation);
      const buffers = [{ uri, byteLength: 48 }];
      return gltf({ accessors, bufferViews, buffers, animations });
    },
  },
  {
    ...{ name: 'positions without a buffer', grows: 'claim' },
    make: (size) => gltf({ accessors: [bufferless('VEC3', size)] }),
  },
  {
    ...{ name: 'keys without a buffer', grows: 'claim' },
    make: (size) =>
      gltf({
        accessors: [...(makeScene({}).accessors as object[]), bufferless('SCALAR', size), bufferless('VEC3', size)],
        animations: [
          {
            samplers: [{ input: 1, output: 2 }],
            channels: [{ sampler: 0, target: { node: 0, path: 'translation' } }],
          },
        ],
      }),
  },
  {
    ...{ name: 'morph targets without a buffer', grows: 'bytes' },
    make: (size) => {
      const bytes = 36 * Math.ceil(size / 72);
      const targets = fill(size / 2, () => '{"POSITION":1}').map(() => ({ POSITION: 1 }));
      const accessors = [
        { bufferView: 0, componentType: 5126, type: 'VEC3', count: bytes / 12 },
        bufferless('VEC3', bytes / 12),
      ];
      const scene = makeScene(
        { meshes: [{ primitives: [{ attributes: { POSITION: 0 }, targets }] }], accessors },
        bytes,
      );
      const json = { ...scene, buffers: [{ byteLength: bytes }] };
      return [{ name: 'x.glb', bytes: packGlb(json, new Uint8Array(bytes)) }];
    },
  },
];
