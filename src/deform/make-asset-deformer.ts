// SPDX-License-Identifier: MIT
import type { Asset } from '../model/asset.ts';
import type { Deformer } from '../model/deformer.ts';
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import type { Mesh } from '../model/mesh.ts';
import { makeDdm } from './ddm.ts';
import { makeLinearBlend } from './linear-blend.ts';
import { makeMorphBlend } from './morph-blend.ts';

/** The deformer a file describes: morph targets, then Direct Delta Mush or linear blend skinning, each where it has them. */
export function makeAssetDeformer(asset: Asset): Deformer {
  const { rig, ddm } = asset;
  if (!asset.morphs && ddm) return makeDdm(ddm);
  const skinned =
    rig &&
    ((mesh: Mesh) => (ddm ? makeShapedDdm(ddm, mesh) : makeLinearBlend(mesh, rig.skin, rig.skeleton.names.length)));
  if (!asset.morphs && skinned) return skinned(asset.mesh);
  return makeMorphBlend(asset.mesh, asset.morphs ?? { targets: [], restWeights: [] }, skinned);
}

/** Direct Delta Mush of a mesh that changes between calls: patches stay those of the model, what stands off from them is taken anew. */
function makeShapedDdm(ddm: DirectDeltaMush, mesh: Mesh): Deformer {
  return {
    vertexCount: mesh.positions.length / 3,
    boneCount: ddm.skeleton.names.length,
    deformInto: (pose, positions, normals) => makeDdm({ ...ddm, mesh }).deformInto(pose, positions, normals),
  };
}
