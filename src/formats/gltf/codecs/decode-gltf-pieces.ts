// SPDX-License-Identifier: MIT
import type { Document, Skin as GltfSkin } from '@gltf-transform/core';
import type { AssetRig } from '../../../core/model/asset.ts';
import { FormatError } from '../../../core/model/errors.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import type { DecodeBudget, PrimitiveExtension } from '../../../deformers/layout/index.ts';
import type { GltfPiece } from '../document/pieces/list-gltf-pieces.ts';
import type { GltfArrays } from '../extensions/gltf-arrays-extension.ts';

/** A document with bound pieces: the input of the readers of its extensions. */
export interface RiggedPieces {
  document: Document;
  pieces: readonly GltfPiece[];
  restMatrices: readonly Float64Array[];
  rig: AssetRig;
  /** By piece: the bone of each joint of its skin. */
  jointBones: readonly Uint32Array[];
  /** The pieces joined. */
  mesh: Mesh;
  budget: DecodeBudget;
  log?: (message: string) => void;
}

/**
 * Decodes an extension of every skinned piece that has it, by index of the piece. Unsupported versions are ignored, with a warning: such pieces
 * also have a plain skin.
 * @param needsSkin whether the extension has an effect only on skinned pieces
 */
export function decodeGltfPieces<T>(
  { document, pieces, budget, log }: RiggedPieces,
  name: string,
  decode: (source: PrimitiveExtension, piece: number, property: GltfArrays) => T,
  needsSkin = true,
): Map<number, T> {
  const decoded = new Map<number, T>();
  const notes = new Set<string>();
  const jointCounts = new Map<GltfSkin, number>();
  const accessorCount = document.getRoot().listAccessors().length;
  pieces.forEach(({ primitive, skin, vertexCount, label }, p) => {
    const property = primitive.getExtension<GltfArrays>(name);
    if (!property || (needsSkin && !skin)) return;
    const jointCount = skin ? (jointCounts.get(skin) ?? skin.listJoints().length) : 0;
    if (skin) jointCounts.set(skin, jointCount);
    const where = `${name} of mesh ${label}`;
    try {
      const source = { ...property.toSource(), where, accessorCount, vertexCount, jointCount, budget };
      decoded.set(p, decode(source, p, property));
    } catch (error) {
      if (!(error instanceof FormatError && error.code === 'version')) throw error;
      notes.add(error.fault);
    }
  });
  for (const note of notes) log?.(note);
  return decoded;
}
