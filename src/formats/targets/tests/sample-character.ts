// SPDX-License-Identifier: MIT
// A small character whose file has everything that engines stumble over, and a player of scenes that shares no code with the steps.
import { Matrix4, Quaternion, Vector3 } from 'three';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import type { Scene } from '../../gltf/index.ts';

/** Two top bones below a turned "Armature" that is scaled by 100, a chain of bones, five influences, a hat without a skin, two animations. */
export function makeCharacter(): Scene {
  const names = ['Armature', 'hips', 'spine.01', 'head', 'arm', 'prop', 'hat', 'body', 'hips'];
  const parents = Int32Array.of(-1, 0, 1, 2, 2, 0, 3, 0, 4);
  const translations = Float64Array.of(
    0.3,
    0,
    0.1,
    0,
    0.01,
    0,
    0,
    0.004,
    0,
    0,
    0.005,
    0.001,
    0.003,
    0.002,
    0,
    0.02,
    0,
    0,
    0,
    0.002,
    0,
    0,
    0,
    0,
    0.001,
    0.001,
    0,
  );
  const rotations = new Float64Array(4 * names.length);
  names.forEach((_, n) => {
    new Quaternion()
      .setFromAxisAngle(new Vector3(1, n, 0.5).normalize(), n === 0 ? -Math.PI / 2 : 0.2 * n)
      .toArray(rotations, 4 * n);
  });
  const scales = new Float64Array(3 * names.length).fill(1);
  scales.fill(100, 0, 3);
  scales.fill(1.5, 6, 9);
  const joints = [1, 2, 3, 4, 5, 8];
  const positions = Float32Array.from({ length: 36 }, (_, c) => Math.sin(7 * c) * 0.9);
  const triangles = Uint32Array.from({ length: 12 }, (_, c) => c);
  const count = 12;
  const bones = Array.from({ length: count * 5 }, (_, e) => (e + Math.floor(e / 5)) % 6);
  const weights = Array.from({ length: count * 5 }, (_, e) => (e < 20 && e % 5 > 2 ? 0 : 1 + (e % 5)));
  const mesh = { ...makeMesh(positions, triangles, 'body'), normals: positions.map((_, c) => (c % 3 === 1 ? 1 : 0)) };
  const scene: Scene = {
    nodes: { names, parents, translations, rotations, scales },
    shapes: [
      {
        node: 7,
        mesh,
        skin: { joints, inverseBinds: new Float64Array(16 * 6), weights: makeSkin(bones, weights, 5) },
        targets: [{ name: 'smile', positions: positions.map((x) => 0.1 * x), weight: 0.25 }],
      },
      {
        node: 6,
        mesh: makeMesh(
          positions.slice(0, 9).map((x) => 0.001 * x),
          Uint32Array.of(0, 1, 2),
          'hat',
        ),
        targets: [],
      },
    ],
    animations: [makeAnimation('Idle', 0.1), makeAnimation('Run', 0.4)],
    look: { materials: [], images: [] },
  };
  return bindTo(scene, 0.01);
}

function makeAnimation(name: string, size: number): Scene['animations'][number] {
  const times = Float32Array.of(0, 0.5, 1);
  const turn = (n: number, k: number) =>
    new Quaternion().setFromAxisAngle(new Vector3(0.3, 1, n).normalize(), size * (k + n)).toArray();
  const track = (node: number, path: 'translation' | 'rotation' | 'scale', values: number[]) =>
    ({ node, path, interpolation: 'LINEAR', times, values: Float32Array.from(values) }) as const;
  return {
    name,
    duration: 1,
    tracks: [
      track(1, 'translation', [0, 0.01, 0, size * 0.01, 0.011, 0, size * 0.02, 0.01, 0.001]),
      track(
        1,
        'rotation',
        [0, 1, 2].flatMap((k) => turn(1, k)),
      ),
      track(
        3,
        'rotation',
        [0, 1, 2].flatMap((k) => turn(3, k)),
      ),
      track(2, 'scale', [1.5, 1.5, 1.5, 1.6, 1.6, 1.6, 1.5, 1.5, 1.5]),
      track(5, 'translation', [0.02, 0, 0, 0.03, 0, 0.01, 0.02, 0, 0]),
    ],
  };
}

