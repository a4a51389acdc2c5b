// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { makeSkin, type Skin } from '../model/skin.ts';
import { fail, label } from './gltf-fields.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import type { GltfAccessors } from './make-gltf-accessors.ts';

/** Weights off by more than this from a sum of one are worth a note; less is rounding of 8-bit weights. */
const NOTED_WEIGHT_ERROR = 1e-2;

/** Total weight by joint over the pieces of a skin, and how far its vertices reach. A vertex without weight counts for joint 0. */
export function weighGltfJoints(
  json: GLTF.IGLTF,
  pieces: GltfPiece[],
  skin: number,
  jointCount: number,
  accessors: GltfAccessors,
): { weights: Float64Array; radius: number } {
  const totals = new Float64Array(jointCount);
  let radius = 0;
  for (const piece of pieces) {
    if (piece.skin !== skin) continue;
    const { attributes } = json.meshes![piece.mesh].primitives[piece.primitive];
    const positions = accessors.floats(attributes.POSITION);
    for (let c = 0; c < positions.length; c += 3) {
      const r = Math.hypot(positions[c], positions[c + 1], positions[c + 2]);
      if (r > radius) radius = r;
    }
    const sums = new Float64Array(piece.vertexCount);
    for (let set = 0; set < piece.influenceSets; set++) {
      const joints = accessors.integers(attributes[`JOINTS_${set}`]);
      const weights = accessors.floats(attributes[`WEIGHTS_${set}`]);
      for (let c = 0; c < weights.length; c++) {
        if (!Number.isFinite(weights[c]))
          fail('value', `${nameOf(json, piece, c >> 2)} has a weight that is not finite`);
        if (!(weights[c] > 0)) continue;
        if (joints[c] >= jointCount)
          fail(
            'index',
            `${nameOf(json, piece, c >> 2)} follows joint ${joints[c]}, but the skin has ${jointCount} joints`,
          );
        totals[joints[c]] += weights[c];
        sums[c >> 2] += weights[c];
      }
    }
    for (let i = 0; i < sums.length; i++) if (sums[i] === 0) totals[0]++;
  }
  return { weights: totals, radius };
}

function nameOf(json: GLTF.IGLTF, piece: GltfPiece, i: number): string {
  return `vertex ${i} of mesh ${label(json.meshes![piece.mesh].name, piece.mesh)}`;
}

/** Joins the weights of all pieces into rows of one width; rigid pieces weigh one on their bone. */
export function readGltfWeights(
  json: GLTF.IGLTF,
  pieces: GltfPiece[],
  accessors: GltfAccessors,
  log: ((message: string) => void) | undefined,
  boneOf: (piece: number, joint: number) => number,
): Skin {
  const last = pieces[pieces.length - 1];
  const vertexCount = last.vertexStart + last.vertexCount;
  const width = Math.max(1, ...pieces.map((piece) => piece.influenceSets * 4));
  const boneIndices = new Uint32Array(vertexCount * width);
  const values = new Float32Array(vertexCount * width);
  let scaled = 0;
  let unbound = 0;
  pieces.forEach((piece, p) => {
    const { attributes } = json.meshes![piece.mesh].primitives[piece.primitive];
    if (piece.influenceSets === 0) {
      const bone = boneOf(p, 0);
      for (let i = 0; i < piece.vertexCount; i++) {
        boneIndices[(piece.vertexStart + i) * width] = bone;
        values[(piece.vertexStart + i) * width] = 1;
      }
      return;
    }
    const sums = new Float64Array(piece.vertexCount);
    for (let set = 0; set < piece.influenceSets; set++) {
      const joints = accessors.integers(attributes[`JOINTS_${set}`]);
      const weights = accessors.floats(attributes[`WEIGHTS_${set}`]);
      for (let c = 0; c < weights.length; c++) {
        if (!(weights[c] > 0)) continue;
        const i = c >> 2;
        const to = (piece.vertexStart + i) * width + set * 4 + (c & 3);
        boneIndices[to] = boneOf(p, joints[c]);
        values[to] = weights[c];
        sums[i] += weights[c];
      }
    }
    for (let i = 0; i < sums.length; i++) {
      if (sums[i] === 0) {
        unbound++;
        boneIndices[(piece.vertexStart + i) * width] = boneOf(p, 0);
        values[(piece.vertexStart + i) * width] = 1;
      } else if (Math.abs(sums[i] - 1) > NOTED_WEIGHT_ERROR) scaled++;
    }
  });
  if (unbound > 0)
    log?.(`${unbound} ${unbound === 1 ? 'vertex' : 'vertices'} without weights went to the first joint of the skin`);
  if (scaled > 0)
    log?.(`the weights of ${scaled} ${scaled === 1 ? 'vertex' : 'vertices'} did not sum to one and were scaled`);
  return makeSkin(boneIndices, values, width);
}
