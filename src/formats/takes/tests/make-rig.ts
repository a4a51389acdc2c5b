// SPDX-License-Identifier: MIT
import { compose, invertAffine, multiply } from '../../../core/math/mat4.ts';
import { multiplyQuaternions, quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import { makeNodeTree } from '../../../core/model/make-asset.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { packGlb, type Scene } from '../../gltf/index.ts';
import { makeGltfSource } from '../../gltf/scene/make-gltf-source.ts';

/** Names, parents and places of the joints of a biped, metres. */
export const BONES: readonly [name: string, parent: number, x: number, y: number, z: number][] = [
  ['Hips', -1, 0, 1, 0.05],
  ['Spine', 0, 0, 0.3, 0],
  ['Head', 1, 0, 0.3, 0.02],
  ['LeftUpLeg', 0, 0.1, -0.1, 0],
  ['LeftFoot', 3, 0, -0.8, 0.01],
  ['RightUpLeg', 0, -0.1, -0.1, 0],
  ['RightFoot', 5, 0, -0.8, 0.01],
];

/** A biped with a triangle at each joint. It walks, bobs and turns. `lengths` are factors on the places of the joints below the hips. */
export function makeBiped({
  lengths = [] as number[],
  names = (name: string): string => name,
  clip = 'walk',
} = {}): Scene {
  const count = BONES.length;
  const nodes = makeNodeTree(count + 1);
  const positions: number[] = [];
  const inverseBinds = new Float64Array(16 * count);
  const worlds: number[][] = [];
  BONES.forEach(([name, parent, ...place], j) => {
    const local = place.map((x) => x * (lengths[j] ?? 1));
    nodes.names[j] = names(name);
    nodes.parents[j] = parent;
    nodes.translations.set(local, 3 * j);
    const world = local.map((x, c) => x + (worlds[parent]?.[c] ?? 0));
    worlds.push(world);
    for (const [dx, dy] of [
      [0, 0],
      [0.05, 0],
      [0, 0.05],
    ])
      positions.push(world[0] + dx, world[1] + dy, world[2] + 0.03);
    for (let c = 0; c < 16; c += 5) inverseBinds[16 * j + c] = 1;
    inverseBinds.set(
      world.map((x) => -x),
      16 * j + 12,
    );
  });
  nodes.names[count] = 'Body';
  const triangles = Uint32Array.from({ length: 3 * count }, (_, c) => c);
  const mesh = makeMesh(Float32Array.from(positions), triangles, 'Body');
  const weights = makeSkin(
    Uint32Array.from({ length: 3 * count }, (_, c) => Math.floor(c / 3)),
    new Float32Array(3 * count).fill(1),
    1,
  );
  return {
    nodes,
    shapes: [{ node: count, mesh, targets: [], skin: { joints: BONES.map((_, j) => j), inverseBinds, weights } }],
    animations: [makeWalk(clip)],
    look: { materials: [], images: [] },
  };
}

/** Times of keys, quarter seconds: three.js and FBX at 30 frames per second have them too. */
const TIMES = Float32Array.of(0, 0.5, 1, 1.5, 2);

function makeWalk(name: string): Animation {
  const tracks: Track[] = BONES.map((_, j) => {
    const values = new Float32Array(4 * TIMES.length);
    TIMES.forEach((time, k) => {
      const axis = [Math.sin(j), j === 0 ? 2 : 0.2, Math.cos(j)];
      const q = new Float64Array(4);
      quaternionFromAxisAngle(axis, 0.9 * Math.sin(time + j) * (j === 0 ? 1.5 : 1), q);
      values.set(q, 4 * k);
    });
    return { node: j, path: 'rotation', interpolation: 'LINEAR', times: TIMES, values };
  });
  const way = Float32Array.from(
    [...TIMES].flatMap((time) => [0.3 * time, 1 + 0.05 * Math.sin(4 * time), 0.05 + 0.8 * time]),
  );
  return {
    name,
    duration: 2,
    tracks: [...tracks, { node: 0, path: 'translation', interpolation: 'LINEAR', times: TIMES, values: way }],
  };
}

/** The animations alone. */
export const withoutMesh = (scene: Scene): Scene => ({ ...scene, shapes: [] });

/** The scene below a node with a transform, with the same places in the world: the unit and the up axis of another program. */
export function hangBelow(scene: Scene, name: string, turn: readonly number[], scale: number): Scene {
  const count = scene.nodes.names.length;
  const { nodes } = scene;
  const matrix = new Float64Array(16);
  compose([0, 0, 0], turn, [scale, scale, scale], matrix);
  const inverse = new Float64Array(16);
  invertAffine(matrix, inverse);
  const back = [-turn[0], -turn[1], -turn[2], turn[3]];
  const isTop = (n: number): boolean => nodes.parents[n] < 0;
  const place = (n: number, values: ArrayLike<number>, offset: number): number[] => {
    const [x, y, z] = [0, 1, 2].map((c) => values[offset + c]);
    if (!isTop(n)) return [x / scale, y / scale, z / scale];
    return [0, 1, 2].map((r) => inverse[r] * x + inverse[r + 4] * y + inverse[r + 8] * z);
  };
  const rotate = (n: number, values: ArrayLike<number>, offset: number): number[] => {
    const out = Array.from({ length: 4 }, (_, c) => values[offset + c]);
    if (isTop(n)) multiplyQuaternions(back, out.slice(), out);
    return out;
  };
  const map = (values: ArrayLike<number>, size: number, of: (offset: number) => number[]): number[] =>
    Array.from({ length: values.length / size }, (_, k) => of(size * k)).flat();
  return {
    ...scene,
    nodes: {
      names: [name, ...nodes.names],
      parents: Int32Array.of(-1, ...nodes.parents.map((parent) => parent + 1)),
      translations: Float64Array.of(0, 0, 0, ...map(nodes.translations, 3, (o) => place(o / 3, nodes.translations, o))),
      rotations: Float64Array.of(...turn, ...map(nodes.rotations, 4, (o) => rotate(o / 4, nodes.rotations, o))),
      scales: Float64Array.of(scale, scale, scale, ...new Float64Array(3 * count).fill(1)),
    },
    shapes: scene.shapes.map((shape) => ({
      ...shape,
      node: shape.node + 1,
      ...(shape.skin
        ? {
            skin: {
              ...shape.skin,
              joints: shape.skin.joints.map((joint) => joint + 1),
              // a joint is as large as its parent: its world matrix has the scale
              inverseBinds: shape.skin.inverseBinds.map((x, c) => (c % 4 === 3 ? x : x / scale)),
            },
          }
        : {}),
    })),
    animations: scene.animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.map((track) => ({
        ...track,
        node: track.node + 1,
        values: Float32Array.from(
          track.path === 'rotation'
            ? map(track.values, 4, (o) => rotate(track.node, track.values, o))
            : map(track.values, 3, (o) => place(track.node, track.values, o)),
        ),
      })),
    })),
  };
}

