// SPDX-License-Identifier: MIT
// An asset as a source of rig conversion: what its file deforms, moved by its joints.

import { makeAssetDeformer } from '../deform/make-asset-deformer.ts';
import { makeDrivenSource } from '../deform/make-driven-source.ts';
import { makeIdentities } from '../math/mat4.ts';
import type { Asset } from '../model/asset.ts';
import type { Deformer } from '../model/deformer.ts';
import { InputError } from '../model/errors.ts';
import type { MorphDriver } from '../model/morph-drivers.ts';
import type { RigSource } from '../model/rig-source.ts';
import type { Skeleton } from '../model/skeleton.ts';
import { skinOfLayers } from '../weights/skin-of-layers.ts';

export interface AssetSource {
  source: RigSource;
  /** By joint of the source, the bone of the asset's rig: all but helpers of an earlier conversion. */
  bones: Int32Array;
}

/**
 * Makes a source of an asset: its Direct Delta Mush, two layers, helper bones or plain skin, or, with drivers, its morph targets as corrective shapes. Throws,
 * in one sentence, on an asset without bones.
 */
export function makeAssetSource(asset: Asset, drivers?: readonly MorphDriver[]): AssetSource {
  const { rig, mesh } = asset;
  if (!rig?.isJoint.includes(1)) throw new InputError('convert', 'the file has no skin; bind its mesh to bones first');
  const isHelper = new Set((asset.helpers ?? []).map(({ bone }) => bone));
  const bones = Int32Array.from([...rig.skeleton.names.keys()].filter((bone) => !isHelper.has(bone)));
  const skeleton = pickBones(rig.skeleton, bones);
  const whole = drivers
    ? makeDrivenSource(asset, drivers).deformer
    : makeAssetDeformer({ ...asset, morphs: undefined, correction: undefined });
  const source: RigSource = { name: asset.name, mesh, skeleton, deformer: narrow(whole, bones) };
  const skin = asset.linearTwoLayer ? skinOfLayers(asset.linearTwoLayer) : rig.skin;
  return { source: isHelper.size === 0 ? { ...source, skin } : source, bones };
}

/** A deformer of all bones as one of some of them; the others stay at the identity. */
function narrow(whole: Deformer, bones: Int32Array): Deformer {
  if (whole.boneCount === bones.length) return whole;
  const all = { bones: makeIdentities(whole.boneCount) };
  return {
    vertexCount: whole.vertexCount,
    boneCount: bones.length,
    deformInto(pose, positions, normals) {
      bones.forEach((bone, j) => {
        all.bones.set(pose.bones.subarray(16 * j, 16 * j + 16), 16 * bone);
      });
      whole.deformInto(all, positions, normals);
    },
  };
}

function pickBones({ names, parents, bindMatrices }: Skeleton, bones: Int32Array): Skeleton {
  const placeOf = new Map(Array.from(bones, (bone, j) => [bone, j]));
  return {
    names: Array.from(bones, (bone) => names[bone]),
    // helpers have no children
    parents: bones.map((bone) => placeOf.get(parents[bone]) ?? -1),
    bindMatrices: Float64Array.from(
      bones.length * 16 === 0
        ? []
        : Array.from(bones).flatMap((bone) => [...bindMatrices.subarray(16 * bone, 16 * bone + 16)]),
    ),
  };
}
