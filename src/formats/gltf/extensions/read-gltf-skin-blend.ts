// SPDX-License-Identifier: MIT

import { joinArrays } from '../../../core/math/join-arrays.ts';
import type { SkinBlend } from '../../../core/model/deformed/skin-blend.ts';
import { type Skin, sliceSkin } from '../../../core/model/skin/skin.ts';
import { BLEND_EXTENSION, decodeSkinBlend } from '../../../deformers/dual-quaternion/index.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { joinRowStarts } from '../../../deformers/two-layer/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';

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
