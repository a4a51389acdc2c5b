// SPDX-License-Identifier: MIT
import { fail } from '../extension/json-fields.ts';
import { makeSkin, type Skin } from '../model/skin.ts';
import { type GltfPiece, vertexCountOfPieces } from './list-gltf-pieces.ts';
import { floatsOf, integersOf } from './read-accessor.ts';

/** Weights off by more than this from a sum of one are worth a note; less is rounding of 8-bit weights. */
const NOTED_WEIGHT_ERROR = 1e-2;

/** Total weight by joint over the pieces of one skin, and how far its vertices reach. A vertex without weight counts for joint 0. */
export function weighGltfJoints(
  pieces: readonly GltfPiece[],
  jointCount: number,
): { weights: Float64Array; radius: number } {
  const totals = new Float64Array(jointCount);
  let radius = 0;
  for (const piece of pieces) {
    const positions = floatsOf(piece.primitive.getAttribute('POSITION')!);
    for (let c = 0; c < positions.length; c += 3) {
      const r = Math.hypot(positions[c], positions[c + 1], positions[c + 2]);
      if (r > radius) radius = r;
    }
    const sums = new Float64Array(piece.vertexCount);
    for (let set = 0; set < piece.influenceSets; set++) {
      const { joints, weights } = influencesOf(piece, set);
      for (let c = 0; c < weights.length; c++) {
        if (!Number.isFinite(weights[c])) fail('value', `${nameOf(piece, c >> 2)} has a weight that is not finite`);
        if (!(weights[c] > 0)) continue;
        if (joints[c] >= jointCount)
          fail('index', `${nameOf(piece, c >> 2)} follows joint ${joints[c]}, but the skin has ${jointCount} joints`);
        totals[joints[c]] += weights[c];
        sums[c >> 2] += weights[c];
      }
    }
    for (let i = 0; i < sums.length; i++) if (sums[i] === 0) totals[0]++;
  }
  return { weights: totals, radius };
}

function nameOf(piece: GltfPiece, i: number): string {
  return `vertex ${i} of mesh ${piece.label}`;
}

function influencesOf({ primitive }: GltfPiece, set: number) {
  return {
    joints: integersOf(primitive.getAttribute(`JOINTS_${set}`)!),
    weights: floatsOf(primitive.getAttribute(`WEIGHTS_${set}`)!),
  };
}

/** Joins the weights of all pieces into rows of one width; rigid pieces weigh one on their bone. */
export function readGltfWeights(
  pieces: readonly GltfPiece[],
  boneOf: (piece: number, joint: number) => number,
  log?: (message: string) => void,
): Skin {
  const vertexCount = vertexCountOfPieces(pieces);
  const width = pieces.reduce((most, piece) => Math.max(most, piece.influenceSets * 4), 1);
  const boneIndices = new Uint32Array(vertexCount * width);
  const values = new Float32Array(vertexCount * width);
  let scaled = 0;
  let unbound = 0;
  pieces.forEach((piece, p) => {
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
      const { joints, weights } = influencesOf(piece, set);
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
