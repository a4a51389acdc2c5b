// SPDX-License-Identifier: MIT
// OSSIFY_direct_delta_mush in a document: added by writers, read for the bones of a rig.
import type { Document } from '@gltf-transform/core';
import { joinArrays } from '../../../core/math/join-arrays.ts';
import { IDENTITY } from '../../../core/math/mat4.ts';
import type { DirectDeltaMush, MultiWeights } from '../../../core/model/deformed/direct-delta-mush.ts';
import {
  DDM_EXTENSION,
  DDM_FIELDS,
  DDM_LAYOUT,
  ddmExtensionVersionOf,
  decodeDirectDeltaMush,
  findMove,
  makePointWeights,
  packDdm,
  placeMultiWeights,
} from '../../../deformers/direct-delta-mush/index.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { joinRowStarts } from '../../../deformers/two-layer/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';
import type { BoundPrimitive } from '../write/skins/rebind-gltf-skins.ts';
import { addPackedArrays, makeArraysExtension } from './gltf-arrays-extension.ts';

export const GltfDdmExtension = makeArraysExtension(DDM_EXTENSION, 'DirectDeltaMush', DDM_FIELDS);

/** Adds the multi-weights of a model to primitives that follow its bones, as OSSIFY_direct_delta_mush. Changed in place. */
export function addGltfDdm(
  document: Document,
  bound: readonly BoundPrimitive[],
  model: DirectDeltaMush,
  quantize: boolean,
): void {
  const extension = document.createExtension(GltfDdmExtension);
  const { variant, settings, multiWeights } = model;
  for (const { primitive, vertexStart, vertexCount, restMatrix, jointOf } of bound) {
    const packed = packDdm(multiWeights, vertexStart, vertexCount, jointOf, { quantize, variant });
    const property = extension.createArrays().setFacts({
      version: ddmExtensionVersionOf(variant),
      variant,
      settings: { ...settings },
      ...bindMatrixFact(restMatrix),
    });
    for (const [name, accessor] of addPackedArrays(document, packed, DDM_LAYOUT)) property.setAccessor(name, accessor);
    primitive.setExtension(DDM_EXTENSION, property);
  }
}

/** The field bindMatrix, which is omitted if it is the identity. */
export function bindMatrixFact(restMatrix: Float64Array): { bindMatrix?: number[] } {
  return restMatrix.every((x, c) => x === IDENTITY[c]) ? {} : { bindMatrix: [...restMatrix] };
}

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
