// SPDX-License-Identifier: MIT
import { compose, IDENTITY, invertAffine, multiply, transformDirections, transformPoints } from '../../math/mat4.ts';
import type { Asset, UpAxis } from '../asset.ts';
import type { Clip } from '../clip/clip.ts';
import type { Motion } from '../clip/motion.ts';
import type { NodeTree } from '../skin/node-tree.ts';
import type { Mesh } from './mesh.ts';

/** Rotations that turn an up axis to y, as quaternions: a quarter turn about x or about z. */
const TURNS: Readonly<Record<UpAxis, readonly number[]>> = {
  x: [0, 0, Math.SQRT1_2, Math.SQRT1_2],
  y: [0, 0, 0, 1],
  z: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
};

/**
 * Converts an asset to metres with y up, as glTF stores it. Numbers of the mesh, its clips, morph targets and bones are converted; the
 * nodes get a common parent, named 'axes', so that their keys stay unchanged. An asset without a unit keeps its numbers. Models of the
 * OSSIFY extensions are not converted: only glTF files have them, and these are in metres with y up.
 */
export function normalizeAxes(asset: Asset): Asset {
  const { up, metresPerUnit: scale = 1 } = asset;
  if (up === 'y' && scale === 1) return asset;
  const placed = placeAsset(asset, TURNS[up], scale);
  return { ...placed, up: 'y', ...(asset.metresPerUnit === undefined ? {} : { metresPerUnit: 1 }) };
}

/** The inverse: an asset in metres with y up, such as a file that was read back, in the unit and with the up axis of another. */
export function restoreAxes(asset: Asset, { up, metresPerUnit }: Pick<Asset, 'up' | 'metresPerUnit'>): Asset {
  const [x, y, z, w] = TURNS[up];
  const scale = 1 / (metresPerUnit ?? 1);
  const isSame = up === 'y' && scale === 1;
  return { ...(isSame ? asset : placeAsset(asset, [-x, -y, -z, w], scale)), up, metresPerUnit };
}

/** An asset turned and scaled about the origin, below a new first node. */
function placeAsset(asset: Asset, turn: readonly number[], scale: number): Asset {
  const matrix = new Float64Array(16);
  compose([0, 0, 0], turn, [scale, scale, scale], matrix);
  // quarter turns are exact
  for (let c = 0; c < 12; c++) matrix[c] = scale * Math.round(matrix[c] / scale);
  const mesh = turnMesh(asset.mesh, matrix, turn);
  const { rig, morphs } = asset;
  const hasNodes = asset.nodes.names.length > 0;
  return {
    ...asset,
    mesh,
    nodes: hasNodes ? addRoot(asset.nodes, turn, scale) : asset.nodes,
    ...(rig && {
      rig: {
        ...rig,
        skeleton: { ...rig.skeleton, bindMatrices: multiplyAll(matrix, rig.skeleton.bindMatrices) },
        nodeOfBone: rig.nodeOfBone.map((node) => node + 1),
      },
    }),
    ...(morphs && {
      morphs: {
        targets: morphs.targets.map((target) => ({
          ...target,
          node: target.node + 1,
          positions: turnDirections(matrix, target.positions),
          ...(target.normals && { normals: turnDirections(turnOf(turn), target.normals) }),
        })),
        restWeights: morphs.restWeights.map(({ node, weights }) => ({ node: node + 1, weights })),
      },
    }),
    animations: asset.animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.map((track) => ({ ...track, node: track.node + 1 })),
      ...(animation.motion && { motion: turnMotion(animation.motion, matrix) }),
    })),
    clips: asset.clips.map((clip): Clip => ({ ...clip, mesh, positions: turnPoints(matrix, clip.positions) })),
  };
}

function turnMesh(mesh: Mesh, matrix: Float64Array, turn: readonly number[]): Mesh {
  const rotation = turnOf(turn);
  return {
    ...mesh,
    positions: turnPoints(matrix, mesh.positions),
    ...(mesh.normals && { normals: turnDirections(rotation, mesh.normals) }),
    attributes: mesh.attributes.map((attribute) =>
      attribute.name === 'TANGENT' ? { ...attribute, values: turnTangents(rotation, attribute.values) } : attribute,
    ),
  };
}

/** A rotation by a quarter turn or none, exact. */
function turnOf(turn: readonly number[]): Float64Array {
  const rotation = new Float64Array(16);
  compose([0, 0, 0], turn, [1, 1, 1], rotation);
  return rotation.map(Math.round);
}

function turnPoints(matrix: Float64Array, points: Float32Array): Float32Array {
  const out = new Float32Array(points.length);
  transformPoints(matrix, points, out);
  return out;
}

function turnDirections(matrix: Float64Array, directions: Float32Array): Float32Array {
  const out = new Float32Array(directions.length);
  transformDirections(matrix, directions, out);
  return out;
}

/** Tangents have a sign as their fourth number. */
function turnTangents(rotation: Float64Array, tangents: Float32Array): Float32Array {
  const out = tangents.slice();
  for (let o = 0; o + 3 < out.length; o += 4) out.set(turnDirections(rotation, tangents.subarray(o, o + 3)), o);
  return out;
}

function multiplyAll(matrix: Float64Array, matrices: Float64Array): Float64Array {
  const out = new Float64Array(matrices.length);
  for (let o = 0; o < out.length; o += 16) multiply(matrix, matrices, out, 0, o, o);
  return out;
}

/** Rest-to-posed matrices in the new space: M P inverse(M). */
function turnMotion(motion: Motion, matrix: Float64Array): Motion {
  const inverse = Float64Array.from(IDENTITY);
  invertAffine(matrix, inverse);
  const matrices = multiplyAll(matrix, motion.matrices);
  for (let o = 0; o < matrices.length; o += 16) multiply(matrices, inverse, matrices, o, 0, o);
  return { ...motion, matrices };
}

/** The tree under a new first node. */
function addRoot(nodes: NodeTree, turn: readonly number[], scale: number): NodeTree {
  return {
    ...nodes,
    names: ['axes', ...nodes.names],
    parents: Int32Array.from([-1, ...Array.from(nodes.parents, (parent) => parent + 1)]),
    translations: Float64Array.from([0, 0, 0, ...nodes.translations]),
    rotations: Float64Array.from([...turn, ...nodes.rotations]),
    scales: Float64Array.from([scale, scale, scale, ...nodes.scales]),
  };
}
