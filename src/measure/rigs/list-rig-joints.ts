// SPDX-License-Identifier: MIT
// The joints of a rig for comparisons of skeletons. A node that several skins use as a joint is one joint. Joints without weights on or below them are left out: end joints, helpers and targets move nothing.

import { measurePointAreas } from '../../core/mesh/geometry/measure-point-areas.ts';
import type { Asset, AssetRig } from '../../core/model/asset.ts';

/** The joints of a rig that move vertices, parents before their children. */
export interface RigJoints {
  /** jointCount: the bone of each joint */
  bones: Int32Array;
  /** jointCount: index of the next joint above, or -1 for a root */
  parents: Int32Array;
  /** jointCount x 3: places in the rest pose */
  positions: Float64Array;
  /** jointCount: part of the weighted area that follows the joint itself */
  areas: Float64Array;
  /** boneCount: the joint of each bone, or -1 */
  jointOfBone: Int32Array;
}

/** Lists the joints of a rig with weights on or below them. */
export function listRigJoints({ mesh }: Asset, rig: AssetRig): RigJoints {
  const { parents, bindMatrices } = rig.skeleton;
  const boneCount = parents.length;
  const first = new Map<number, number>();
  const same = Int32Array.from({ length: boneCount }, (_, j) => {
    const known = first.get(rig.nodeOfBone[j]);
    if (known === undefined) first.set(rig.nodeOfBone[j], j);
    return known ?? j;
  });
  const own = measureAreas(mesh.positions, mesh.triangles, rig, same);
  const below = own.slice();
  // parents come before their children
  for (let j = boneCount - 1; j >= 0; j--) if (parents[j] >= 0) below[same[parents[j]]] += below[j];
  const jointOfBone = new Int32Array(boneCount).fill(-1);
  const bones = Array.from(parents.keys()).filter((j) => same[j] === j && rig.isJoint[j] === 1 && below[j] > 0);
  bones.forEach((j, n) => {
    jointOfBone[j] = n;
  });
  for (let j = 0; j < boneCount; j++) jointOfBone[j] = jointOfBone[same[j]];
  const total = own.reduce((sum, area) => sum + area, 0) || 1;
  return {
    bones: Int32Array.from(bones),
    parents: Int32Array.from(bones, (j) => {
      let p = parents[j];
      while (p >= 0 && jointOfBone[p] < 0) p = parents[p];
      return p < 0 ? -1 : jointOfBone[p];
    }),
    positions: Float64Array.from(bones.flatMap((j) => [...bindMatrices.subarray(16 * j + 12, 16 * j + 15)])),
    areas: Float64Array.from(bones, (j) => own[j] / total),
    jointOfBone,
  };
}

/** boneCount: the area that follows each bone, by weight; a mesh without triangles counts vertices */
function measureAreas(
  positions: Float32Array,
  triangles: Uint32Array,
  { skin, skeleton }: AssetRig,
  same: Int32Array,
): Float64Array {
  const sums = new Float64Array(skeleton.parents.length);
  const areas = triangles.length > 0 ? measurePointAreas(positions, triangles) : undefined;
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++)
      sums[same[skin.boneIndices[e]]] += skin.weights[e] * (areas ? areas[i] : 1);
  }
  return sums;
}
