// SPDX-License-Identifier: MIT
import { decodeDirectDeltaMush } from '../extension/decode-direct-delta-mush.ts';
import { joinRowStarts } from '../extension/join-row-starts.ts';
import { fail } from '../extension/json-fields.ts';
import { makePointWeights } from '../extension/make-point-weights.ts';
import { DDM_EXTENSION } from '../extension/pack-direct-delta-mush.ts';
import { findMove, placeMultiWeights } from '../extension/place-multi-weights.ts';
import { joinArrays } from '../math/join-arrays.ts';
import type { DirectDeltaMush, MultiWeights } from '../model/direct-delta-mush.ts';
import { decodeGltfPieces, type RiggedPieces } from './decode-gltf-pieces.ts';

/**
 * Reads OSSIFY_direct_delta_mush of all pieces into one model on the asset's mesh and skeleton. Pieces without the extension keep their plain
 * skin, as patches that are points.
 */
export function readGltfDdm(rigged: RiggedPieces): DirectDeltaMush | undefined {
  const { pieces, restMatrices, rig, jointBones, mesh, budget } = rigged;
  const decoded = decodeGltfPieces(rigged, DDM_EXTENSION, (source, p) => {
    const own = decodeDirectDeltaMush(source);
    placeMultiWeights(own.multiWeights, jointBones[p], findMove(own.bindMatrix, restMatrices[p]));
    return own;
  });
  if (decoded.size === 0) return undefined;
  const [{ variant, settings }] = decoded.values();
  for (const one of decoded.values())
    if (one.variant !== variant)
      fail('unsupported', `the primitives have different variants of ${DDM_EXTENSION}; one for all of them is read`);
  const parts = pieces.map(
    (piece, p) => decoded.get(p)?.multiWeights ?? makePointWeights(rig.skin, mesh.positions, piece, budget),
  );
  const multiWeights: MultiWeights = {
    rowStart: joinRowStarts(parts.map(({ rowStart }) => rowStart)),
    boneIndices: joinArrays(parts.map(({ boneIndices }) => boneIndices)),
    omegas: joinArrays(parts.map(({ omegas }) => omegas)),
  };
  return { kind: 'direct-delta-mush', mesh, skeleton: rig.skeleton, multiWeights, variant, settings };
}
