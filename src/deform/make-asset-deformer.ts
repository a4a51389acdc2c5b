// SPDX-License-Identifier: MIT
import type { Asset } from '../model/asset.ts';
import type { Deformer } from '../model/deformer.ts';
import type { Mesh } from '../model/mesh.ts';
import { makeCorrected } from './corrected.ts';
import { makeDdm } from './ddm.ts';
import { makeHelperBones } from './helper-bones.ts';
import { makeLinearBlend } from './linear-blend.ts';
import { makeLinearTwoLayer } from './linear-two-layer.ts';
import { makeMorphBlend } from './morph-blend.ts';
import { makeTwoLayer } from './two-layer.ts';

/** The deformer a file describes: morph targets, then Direct Delta Mush, two layers or linear blend skinning (corrected or not), each where it has them. */
export function makeAssetDeformer(asset: Asset): Deformer {
  const { rig, ddm, twoLayer, linearTwoLayer, correction } = asset;
  if (!asset.morphs && ddm) return makeDdm(ddm);
  if (!asset.morphs && twoLayer) return makeTwoLayer(twoLayer);
  const skinned =
    rig &&
    ((mesh: Mesh) => {
      const boneCount = rig.skeleton.names.length;
      if (ddm) return makeShaped(mesh, boneCount, () => makeDdm({ ...ddm, mesh }));
      if (twoLayer) return makeShaped(mesh, boneCount, () => makeTwoLayer({ ...twoLayer, mesh }));
      if (linearTwoLayer) return makeLinearTwoLayer({ ...linearTwoLayer, mesh });
      if (asset.helpers) return makeHelperBones({ ...rig, mesh, controllers: asset.helpers });
      if (correction) return makeCorrected(mesh, rig.skin, boneCount, correction);
      return makeLinearBlend(mesh, rig.skin, boneCount);
    });
  if (!asset.morphs && skinned) return skinned(asset.mesh);
  return makeMorphBlend(asset.mesh, asset.morphs ?? { targets: [], restWeights: [] }, skinned);
}

/** A deformer of a mesh that changes between calls: patches stay those of the model, what stands off from them is taken anew. */
function makeShaped(mesh: Mesh, boneCount: number, make: () => Deformer): Deformer {
  return {
    vertexCount: mesh.positions.length / 3,
    boneCount,
    deformInto: (pose, positions, normals) => make().deformInto(pose, positions, normals),
  };
}
