// SPDX-License-Identifier: MIT

import { makeCompute } from '../../core/compute/make-compute.ts';
import { measureHeight } from '../../core/mesh/geometry/bounds.ts';
import type { Asset, AssetRig } from '../../core/model/asset.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { poseAsset } from '../../fit/poses/index.ts';
import { skinOfMultiWeights } from '../../methods/compress/index.ts';
import {
  checkAssetPoses,
  checkDdmOptions,
  DDM_DEFAULTS,
  type DdmOptions,
  holdRigid,
  isByReach,
  makeDdmPrecompute,
} from '../../methods/mush/index.ts';
import { skinOfLayers } from '../../methods/reduce/index.ts';

export interface MushOptions extends DdmOptions {
  /** Maximum weights per vertex of the plain skin. */
  influences?: number;
  /** Number of threads; 0: one per core. */
  threads?: number;
}

/** Defaults of MushOptions. */
export const MUSH_DEFAULTS = { ...DDM_DEFAULTS, influences: 4, threads: 0 } as const;

/** A Direct Delta Mush model, and the plain skin stored beside it. */
export interface MushResult {
  model: DirectDeltaMush;
  /** The same with all entries, to measure the effect of dropping small ones. */
  full: DirectDeltaMush;
  /** Variant 5 with a limited number of weights: a plain skin for viewers without the extension. */
  skin: Skin;
  /** Number of welded points. */
  points: number;
  /** Number of bones with an effect on the mesh. */
  bones: number;
}

const NAME = 'direct delta mush';

/**
 * Precomputes Direct Delta Mush for a skinned asset. Parts on a node without a skin stay rigid. If the asset has two layers, they are used instead of the
 * plain skin beside them. Throws an InputError if the asset has no bones, or bones with scale that the variant does not support, and a UsageError if
 * options are invalid.
 * @example
 * ```ts
 * import { mush, writeGlb } from 'ossify';
 *
 * const { model, skin } = await mush(asset, { iterations: 20 });
 * const glb = await writeGlb(asset, { kind: 'delta-mush', model, skin });
 * ```
 */
export async function mush(asset: Asset, options: MushOptions = {}): Promise<MushResult> {
  const { mesh, rig, linearTwoLayer } = asset;
  if (asset.ddm) throw new InputError(NAME, `the file has it already; start from the rig that it was made of`);
  if (asset.twoLayer) throw new InputError(NAME, `the file is compressed; start from the rig that it was made of`);
  if (!rig?.isJoint.includes(1)) throw new InputError(NAME, `the file has no skin; bind its mesh to bones first`);
  const { threads = MUSH_DEFAULTS.threads, influences = MUSH_DEFAULTS.influences, ...own } = options;
  const method = own.method ?? MUSH_DEFAULTS.method;
  const height = own.height || measureHeight(mesh.positions, asset.up);
  checkDdmOptions(own, mesh.positions.length / 3);
  const lambda = own.lambda ?? (method === 'explicit' ? 1 : MUSH_DEFAULTS.lambda);
  const rigid = isByReach(own) ? { isRigid: listRigid(rig) } : { lambda: holdRigid(rig, lambda) };
  checkAssetPoses(poseAsset(asset).asset, own.variant ?? MUSH_DEFAULTS.variant);
  const skin = linearTwoLayer ? skinOfLayers(linearTwoLayer) : rig.skin;
  const compute = own.compute ?? (await makeCompute({ threads }));
  try {
    const precompute = await makeDdmPrecompute(mesh, rig.skeleton, skin, {
      ...own,
      ...{ height, method, compute },
      ...rigid,
    });
    const model = await precompute.model();
    const full = await precompute.model({ threshold: 0 });
    return {
      model,
      full,
      skin: skinOfMultiWeights(model.multiWeights, influences),
      points: precompute.pointCount,
      bones: new Set(model.multiWeights.boneIndices).size,
    };
  } finally {
    if (!own.compute) compute.dispose();
  }
}

/** vertexCount: 1 for vertices that stay rigid; undefined if there are none. */
function listRigid(rig: AssetRig): Uint8Array | undefined {
  const free = holdRigid(rig, 1);
  return typeof free === 'number' ? undefined : Uint8Array.from(free, (f) => (f === 0 ? 1 : 0));
}
