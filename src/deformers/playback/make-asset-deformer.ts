// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import type { DeformedModel } from '../../core/model/deformed/deformed-model.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { makeMorphBlend } from '../rig-sources/index.ts';
import { makeDeformer } from './make-deformer.ts';

/**
 * Makes the deformer of a file: its morph targets, then its model, if present.
 * @example
 * ```ts
 * import { makeAssetDeformer, sampleAnimation } from 'ossify/deform';
 *
 * const deformer = makeAssetDeformer(asset);
 * const { motion, morphWeights, corrections } = sampleAnimation(asset, asset.animations[0], [0.5]);
 * const posed = new Float32Array(3 * deformer.vertexCount);
 * deformer.deformInto({ bones: motion.matrices, morphs: morphWeights, corrections }, posed);
 * ```
 */
export function makeAssetDeformer(asset: Asset): Deformer {
  const model = modelOfAsset(asset);
  if (!asset.morphs && model) return makeDeformer(model);
  const skinned = model && ((mesh: Mesh) => makeShaped({ ...model, mesh }));
  return makeMorphBlend(asset.mesh, asset.morphs ?? { targets: [], restWeights: [] }, skinned);
}

/**
 * Returns the model of an asset's bones; the exact Direct Delta Mush if the file also has the two-layer form. Undefined without bones.
 * @example
 * ```ts
 * import { makeDeformer, modelOfAsset } from 'ossify/deform';
 *
 * const found = modelOfAsset(asset);
 * if (found) makeDeformer(found).deformInto({ bones }, positions);
 * ```
 */
export function modelOfAsset(asset: Asset): DeformedModel | undefined {
  const { rig, mesh, helpers = [], correction, blend } = asset;
  if (!rig) return undefined;
  const { skeleton, skin } = rig;
  const richer = asset.ddm ?? asset.twoLayer ?? asset.linearTwoLayer;
  if (richer) return richer;
  if (helpers.length > 0 || blend) {
    // a single pose has no past: delayed helpers play by their keys
    const controllers = helpers.filter(({ follow }) => !follow);
    return { kind: 'helper-bones', mesh, skeleton, skin, controllers, ...(blend ? { blend } : {}) };
  }
  if (correction) return { kind: 'corrected-skin', mesh, skeleton, skin, correction };
  return { kind: 'skin', mesh, skeleton, skin };
}

/** A deformer of a mesh whose positions change between calls. Direct Delta Mush reads them on construction, so it is constructed at each call. */
function makeShaped(model: DeformedModel): Deformer {
  if (model.kind !== 'direct-delta-mush' && model.kind !== 'two-layer') return makeDeformer(model);
  return {
    vertexCount: model.mesh.positions.length / 3,
    boneCount: model.skeleton.names.length,
    deformInto: (pose, positions, normals) => makeDeformer(model).deformInto(pose, positions, normals),
  };
}
