// SPDX-License-Identifier: MIT
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';

/** A bone shorter than this, relative to the sum of its coordinates' sizes, has no direction. */
const SHORTEST = 1e-9;

/** The bones of a rest pose as segments. */
export interface BoneAxes {
  /** boneCount x 3: the joint of each bone */
  heads: Float64Array;
  /** boneCount x 3, unit vectors: from the joint along the bone */
  axes: Float64Array;
  /** boneCount, file units */
  lengths: Float64Array;
}

/**
 * The joint, direction and length of each bone: towards the mean of its children's joints; for a bone without children towards the center of its
 * vertices, twice that far. A bone without length has the direction of its parent.
 */
export function listBoneAxes(mesh: Mesh, { parents, bindMatrices }: Skeleton, skin: Skin): BoneAxes {
  const boneCount = parents.length;
  const heads = new Float64Array(3 * boneCount);
  for (let j = 0; j < boneCount; j++) heads.set(bindMatrices.subarray(16 * j + 12, 16 * j + 15), 3 * j);
  // sums of the children's joints, else of the vertices
  const tails = new Float64Array(4 * boneCount);
  for (let j = 0; j < boneCount; j++) if (parents[j] >= 0) addTo(tails, parents[j], heads, 3 * j, 1);
  const isLeaf = Uint8Array.from({ length: boneCount }, (_, j) => (tails[4 * j + 3] > 0 ? 0 : 1));
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const j = skin.boneIndices[e];
      if (isLeaf[j]) addTo(tails, j, mesh.positions, 3 * i, skin.weights[e]);
    }
  }
  const axes = new Float64Array(3 * boneCount);
  const lengths = new Float64Array(boneCount);
  for (let j = 0; j < boneCount; j++) {
    const sum = tails[4 * j + 3];
    const to = [0, 1, 2].map((c) => (sum > 0 ? tails[4 * j + c] / sum - heads[3 * j + c] : 0));
    const length = Math.hypot(...to);
    const size = Math.hypot(...heads.subarray(3 * j, 3 * j + 3)) + length;
    if (length > SHORTEST * size) {
      axes.set(
        to.map((x) => x / length),
        3 * j,
      );
      lengths[j] = isLeaf[j] ? 2 * length : length;
    } else if (parents[j] >= 0) {
      axes.copyWithin(3 * j, 3 * parents[j], 3 * parents[j] + 3);
    } else {
      axes[3 * j + 1] = 1;
    }
  }
  return { heads, axes, lengths };
}

function addTo(sums: Float64Array, j: number, points: ArrayLike<number>, o: number, weight: number): void {
  for (let c = 0; c < 3; c++) sums[4 * j + c] += weight * points[o + c];
  sums[4 * j + 3] += weight;
}
