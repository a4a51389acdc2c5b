// SPDX-License-Identifier: MIT
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import type { DdmOptions } from './ddm-options.ts';
import { makeDdmPrecompute } from './make-ddm-precompute.ts';

/**
 * A Direct Delta Mush model of a skinned mesh, in one call. For several values of kappa, alpha or the threshold, use makeDdmPrecompute.
 * @example
 * ```ts
 * import { precomputeDdm } from 'ossify';
 * import { makeDdm } from 'ossify/deform';
 *
 * const mushed = await precomputeDdm(mesh, skeleton, skin, { iterations: 20, lambda: 20 });
 * makeDdm(mushed).deformInto({ bones }, positions);
 * ```
 */
export async function precomputeDdm(
  mesh: Mesh,
  skeleton: Skeleton,
  skin: Skin,
  options: DdmOptions = {},
): Promise<DirectDeltaMush> {
  const precompute = await makeDdmPrecompute(mesh, skeleton, skin, options);
  return precompute.model();
}
