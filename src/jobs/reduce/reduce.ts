// SPDX-License-Identifier: MIT
// Gives a skinned asset fewer weights per vertex, in one layer or in two.
import type { Asset } from '../../core/model/asset.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { InputError } from '../../core/model/errors.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import {
  checkReduceOptions,
  listReducePoses,
  makeSkinReducer,
  REDUCE_DEFAULTS,
  type ReduceOptions,
  type ReduceResult,
  type SkinReducer,
} from '../../methods/reduce/index.ts';

/**
 * Reduces the weights of an asset. Throws an InputError if it has no weights, and a UsageError if options are invalid.
 * @example
 * ```ts
 * import { reduce, writeGlb } from 'ossify';
 *
 * const { skin, blendsPerVertex } = await reduce(asset, { influences: 4 });
 * const glb = await writeGlb(asset, { kind: 'weights', skin });
 * ```
 */
export async function reduce(asset: Asset, options: ReduceOptions = {}): Promise<ReduceResult> {
  const reducer = await makeAssetReducer(asset, options);
  try {
    return await reducer.reduce();
  } finally {
    reducer.dispose();
  }
}

/** Makes a reducer of an asset, for several numbers. Throws the same errors as reduce. */
export async function makeAssetReducer(asset: Asset, options: ReduceOptions = {}): Promise<SkinReducer> {
  const { rig } = asset;
  if (asset.ddm || asset.twoLayer || asset.linearTwoLayer)
    throw new InputError('reduce', 'the file has more than a plain skin; start from the rig that it was made of');
  if (!rig?.isJoint.includes(1)) throw new InputError('reduce', 'the file has no skin; bind its mesh to bones first');
  checkReduceOptions({ ...REDUCE_DEFAULTS, ...dropUndefined(options) }, maxInfluencesOf(rig.skin));
  return makeSkinReducer({ mesh: asset.mesh, ...rig }, listReducePoses(asset, options), options);
}
