// SPDX-License-Identifier: MIT
// Rotation, uniform scale and translation: what can be moved between a node, its keys and the mesh below it without changing what is drawn.
import { compose, invertAffine, multiply, transformDirections, transformPoints } from '../../../core/math/mat4.ts';
import { multiplyQuaternions } from '../../../core/math/quaternion.ts';
import type { Track } from '../../../core/model/clip/animation.ts';
import type { Scene, SceneShape } from '../../gltf/index.ts';

/** A uniform scale, then a rotation, then a translation. */
export interface Similarity {
  translation: readonly number[];
  /** x y z w */
  rotation: readonly number[];
  scale: number;
}

/** The scene with similarities in front of the transforms of nodes, at rest and in every key: local' = similarity x local. */
export function moveNodesBy(scene: Scene, moves: ReadonlyMap<number, Similarity>): Scene {
  const { nodes, animations } = scene;
  const translations = nodes.translations.slice();
  const rotations = nodes.rotations.slice();
  const scales = nodes.scales.slice();
  for (const [n, move] of moves) {
    transformPoints(matrixOf(move), translations, translations, 3 * n, 3 * n, 1);
    multiplyQuaternions(move.rotation, rotations, rotations, 0, 4 * n, 4 * n);
    for (let c = 0; c < 3; c++) scales[3 * n + c] *= move.scale;
  }
  return {
    ...scene,
    nodes: { ...nodes, translations, rotations, scales },
    animations: animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.map((track) => {
        const move = moves.get(track.node);
        return move ? moveTrackBy(track, move) : track;
      }),
    })),
  };
}

function moveTrackBy(track: Track, move: Similarity): Track {
  const values = track.values.slice();
  const { path, interpolation } = track;
  if (path === 'scale') for (let c = 0; c < values.length; c++) values[c] *= move.scale;
  if (path === 'rotation')
    for (let o = 0; o < values.length; o += 4) multiplyQuaternions(move.rotation, values, values, 0, o, o);
  if (path === 'translation') {
    const matrix = matrixOf(move);
    // tangents are directions
    for (let o = 0; o < values.length; o += 3)
      if (interpolation === 'CUBICSPLINE' && (o / 3) % 3 !== 1) transformDirections(matrix, values, values, o, o, 1);
      else transformPoints(matrix, values, values, o, o, 1);
  }
  return { ...track, values };
}

/** The shape with its vertices moved: M x vertex. A skin is bound anew, such that it is drawn where it was. */
export function moveShapeBy(shape: SceneShape, move: Similarity): SceneShape {
  const matrix = matrixOf(move);
  const turn = matrixOf({ ...move, translation: [0, 0, 0], scale: 1 });
  const { mesh, targets, skin } = shape;
  const positions = new Float32Array(mesh.positions.length);
  transformPoints(matrix, mesh.positions, positions);
  return {
    ...shape,
    mesh: {
      ...mesh,
      positions,
      ...(mesh.normals ? { normals: turnAll(turn, mesh.normals) } : {}),
      attributes: mesh.attributes.map((attribute) =>
        attribute.name === 'TANGENT' ? { ...attribute, values: turnTangents(turn, attribute.values) } : attribute,
      ),
    },
    targets: targets.map((target) => ({
      ...target,
      positions: turnAll(matrix, target.positions),
      ...(target.normals ? { normals: turnAll(turn, target.normals) } : {}),
    })),
    ...(skin ? { skin: { ...skin, inverseBinds: timesInverse(skin.inverseBinds, matrix) } } : {}),
  };
}

/** The matrix of a similarity: 16, column-major */
export function matrixOf({ translation, rotation, scale }: Similarity): Float64Array {
  const matrix = new Float64Array(16);
  compose(translation, rotation, [scale, scale, scale], matrix);
  return matrix;
}

function turnAll(matrix: Float64Array, directions: Float32Array): Float32Array {
  const out = new Float32Array(directions.length);
  transformDirections(matrix, directions, out);
  return out;
}

/** Tangents have a sign as their fourth number. */
function turnTangents(turn: Float64Array, tangents: Float32Array): Float32Array {
  const out = tangents.slice();
  for (let o = 0; o + 3 < out.length; o += 4) transformDirections(turn, tangents, out, o, o, 1);
  return out;
}

function timesInverse(matrices: Float64Array, matrix: Float64Array): Float64Array {
  const inverse = new Float64Array(16);
  const out = new Float64Array(matrices.length);
  if (!invertAffine(matrix, inverse)) return matrices;
  for (let o = 0; o < out.length; o += 16) multiply(matrices, inverse, out, o, 0, o);
  return out;
}
