// SPDX-License-Identifier: MIT
import { multiplyQuaternions } from '../../../core/math/quaternion.ts';
import type { Track } from '../../../core/model/clip/animation.ts';
import type { Scene } from '../../gltf/index.ts';
import { listBusyNodes } from '../catalog/scene-facts.ts';
import { absorbScales } from './absorb-scales.ts';

/** A turn and a size, about the origin. */
export interface RootTransform {
  /** x y z w */
  rotation?: readonly number[];
  /** Factor on all lengths. */
  scale?: number;
}

/** A scene that is turned and scaled as a whole, in all animations. Nodes that only draw a skinned mesh stay: joints carry it. */
export function transformRoots(scene: Scene, { rotation = [0, 0, 0, 1], scale = 1 }: RootTransform): Scene {
  const { nodes } = scene;
  const busy = listBusyNodes(scene);
  const skinned = new Set(scene.shapes.flatMap(({ node, skin }) => (skin && !busy.has(node) ? [node] : [])));
  const isMoved = (n: number): boolean => nodes.parents[n] < 0 && !skinned.has(n);
  const translations = nodes.translations.slice();
  const rotations = nodes.rotations.slice();
  const scales = nodes.scales.slice();
  for (let n = 0; n < nodes.parents.length; n++) {
    if (!isMoved(n)) continue;
    turnVector(rotation, scale, translations, 3 * n);
    multiplyQuaternions(rotation, rotations, rotations, 0, 4 * n, 4 * n);
    // rounding must not leave the range of a unit quaternion
    for (let c = 4 * n; c < 4 * n + 4; c++) rotations[c] = Math.max(-1, Math.min(1, rotations[c]));
    for (let c = 3 * n; c < 3 * n + 3; c++) scales[c] *= scale;
  }
  const moved: Scene = {
    ...scene,
    nodes: { ...nodes, translations, rotations, scales },
    animations: scene.animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.map((track) => (isMoved(track.node) ? moveTrack(track, rotation, scale) : track)),
    })),
  };
  return scale === 1 ? moved : absorbScales(moved, isMoved);
}

function moveTrack(track: Track, rotation: readonly number[], scale: number): Track {
  const values = track.values.slice();
  if (track.path === 'translation') for (let o = 0; o < values.length; o += 3) turnVector(rotation, scale, values, o);
  else if (track.path === 'rotation')
    for (let o = 0; o < values.length; o += 4) multiplyQuaternions(rotation, values, values, 0, o, o);
  else if (track.path === 'scale') for (let c = 0; c < values.length; c++) values[c] *= scale;
  return { ...track, values };
}

/** Turns and scales a vector in place. */
function turnVector(q: readonly number[], scale: number, v: Float64Array | Float32Array, o: number): void {
  const [x, y, z, w] = q;
  const [a, b, c] = [v[o], v[o + 1], v[o + 2]];
  // twice the cross product of the axis and the vector
  const [s, t, u] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  v[o] = scale * (a + w * s + y * u - z * t);
  v[o + 1] = scale * (b + w * t + z * s - x * u);
  v[o + 2] = scale * (c + w * u + x * t - y * s);
}
