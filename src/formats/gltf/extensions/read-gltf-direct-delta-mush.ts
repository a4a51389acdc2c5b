// SPDX-License-Identifier: MIT

import { joinArrays } from '../../../core/math/join-arrays.ts';
import type { DirectDeltaMush, MultiWeights } from '../../../core/model/deformed/direct-delta-mush.ts';
import {
  DDM_EXTENSION,
  decodeDirectDeltaMush,
  findMove,
  makePointWeights,
  placeMultiWeights,
} from '../../../deformers/direct-delta-mush/index.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { joinRowStarts } from '../../../deformers/two-layer/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';

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
