// SPDX-License-Identifier: MIT
import type { Asset, SkinnedModel } from '../../core/model/asset.ts';
import { makeAsset } from '../../core/model/make-asset.ts';
import type { Sample } from '../../samples/index.ts';

/** The asset of a sample: its mesh and its frames. */
export function assetOfSample({ name, clip }: Sample): Asset {
  return makeAsset(clip, { name, metresPerUnit: 1 });
}

/** The ground truth of a sample as a skinned model, if it has one. */
export function skinnedOfSample({ clip, skeleton, skin, motion }: Sample): SkinnedModel | undefined {
  if (!skeleton || !skin || !motion) return undefined;
  return { kind: 'skin', mesh: clip.mesh, skeleton, skin, motions: [motion] };
}
