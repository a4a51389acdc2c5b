// SPDX-License-Identifier: MIT
import { decodeDirectDeltaMush } from '../extension/decode-direct-delta-mush.ts';
import { fail } from '../extension/json-fields.ts';
import { DDM_EXTENSION } from '../extension/pack-direct-delta-mush.ts';
import { SYM4_SIZE } from '../math/sym4.ts';
import type { DirectDeltaMush, MultiWeights } from '../model/direct-delta-mush.ts';
import { decodeGltfPieces, type RiggedPieces } from './decode-gltf-pieces.ts';
import { joinArrays, joinRowStarts } from './join-rows.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import { findMove, placeMultiWeights } from './place-multi-weights.ts';

/**
 * Reads OSSIFY_direct_delta_mush of all pieces into one model on the asset's mesh and skeleton. Pieces without the extension keep their plain
 * skin, as patches that are points.
 */
export function readGltfDdm(rigged: RiggedPieces): DirectDeltaMush | undefined {
  const { pieces, restMatrices, rig, jointBones, mesh } = rigged;
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
  const parts = pieces.map((piece, p) => decoded.get(p)?.multiWeights ?? makePoints(piece, rigged));
  const multiWeights: MultiWeights = {
    rowStart: joinRowStarts(parts.map(({ rowStart }) => rowStart)),
    boneIndices: joinArrays(parts.map(({ boneIndices }) => boneIndices)),
    omegas: joinArrays(parts.map(({ omegas }) => omegas)),
  };
  return { kind: 'direct-delta-mush', mesh, skeleton: rig.skeleton, multiWeights, variant, settings };
}

/** The plain skin of a piece as multi-weights: every vertex is its own patch. */
function makePoints(
  { vertexStart, vertexCount }: GltfPiece,
  { rig: { skin }, mesh, budget }: RiggedPieces,
): MultiWeights {
  const [from, to] = [skin.rowStart[vertexStart], skin.rowStart[vertexStart + vertexCount]];
  budget((to - from) * 84);
  const rowStart = skin.rowStart.slice(vertexStart, vertexStart + vertexCount + 1).map((start) => start - from);
  const omegas = new Float64Array((to - from) * SYM4_SIZE);
  for (let i = 0; i < vertexCount; i++) {
    const [x, y, z] = mesh.positions.subarray(3 * (vertexStart + i), 3 * (vertexStart + i) + 3);
    const products = [x * x, x * y, x * z, x, y * y, y * z, y, z * z, z, 1];
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
      for (let c = 0; c < SYM4_SIZE; c++) omegas[SYM4_SIZE * e + c] = skin.weights[from + e] * products[c];
  }
  return { rowStart, boneIndices: skin.boneIndices.slice(from, to), omegas };
}