/** The scene with other axes of its joints: each is turned, and what is below it is turned back. */
export function turnAxes(scene: Scene): Scene {
  const { nodes } = scene;
  const own = nodes.names.map((_, n) => {
    const q = new Float64Array(4);
    quaternionFromAxisAngle([1, n, 0.5], 1 + n, q);
    return q;
  });
  const parentTurn = (n: number): ArrayLike<number> => own[nodes.parents[n]] ?? [0, 0, 0, 1];
  const inverse = (q: ArrayLike<number>): number[] => [-q[0], -q[1], -q[2], q[3]];
  const rotate = (n: number, q: ArrayLike<number>): number[] => {
    const out = [0, 0, 0, 0];
    multiplyQuaternions(inverse(parentTurn(n)), q, out);
    multiplyQuaternions(out.slice(), own[n], out);
    return out;
  };
  const place = (n: number, p: ArrayLike<number>): number[] => {
    const m = new Float64Array(16);
    compose(p, [0, 0, 0, 1], [1, 1, 1], m);
    const turn = new Float64Array(16);
    compose([0, 0, 0], inverse(parentTurn(n)), [1, 1, 1], turn);
    multiply(turn, m, m);
    return [...m.subarray(12, 15)];
  };
  const of = (values: Float64Array | Float32Array, size: number, n: number): Float64Array =>
    Float64Array.from(values.subarray(size * n, size * n + size));
  return {
    ...withoutMesh(scene),
    nodes: {
      ...nodes,
      translations: Float64Array.from(nodes.names.flatMap((_, n) => place(n, of(nodes.translations, 3, n)))),
      rotations: Float64Array.from(nodes.names.flatMap((_, n) => rotate(n, of(nodes.rotations, 4, n)))),
    },
    animations: scene.animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.map((track) => ({
        ...track,
        values: Float32Array.from(
          [...track.times.keys()].flatMap((k) =>
            track.path === 'rotation'
              ? rotate(track.node, of(track.values, 4, k))
              : place(track.node, of(track.values, 3, k)),
          ),
        ),
      })),
    })),
  };
}

/** A GLB of a scene; lists that are empty are left out. */
export function glbOf(scene: Scene): Uint8Array<ArrayBuffer> {
  const { json, resources } = makeGltfSource(scene);
  if (resources['@glb.bin'].length === 0) delete json.buffers;
  const filled = Object.fromEntries(
    Object.entries(json).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  );
  return packGlb(filled, resources['@glb.bin']);
}
