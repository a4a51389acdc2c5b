// SPDX-License-Identifier: MIT
// A small scene with one of everything that a stage holds.
import type { Track } from '../../../../core/model/clip/animation.ts';
import { makeNodeTree } from '../../../../core/model/make-asset.ts';
import { type Mesh, makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import type { SurfaceMaterial } from '../../../../core/model/surface-look.ts';
import type { Scene } from '../../../gltf/index.ts';

/** One pixel. */
export const PNG = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (character) => character.charCodeAt(0),
);

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** A square of two parts, with two sets of UVs and colours. */
function makeSquare(name: string): Mesh {
  const square = makeMesh(
    Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0),
    Uint32Array.of(0, 1, 2, 3, 4, 5),
    name,
  );
  const part = { name, vertexCount: 3, triangleCount: 1, material: '' };
  return {
    ...square,
    normals: Float32Array.from({ length: 18 }, (_, c) => (c % 3 === 2 ? 1 : 0)),
    attributes: [
      { name: 'TEXCOORD_0', size: 2, values: Float32Array.of(0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1) },
      { name: 'TEXCOORD_1', size: 2, values: Float32Array.from({ length: 12 }, (_, c) => c / 16) },
      { name: 'COLOR_0', size: 4, values: Float32Array.from({ length: 24 }, (_, c) => (c % 8) / 8) },
    ],
    parts: [
      { ...part, vertexStart: 0, triangleStart: 0 },
      { ...part, vertexStart: 3, triangleStart: 1 },
    ],
  };
}

const material: SurfaceMaterial = {
  ...{ name: 'Red fur', color: [1, 0.5, 0.25, 1], metallic: 0.5, roughness: 0.75, emissive: [0, 0.5, 0] },
  ...{ alpha: 'mask', cutoff: 0.25, isDoubleSided: true, isUnlit: false, normalScale: 0.5, occlusionStrength: 0.5 },
};

const map = {
  image: 0,
  uv: 0,
  wrap: ['clamp', 'mirror'],
  isNearest: false,
  offset: [0, 0],
  rotation: 0,
  scale: [1, 1],
} as const;

const track = (
  node: number,
  path: Track['path'],
  times: number[],
  values: number[],
  interpolation: Track['interpolation'] = 'LINEAR',
): Track => ({
  ...{ node, path, interpolation, times: Float32Array.from(times), values: Float32Array.from(values) },
});

/** Nodes: rig > hip > knee > foot, a body that hip and knee move, a hat on the foot with a target, a lamp and a camera. */
export function makeTestScene(): Scene {
  const nodes = makeNodeTree(8);
  nodes.names = ['rig', 'hip.L', 'knee', 'foot', 'body', 'lamp', 'eye', 'eye'];
  nodes.parents = Int32Array.of(-1, 0, 1, 2, 0, 0, 3, 0);
  nodes.translations.set([0, 2, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0]);
  nodes.scales.set([0.5, 0.5, 0.5], 0);
  nodes.rotations.set([0, 0, Math.SQRT1_2, Math.SQRT1_2], 8);
  const half = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
  return {
    nodes,
    shapes: [
      {
        ...{ node: 4, mesh: makeSquare('body'), materialOfPart: [0, 1], targets: [] },
        skin: {
          joints: [2, 1],
          inverseBinds: Float64Array.from([...IDENTITY.slice(0, 13), -1, ...IDENTITY.slice(14), ...IDENTITY]),
          weights: makeSkin([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1], [0.5, 0.5, 1, 0, 0.25, 0.75, 1, 0, 0, 1, 1, 0], 2),
        },
      },
      {
        ...{ node: 3, mesh: makeSquare('hat'), materialOfPart: [1, 1] },
        targets: [
          {
            ...{
              name: 'mouth open',
              positions: Float32Array.from({ length: 18 }, (_, c) => (c === 4 ? 2 : 0)),
              weight: 0.25,
            },
            normals: new Float32Array(18),
          },
          { name: '', positions: new Float32Array(18), weight: 0 },
        ],
        extras: { kind: 'hat' },
      },
    ],
    animations: [
      {
        ...{ name: 'walk cycle', duration: 2 },
        tracks: [
          track(1, 'rotation', [0, 1, 2], [0, 0, 0, 1, ...half, 0, 0, 0, 1]),
          track(2, 'translation', [0.5, 1, 2], [0, 1, 0, 0, 3, 0, 0, 1, 0], 'STEP'),
          track(3, 'weights', [0, 2], [0, 0, 1, 0.5]),
        ],
      },
      {
        ...{ name: 'bend', duration: 1 },
        tracks: [
          track(
            2,
            'rotation',
            [0, 1],
            [0, 0, 0, 0, ...half, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
            'CUBICSPLINE',
          ),
          track(3, 'scale', [0, 0.5], [1, 1, 1, 0, 0, 0]),
        ],
      },
    ],
    look: {
      materials: [
        {
          ...material,
          ...{ colorMap: map, emissiveMap: { ...map, uv: 1 }, occlusionMap: map },
          metallicRoughnessMap: { ...map, offset: [0.25, 0.125], rotation: 0.5, scale: [2, 3] },
          normalMap: map,
          extras: { tags: ['a', 'b'], nested: { deep: [1, null] } },
        },
        {
          ...material,
          name: 'Red fur',
          color: [0.5, 0.5, 0.5, 1],
          emissive: [0, 0, 0],
          alpha: 'opaque',
          isUnlit: true,
        },
      ],
      images: [{ type: 'image/png', bytes: PNG, name: 'Fur A.png' }],
    },
    cameras: [
      { kind: 'perspective', node: 6, name: 'view', near: 0.125, far: 100, fieldOfView: 1, aspect: 2 },
      { kind: 'orthographic', node: 7, name: 'eye', near: 0.5, far: 50, width: 2, height: 1 },
    ],
    lights: [{ kind: 'spot', node: 5, name: 'lamp', color: [1, 0.5, 0], intensity: 20, range: 4, cone: [0.25, 0.5] }],
    extras: new Map<number, Record<string, unknown>>([
      [0, { 'made by': 'hand', level: 3 }],
      [2, { socket: true }],
    ]),
  };
}
