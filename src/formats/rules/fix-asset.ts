// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { normalizeAxes } from '../../core/model/mesh/normalize-axes.ts';
import { readScene } from '../gltf/index.ts';
import { fitScene, type Target } from '../targets/index.ts';
import type { Finding } from './finding.ts';
import { fixScene } from './fix-scene.ts';
import { isReaderRule } from './list-reader-findings.ts';
import { describeBound, makeSubject } from './make-subject.ts';

/** A repaired asset. */
export interface FixedAsset {
  asset: Asset;
  /** The rules whose fix was made. Repairs of the reader are in the asset already. */
  fixed: string[];
}

/**
 * Repairs what can be repaired of an asset, and fits it to a target. The asset is not changed; one without a fault that can be repaired is returned as it is.
 * @param findings what checkFile found: faults of how the file is stored are gone once its scene is written anew
 * @param log receives a sentence about everything that could not be kept or repaired
 */
export async function fixAsset(
  asset: Asset,
  findings: readonly Finding[],
  { target, log }: { target?: Target; log?: (message: string) => void } = {},
): Promise<FixedAsset> {
  const bound = describeBound(asset);
  if (bound !== undefined) {
    log?.(`the file holds ${bound}, which would be lost: only what the reader repairs is repaired`);
    return { asset, fixed: [] };
  }
  const upright = asset.source ? asset : normalizeAxes(asset);
  const before = await makeSubject(upright);
  const { scene, fixed } = fixScene(before);
  const fitted = target ? fitScene(scene, target, log) : scene;
  const isStoredAnew = findings.some(({ rule, canFix }) => canFix && !isReaderRule(rule));
  if (fitted === before.scene && asset.source && !isStoredAnew) return { asset, fixed };
  const { name, byteLength } = asset;
  return { asset: await readScene(fitted, byteLength, { name }), fixed };
}
