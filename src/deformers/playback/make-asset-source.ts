// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { listStillControllers } from '../../core/model/deformed/helper-bones.ts';
import type { MorphDriver } from '../../core/model/deformed/morph-drivers.ts';
import { InputError } from '../../core/model/errors.ts';
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import { pickSkeleton } from '../../core/model/skin/skeleton.ts';
import { narrowDeformer } from '../linear-blend/index.ts';
import { makeDrivenSource } from '../shape-drivers/index.ts';
import { makeAssetDeformer } from './make-asset-deformer.ts';

export interface AssetSource {
  source: RigSource;
  /** By joint of the source, the bone of the asset's rig. Helpers of an earlier conversion are left out. */
  bones: Int32Array;
}

/**
 * Makes the source of a rig conversion from an asset: its Direct Delta Mush, two layers, helper bones or plain skin, or, with drivers, its morph targets as
 * corrective shapes. Throws an InputError if the asset has no bones.
 * @param skin plain weights of the source, if they are not those of the rig
 */
export function makeAssetSource(asset: Asset, drivers?: readonly MorphDriver[], skin = asset.rig?.skin): AssetSource {
  const { rig, mesh } = asset;
  if (!rig?.isJoint.includes(1)) throw new InputError('convert', 'the file has no skin; bind its mesh to bones first');
  const isHelper = new Set((asset.helpers ?? []).map(({ bone }) => bone));
  const bones = Int32Array.from([...rig.skeleton.names.keys()].filter((bone) => !isHelper.has(bone)));
  const skeleton = pickSkeleton(rig.skeleton, bones);
  const whole = drivers
    ? makeDrivenSource(asset, drivers).deformer
    : makeAssetDeformer({
        ...asset,
        morphs: undefined,
        correction: undefined,
        helpers: asset.helpers && listStillControllers(asset.helpers),
      });
  const deformer = whole.boneCount === bones.length ? whole : narrowDeformer(whole, bones);
  const source: RigSource = { name: asset.name, mesh, skeleton, deformer };
  return { source: isHelper.size === 0 ? { ...source, skin } : source, bones };
}