/** Binds the skins such that vertices are drawn where they are, times a scale: some files have meshes in centimetres. */
function bindTo(scene: Scene, scale: number): Scene {
  const worlds = worldsAt(scene);
  const size = new Matrix4().makeScale(scale, scale, scale);
  return {
    ...scene,
    shapes: scene.shapes.map((shape) => {
      if (!shape.skin) return shape;
      const { joints } = shape.skin;
      const inverseBinds = new Float64Array(16 * joints.length);
      joints.forEach((joint, j) => {
        worlds[joint]
          .clone()
          .invert()
          .multiply(size)
          .toArray(inverseBinds as unknown as number[], 16 * j);
      });
      return { ...shape, skin: { ...shape.skin, inverseBinds } };
    }),
  };
}

/** World positions of all shapes, in order, at a time of an animation; at rest without one. Keys are linear. */
export function playScene(scene: Scene, animation?: string, time = 0): number[] {
  const worlds = worldsAt(scene, animation, time);
  return scene.shapes.flatMap(({ node, mesh, skin, targets }) => {
    const out: number[] = [];
    for (let i = 0; i < mesh.positions.length / 3; i++) {
      const rest = new Vector3().fromArray(mesh.positions, 3 * i);
      for (const target of targets)
        rest.addScaledVector(new Vector3().fromArray(target.positions, 3 * i), target.weight);
      if (!skin) out.push(...rest.applyMatrix4(worlds[node]).toArray());
      else {
        const sum = new Vector3();
        for (let e = skin.weights.rowStart[i]; e < skin.weights.rowStart[i + 1]; e++) {
          const j = skin.weights.boneIndices[e];
          const bind = new Matrix4().fromArray(skin.inverseBinds as unknown as number[], 16 * j);
          sum.addScaledVector(
            rest.clone().applyMatrix4(worlds[skin.joints[j]].clone().multiply(bind)),
            skin.weights.weights[e],
          );
        }
        out.push(...sum.toArray());
      }
    }
    return out;
  });
}

function worldsAt({ nodes, animations }: Scene, name?: string, time = 0): Matrix4[] {
  const tracks = animations.find((one) => one.name === name)?.tracks ?? [];
  const worlds: Matrix4[] = [];
  nodes.names.forEach((_, n) => {
    const valuesOf = (path: string, rest: ArrayLike<number>): number[] => {
      const track = tracks.find((one) => one.node === n && one.path === path);
      if (!track) return Array.from(rest);
      const size = path === 'rotation' ? 4 : 3;
      const k = Math.max(
        0,
        track.times.findLastIndex((t) => t <= time),
      );
      const next = Math.min(k + 1, track.times.length - 1);
      const ratio = next === k ? 0 : (time - track.times[k]) / (track.times[next] - track.times[k]);
      const key = (m: number) => Array.from(track.values.subarray(size * m, size * m + size));
      if (path === 'rotation')
        return new Quaternion()
          .fromArray(key(k))
          .slerp(new Quaternion().fromArray(key(next)), ratio)
          .toArray();
      return key(k).map((x, c) => x + ratio * (key(next)[c] - x));
    };
    const local = new Matrix4().compose(
      new Vector3().fromArray(valuesOf('translation', nodes.translations.subarray(3 * n, 3 * n + 3))),
      new Quaternion().fromArray(valuesOf('rotation', nodes.rotations.subarray(4 * n, 4 * n + 4))),
      new Vector3().fromArray(valuesOf('scale', nodes.scales.subarray(3 * n, 3 * n + 3))),
    );
    worlds.push(nodes.parents[n] < 0 ? local : worlds[nodes.parents[n]].clone().multiply(local));
  });
  return worlds;
}

/** Largest difference of two scenes at rest and at times of all animations, relative to the size of the first. */
export function differenceOf(before: Scene, after: Scene, place: (point: number[]) => number[] = (p) => p): number {
  let [largest, size] = [0, 0];
  const compare = (name?: string, time?: number): void => {
    const [a, b] = [playScene(before, name, time), playScene(after, name, time)];
    for (let o = 0; o < a.length; o += 3) {
      const expected = place(a.slice(o, o + 3));
      expected.forEach((x, c) => {
        largest = Math.max(largest, Math.abs(x - b[o + c]));
        size = Math.max(size, Math.abs(x));
      });
    }
  };
  compare();
  for (const { name } of before.animations) for (const time of [0, 0.3, 0.5, 0.9, 1]) compare(name, time);
  return largest / size;
}
