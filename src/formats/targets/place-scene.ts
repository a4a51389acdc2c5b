// SPDX-License-Identifier: MIT

import { multiply, transformDirections } from '../../core/math/mat4.ts';
import { conjugateQuaternion, multiplyQuaternions, normalizeQuaternion } from '../../core/math/quaternion.ts';
import type { UpAxis } from '../../core/model/asset.ts';
import type { Track } from '../../core/model/clip/animation.ts';
import type { Scene, SceneShape } from '../gltf/index.ts';
import { isPlain, SAME_ROOT } from './nodes/fold-ancestors.ts';
import { matrixOf, moveNodesBy, moveShapeBy, type Similarity } from './nodes/similarity.ts';

/** Up axis and unit of the numbers of a scene. */
export interface ScenePlace {
  up: UpAxis;
  metresPerUnit: number;
}

/** Quarter turns that turn an up axis to y. */
const TURNS: Readonly<Record<UpAxis, readonly number[]>> = {
  x: [0, 0, Math.SQRT1_2, Math.SQRT1_2],
  y: [0, 0, 0, 1],
  z: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
};

/**
 * Converts the numbers of a scene to another up axis and another unit. Nodes without a parent are turned and all lengths are scaled: no node is added, no node
 * gets a scale, and a root bone without a transform stays unrotated.
 */
export function placeScene(scene: Scene, from: ScenePlace, to: ScenePlace): Scene {
  const turned = from.up === to.up ? scene : turnScene(scene, turnBetween(from.up, to.up));
  const factor = from.metresPerUnit / to.metresPerUnit;
  return factor === 1 ? turned : scaleScene(turned, factor);
}

/** From an up axis to y, and from there to another. */
function turnBetween(from: UpAxis, to: UpAxis): number[] {
  const [x, y, z, w] = TURNS[to];
  const turn = [0, 0, 0, 1];
  multiplyQuaternions([-x, -y, -z, w], TURNS[from], turn);
  return turn;
}

function turnScene(scene: Scene, rotation: readonly number[]): Scene {
  const turn: Similarity = { translation: [0, 0, 0], rotation, scale: 1 };
  const kept = listPlainRoots(scene);
  const moves = new Map<number, Similarity>();
  scene.nodes.parents.forEach((parent, n) => {
    if (parent < 0 || kept.has(parent)) moves.set(n, turn);
  });
  const moved = turnBack(moveNodesBy(scene, moves), kept, turn);
  return { ...moved, shapes: moved.shapes.map((shape) => (shape.skin ? turnSkinned(shape, turn, kept) : shape)) };
}

/** Roots without a transform that only carry other nodes, such as a root bone, and such nodes below them: they keep their axes, and what is below them is turned. */
function listPlainRoots(scene: Scene): Set<number> {
  const { nodes, shapes, cameras = [], lights = [] } = scene;
  const drawing = shapes.filter(({ skin }) => !skin);
  const busy = new Set([...drawing, ...cameras, ...lights].map(({ node }) => node));
  const kept = new Set<number>();
  nodes.parents.forEach((parent, n) => {
    if ((parent < 0 || kept.has(parent)) && !busy.has(n) && isPlain(scene, n, SAME_ROOT)) kept.add(n);
  });
  return kept;
}

/** Takes the turn away from the axes of roots, behind their transforms. */
function turnBack(scene: Scene, kept: ReadonlySet<number>, turn: Similarity): Scene {
  const back = [0, 0, 0, 1];
  conjugateQuaternion(turn.rotation, back);
  const rotations = scene.nodes.rotations.slice();
  for (const n of kept) {
    multiplyQuaternions(rotations, back, rotations, 4 * n, 0, 4 * n);
    normalizeQuaternion(rotations, rotations, 4 * n, 4 * n);
  }
  return {
    ...scene,
    nodes: { ...scene.nodes, rotations },
    animations: scene.animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.map((track) => (kept.has(track.node) ? turnTrackBack(track, back, turn) : track)),
    })),
  };
}

function turnTrackBack(track: Track, back: readonly number[], turn: Similarity): Track {
  const values = track.values.slice();
  if (track.path === 'rotation')
    for (let o = 0; o < values.length; o += 4) multiplyQuaternions(values, back, values, o, 0, o);
  // a quarter turn exchanges axes, and a scale has no sign to change
  if (track.path === 'scale') {
    const axes = matrixOf(turn).map((x) => Math.round(Math.abs(x)));
    transformDirections(axes, track.values, values);
  }
  return { ...track, values };
}

function turnSkinned(shape: SceneShape, turn: Similarity, kept: ReadonlySet<number>): SceneShape {
  const turned = moveShapeBy(shape, turn);
  const { skin } = turned;
  if (!skin?.joints.some((joint) => kept.has(joint))) return turned;
  const matrix = matrixOf(turn);
  const inverseBinds = skin.inverseBinds.slice();
  skin.joints.forEach((joint, j) => {
    if (kept.has(joint)) multiply(matrix, inverseBinds, inverseBinds, 0, 16 * j, 16 * j);
  });
  return { ...turned, skin: { ...skin, inverseBinds } };
}

function scaleScene(scene: Scene, factor: number): Scene {
  const { nodes, shapes, animations, cameras, lights } = scene;
  return {
    ...scene,
    nodes: { ...nodes, translations: nodes.translations.map((x) => x * factor) },
    shapes: shapes.map((shape) => scaleShape(shape, factor)),
    animations: animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.map((track) =>
        track.path === 'translation' ? { ...track, values: track.values.map((x) => x * factor) } : track,
      ),
    })),
    ...(cameras ? { cameras: cameras.map((camera) => scaleCamera(camera, factor)) } : {}),
    ...(lights
      ? {
          lights: lights.map((light) =>
            light.range === undefined ? light : { ...light, range: light.range * factor },
          ),
        }
      : {}),
  };
}

function scaleShape(shape: SceneShape, factor: number): SceneShape {
  const scaled = moveShapeBy(shape, { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: factor });
  return scaled.skin
    ? { ...scaled, skin: { ...scaled.skin, inverseBinds: scaleRows(scaled.skin.inverseBinds, factor) } }
    : scaled;
}

/** Scale x matrix, for each of the matrices. */
function scaleRows(matrices: Float64Array, factor: number): Float64Array {
  return matrices.map((x, c) => (c % 4 === 3 ? x : x * factor));
}

type Camera = NonNullable<Scene['cameras']>[number];

function scaleCamera(camera: Camera, factor: number): Camera {
  const near = camera.near * factor;
  const far = camera.far === undefined ? {} : { far: camera.far * factor };
  return camera.kind === 'orthographic'
    ? { ...camera, near, ...far, width: camera.width * factor, height: camera.height * factor }
    : { ...camera, near, ...far };
}
