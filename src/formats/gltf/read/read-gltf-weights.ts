// SPDX-License-Identifier: MIT

import type { Remark } from '../../../core/model/remark.ts';
import { type Skin, SkinBuilder } from '../../../core/model/skin/skin.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { attributeOf } from '../document/gltf-graph.ts';
import { type GltfPiece, vertexCountOfPieces } from '../document/pieces/list-gltf-pieces.ts';
import { findNotFinite, floatsOf, integersOf } from '../document/read-accessor.ts';

/** Tolerance on the sum of weights; smaller differences are rounding of 8-bit weights. */
const NOTED_WEIGHT_ERROR = 1e-2;

/** Total weight by joint over the pieces of one skin, and the maximum distance of its vertices. A vertex without weight counts for joint 0. */
export function weighGltfJoints(
  pieces: readonly GltfPiece[],
  jointCount: number,
): { weights: Float64Array; radius: number } {
  const totals = new Float64Array(jointCount);
  let squared = 0;
  for (const piece of pieces) {
    const p = floatsOf(attributeOf(piece.primitive, 'POSITION'));
    for (let c = 0; c < p.length; c += 3)
      squared = Math.max(squared, p[c] * p[c] + p[c + 1] * p[c + 1] + p[c + 2] * p[c + 2]);
    const isBound = new Uint8Array(piece.vertexCount);
    for (let set = 0; set < piece.influenceSets; set++) {
      const { joints, weights } = influencesOf(piece, set);
      for (let c = 0; c < weights.length; c++) {
        if (!(weights[c] > 0)) {
          if (weights[c] !== 0 && !Number.isFinite(weights[c])) checkWeights(weights, piece);
          continue;
        }
        const joint = joints[c];
        if (joint >= jointCount)
          fail(
            'index',
            `vertex ${c >> 2} of mesh ${piece.label} follows joint ${joint}, but the skin has ${jointCount} joints`,
          );
        totals[joint] += weights[c];
        isBound[c >> 2] = 1;
      }
    }
    for (let i = isBound.indexOf(0); i >= 0; i = isBound.indexOf(0, i + 1)) totals[0]++;
  }
  if (!totals.every(Number.isFinite))
    for (const piece of pieces)
      for (let set = 0; set < piece.influenceSets; set++) checkWeights(influencesOf(piece, set).weights, piece);
  return { weights: totals, radius: Math.sqrt(squared) };
}

function checkWeights(weights: Float32Array, { label }: GltfPiece): void {
  const wrong = findNotFinite(weights);
  if (wrong >= 0) fail('value', `vertex ${wrong >> 2} of mesh ${label} has a weight that is not finite`);
}

function influencesOf({ primitive }: GltfPiece, set: number) {
  return {
    joints: integersOf(attributeOf(primitive, `JOINTS_${set}`)),
    weights: floatsOf(attributeOf(primitive, `WEIGHTS_${set}`)),
  };
}

/**
 * Joins the weights of all pieces into one skin; rigid pieces have weight one for their bone.
 * @param jointBones by piece: the bone of each joint of its skin
 */
export function readGltfWeights(pieces: readonly GltfPiece[], jointBones: readonly Uint32Array[], log?: Remark): Skin {
  const entryCount = pieces.reduce(
    (sum, { vertexCount, influenceSets }) => sum + vertexCount * Math.max(1, 4 * influenceSets),
    0,
  );
  const builder = new SkinBuilder(vertexCountOfPieces(pieces), entryCount);
  let scaled = 0;
  let unbound = 0;
  pieces.forEach((piece, p) => {
    const bones = jointBones[p];
    const sets = Array.from({ length: piece.influenceSets }, (_, set) => influencesOf(piece, set));
    for (let i = 0; i < piece.vertexCount; i++) {
      for (let set = 0; set < sets.length; set++) {
        const { joints, weights } = sets[set];
        for (let c = 4 * i; c < 4 * i + 4; c++) if (weights[c] > 0) builder.add(bones[joints[c]], weights[c]);
      }
      const sum = builder.endRow(bones[0]);
      if (sum === 0) unbound++;
      else if (Math.abs(sum - 1) > NOTED_WEIGHT_ERROR) scaled++;
    }
    if (sets.length === 0) unbound -= piece.vertexCount;
  });
  if (unbound > 0)
    log?.(
      `${unbound} ${unbound === 1 ? 'vertex' : 'vertices'} without weights went to the first joint of the skin`,
      'repair',
      { kind: 'unbound', count: unbound, where: '' },
    );
  if (scaled > 0)
    log?.(
      `the weights of ${scaled} ${scaled === 1 ? 'vertex' : 'vertices'} did not sum to one and were scaled`,
      'repair',
      { kind: 'weightSum', count: scaled, where: '' },
    );
  return builder.finish();
}
