// SPDX-License-Identifier: MIT
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import type { Mesh } from '../model/mesh.ts';
import type { Skeleton } from '../model/skeleton.ts';
import type { Skin } from '../model/skin.ts';
import type { DdmOptions } from './ddm-options.ts';
import { makeDdmPrecompute } from './make-ddm-precompute.ts';

/** A Direct Delta Mush model of a skinned mesh, in one call. For several values of kappa, alpha or the threshold, use makeDdmPrecompute. */
export async function precomputeDdm(
  mesh: Mesh,
  skeleton: Skeleton,
  skin: Skin,
  options: DdmOptions = {},
): Promise<DirectDeltaMush> {
  const precompute = await makeDdmPrecompute(mesh, skeleton, skin, options);
  return precompute.model();
}
