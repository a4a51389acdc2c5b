// SPDX-License-Identifier: MIT
// Faults of meshes, morph targets, animations, sizes and containers.
import type { Track } from '../../../core/model/clip/animation.ts';
import type { Scene, SceneShape } from '../../gltf/index.ts';
import {
  attribute,
  BODY,
  FOUND,
  GOOD,
  glb,
  keysOf,
  type SeededFault,
  scene,
  setAt,
  withNodes,
  withShape,
} from './faults.ts';
import { HAT } from './make-character.ts';
import { bodyOf, editGlb, spoilScene } from './spoil.ts';

const HAT_SHAPE = 2;

/** The hat with further vertices and triangles at its end. */
function growHat(own: Scene, points: readonly number[], corners: readonly number[]): Scene {
  const { mesh } = own.shapes[HAT_SHAPE];
  const added = points.length / 3;
  const grow = (values: Float32Array, size: number, fill: readonly number[]): Float32Array =>
    Float32Array.from([...values, ...Array.from({ length: added }, () => fill.slice(0, size)).flat()]);
  const triangles = Uint32Array.from([...mesh.triangles, ...corners]);
  const positions = Float32Array.from([...mesh.positions, ...points]);
  const [part] = mesh.parts;
  return withShape(own, HAT_SHAPE, {
    mesh: {
      ...mesh,
      ...{ positions, triangles, normals: grow(mesh.normals ?? new Float32Array(0), 3, [0, 1, 0]) },
      attributes: mesh.attributes.map((one) => ({ ...one, values: grow(one.values, one.size, [1, 0, 0, 1]) })),
      parts: [{ ...part, vertexCount: positions.length / 3, triangleCount: triangles.length / 3 }],
    },
  });
}

const withMesh = (own: Scene, s: number, change: Partial<SceneShape['mesh']>): Scene =>
  withShape(own, s, { mesh: { ...own.shapes[s].mesh, ...change } });

const MESHES: readonly SeededFault[] = [
  scene('triangles with one corner twice', 'triangle-degenerate', (own) => growHat(own, [], [0, 0, 1, 2, 3, 3])),
  scene('vertices without a triangle', 'vertex-unused', (own) => growHat(own, [0, 0, 0, 0.1, 0.1, 0], [])),
  {
    name: 'a position that is not a number, of a vertex without triangles',
    rules: ['position-finite'],
    fixed: 'before',
    async make() {
      const bytes = await spoilScene((own) => growHat(own, [0, 0, 0], []));
      return editGlb(bytes, (file) => {
        const hat = file.json.meshes?.find(({ name }) => name === 'hat')?.primitives[0].attributes.POSITION ?? 0;
        const positions = file.floats(hat);
        positions.set([Number.NaN], positions.length - 3);
      });
    },
  },
  glb(
    'a position that is not a number',
    'unreadable',
    (file) => attribute(file, 'POSITION').set([Number.NaN], 30),
    FOUND,
  ),
  glb('normals of length zero', 'normal-direction', (file) => attribute(file, 'NORMAL').fill(0, 30, 60)),
  glb('normals that are too long', 'normal-length', (file) => {
    const normals = attribute(file, 'NORMAL');
    for (let c = 30; c < 60; c++) normals[c] *= 3;
  }),
  scene('no normals', 'normal-missing', (own) =>
    withMesh(own, 0, {
      normals: undefined,
      attributes: own.shapes[0].mesh.attributes.filter(({ name }) => name !== 'TANGENT'),
    }),
  ),
  scene(
    'a texture without UVs',
    'uv-missing',
    (own) =>
      withMesh(own, 0, { attributes: own.shapes[0].mesh.attributes.filter(({ name }) => name !== 'TEXCOORD_0') }),
    FOUND,
  ),
  glb('UVs that are not numbers', 'number-finite', (file) => attribute(file, 'TEXCOORD_0').set([Number.NaN], 9)),
  glb('tangents of length zero', 'tangent-direction', (file) => attribute(file, 'TANGENT').fill(0, 40, 44)),
  scene(
    'a character far from the origin',
    'far-away',
    (own) => withNodes(own, { translations: setAt(own.nodes.translations, 0, [50000, 0, 0]) }),
    FOUND,
  ),
];

const MORPHS: readonly SeededFault[] = [
  scene(
    'a morph target without effect',
    'morph-empty',
    (own) => {
      const [smile, blink] = own.shapes[0].targets;
      return withShape(own, 0, { targets: [smile, { ...blink, positions: new Float32Array(blink.positions.length) }] });
    },
    FOUND,
  ),
  scene('weights of a morph target above one', 'morph-weight', (own) => ({
    ...own,
    animations: own.animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.map((track) =>
        track.path === 'weights' ? { ...track, values: track.values.map((x) => 2.5 * x) } : track,
      ),
    })),
  })),
  glb('a displacement that is not a number', 'morph-finite', (file) => {
    const [target] = bodyOf(file).targets ?? [];
    file.floats(target.POSITION).set([Number.NaN], 30);
  }),
];

