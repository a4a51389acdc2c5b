// SPDX-License-Identifier: MIT
// OSSIFY_skin_blend in a document: added by writers, read for the bones of a rig.
import type { Document, Primitive } from '@gltf-transform/core';
import { joinArrays } from '../../../core/math/join-arrays.ts';
import type { SkinBlend } from '../../../core/model/deformed/skin-blend.ts';
import { type Skin, sliceSkin } from '../../../core/model/skin/skin.ts';
import {
  BLEND_EXTENSION,
  BLEND_EXTENSION_VERSION,
  BLEND_FIELDS,
  decodeSkinBlend,
  packSkinBlend,
} from '../../../deformers/dual-quaternion/index.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { joinRowStarts } from '../../../deformers/two-layer/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';
import { addAccessor } from '../document/add-accessor.ts';
import { makeArraysExtension } from './gltf-arrays-extension.ts';

export const GltfBlendExtension = makeArraysExtension(BLEND_EXTENSION, 'SkinBlend', BLEND_FIELDS);

/** Vertices of a primitive, and the joints of their bones. */
export interface BlendedPrimitive {
  primitive: Primitive;
  vertexStart: number;
  vertexCount: number;
  jointOf: (bone: number) => number;
}

/** Adds a blend to primitives as OSSIFY_skin_blend. Changed in place. */
export function addGltfSkinBlend(document: Document, bound: readonly BlendedPrimitive[], blend: SkinBlend): void {
  const extension = document.createExtension(GltfBlendExtension);
  for (const { primitive, vertexStart, vertexCount, jointOf } of bound) {
    const facts: Record<string, unknown> = { version: BLEND_EXTENSION_VERSION, blend: blend.blend };
    const property = extension.createArrays();
    for (const [skin, joints, weights, influences] of [
      [blend.skin, 'joints', 'weights', 'influences'],
      [blend.normalSkin, 'normalJoints', 'normalWeights', 'normalInfluences'],
    ] as const) {
      if (!skin) continue;
      const packed = packSkinBlend(skin, vertexStart, vertexCount, jointOf);
      facts[influences] = packed.influences;
      property.setAccessor(joints, addAccessor(document, 1, packed.joints));
      property.setAccessor(weights, addAccessor(document, 1, packed.weights, true));
    }
    primitive.setExtension(BLEND_EXTENSION, property.setFacts(facts));
  }
}

/** Reads OSSIFY_skin_blend of all pieces into one blend of the asset's mesh; pieces without it keep their plain weights. */
export function readGltfSkinBlend(rigged: RiggedPieces): SkinBlend | undefined {
  const { pieces, rig, jointBones } = rigged;
  const decoded = decodeGltfPieces(rigged, BLEND_EXTENSION, decodeSkinBlend);
  if (decoded.size === 0) return undefined;
  const [{ blend }] = decoded.values();
  for (const one of decoded.values())
    if (one.blend !== blend)
      fail('unsupported', `the primitives have different blends of ${BLEND_EXTENSION}; one for all of them is read`);
  const join = (pick: (own: SkinBlend) => Skin | undefined): Skin | undefined => {
    if (![...decoded.values()].some(pick)) return undefined;
    const parts = pieces.map(({ vertexStart, vertexCount }, p): Skin => {
      const own = decoded.get(p);
      const skin = own && pick(own);
      if (!skin) return sliceSkin(rig.skin, vertexStart, vertexCount);
      return { ...skin, boneIndices: skin.boneIndices.map((joint) => jointBones[p][joint]) };
    });
    return {
      rowStart: joinRowStarts(parts.map(({ rowStart }) => rowStart)),
      boneIndices: joinArrays(parts.map(({ boneIndices }) => boneIndices)) as Uint32Array,
      weights: joinArrays(parts.map(({ weights }) => weights)) as Float32Array,
    };
  };
  const skin = join((own) => own.skin);
  const normalSkin = join((own) => own.normalSkin);
  return { blend, ...(skin ? { skin } : {}), ...(normalSkin ? { normalSkin } : {}) };
}
