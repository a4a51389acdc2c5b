// SPDX-License-Identifier: MIT
import type { Asset } from '../../../core/model/asset.ts';
import {
  type Anatomy,
  type LabelOptions,
  labelJoints,
  type RigShape,
  shapeOfSkin,
} from '../../../fit/anatomy/index.ts';

/** The bones of an asset with their labels; undefined without a skin. */
export function labelAsset(asset: Asset, options?: LabelOptions): { shape: RigShape; anatomy: Anatomy } | undefined {
  const { rig, mesh, up } = asset;
  if (!rig) return undefined;
  const shape = shapeOfSkin({ mesh, skeleton: rig.skeleton, skin: rig.skin, up, isJoint: rig.isJoint });
  return { shape, anatomy: labelJoints(shape, options) };
}