const withTracks = (own: Scene, change: (track: Track) => Track): Scene => ({
  ...own,
  animations: own.animations.map((animation) => ({ ...animation, tracks: animation.tracks.map(change) })),
});

const ANIMATIONS: readonly SeededFault[] = [
  scene(
    'keys that begin late',
    'animation-start',
    (own) => withTracks(own, (track) => ({ ...track, times: track.times.map((time) => time + 5) })),
    { fixed: 'before', shift: 5 },
  ),
  scene(
    'keys before time zero',
    'animation-start',
    (own) => withTracks(own, (track) => ({ ...track, times: track.times.map((time) => time - 0.25) })),
    {
      ...{ fixed: 'before', shift: -0.25 },
    },
  ),
  scene('an animation without length', 'animation-length', (own) =>
    withTracks(own, (track) => ({
      ...track,
      times: track.times.slice(0, 1),
      values: track.values.slice(0, track.values.length / track.times.length),
    })),
  ),
  glb('keys that are not in order', 'key-broken', (file) => keysOf(file, 'rotation').times.set([0.9, 0.4], 1)),
  glb('two keys at one time', 'key-jump', (file) => keysOf(file, 'rotation').times.set([0, 1], 1)),
  glb('keys that are not numbers', 'key-broken', (file) => keysOf(file, 'rotation').values.set([Number.NaN], 4)),
  glb('a key with a rotation of length zero', 'key-broken', (file) => keysOf(file, 'rotation').values.fill(0, 4, 8)),
  glb(
    'rotations of keys that are not of unit length',
    'rotation-length',
    (file) => {
      const { values } = keysOf(file, 'rotation');
      for (let c = 4; c < 8; c++) values[c] *= 2;
    },
    GOOD,
  ),
  scene('several takes for an importer that reads one', 'unreal-takes', (own) => own, { target: 'unreal' }),
];

/** All lengths of the character times a factor. */
function grow(own: Scene, factor: number): Scene {
  const scaled = withNodes(own, { translations: own.nodes.translations.map((x) => x * factor) });
  return {
    ...withTracks(scaled, (track) =>
      track.path === 'translation' ? { ...track, values: track.values.map((x) => x * factor) } : track,
    ),
    shapes: own.shapes.map((shape) => ({
      ...shape,
      mesh: { ...shape.mesh, positions: shape.mesh.positions.map((x) => x * factor) },
      targets: shape.targets.map((target) => ({ ...target, positions: target.positions.map((x) => x * factor) })),
      ...(shape.skin
        ? {
            skin: {
              ...shape.skin,
              inverseBinds: shape.skin.inverseBinds.map((x, c) => (c % 16 > 11 && c % 16 < 15 ? x * factor : x)),
            },
          }
        : {}),
    })),
  };
}

/** The character on its back: the root is turned about x. */
function layDown(own: Scene): Scene {
  const half = Math.SQRT1_2;
  const laid = withNodes(own, { rotations: setAt(own.nodes.rotations, 0, [half, 0, 0, half]) });
  return laid;
}

const SIZES: readonly SeededFault[] = [
  scene('a character 180 m high', 'size-unit', (own) => grow(own, 100), { fixed: 'before', scale: 0.01 }),
  scene('a character 1.7 mm high', 'size-unit', (own) => grow(own, 0.001), FOUND),
  scene('a character 17 mm high, in centimetres', 'size-unit', (own) => grow(own, 0.0001), FOUND),
  scene('a character that lies', 'up-axis', layDown, { fixed: 'before', turn: -90 }),
];

/** The good character as an avatar that lacks most of its bones. */
const AVATAR = {
  specVersion: '1.0',
  meta: { name: 'a', authors: ['b'], licenseUrl: 'https://vrm.dev/licenses/1.0/' },
  humanoid: { humanBones: { hips: { node: 1 }, spine: { node: 2 } } },
};

const FILES: readonly SeededFault[] = [
  glb(
    'an avatar without its required bones',
    'vrm-bone-required',
    ({ json }) => {
      json.extensionsUsed = ['VRMC_vrm'];
      json.extensions = { VRMC_vrm: AVATAR };
    },
    { extension: '.vrm' },
  ),
  { name: 'a file that is no avatar', rules: ['vrm-avatar'], make: () => spoilScene((own) => own), target: 'vrm' },
  {
    name: 'a format that the target does not open',
    rules: ['ar-format'],
    make: () => spoilScene((own) => own),
    target: 'ar',
  },
  glb(
    'a file that ends too early',
    'unreadable',
    ({ json }) => {
      json.buffers = [{ byteLength: 1e7 }];
    },
    FOUND,
  ),
];

export const MORE_FAULTS: readonly SeededFault[] = [...MESHES, ...MORPHS, ...ANIMATIONS, ...SIZES, ...FILES];
export { BODY, GOOD, HAT };
