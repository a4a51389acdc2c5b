// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import type { RigJoints } from './list-rig-joints.ts';

/** A leaf is a stub if it has less of the weighted area, and its main vertices are nearer to its joint, relative to the size. */
const MIN_AREA = 2e-3;
const MIN_REACH = 0.03;
/** A vertex mainly follows a joint with more than this weight. */
const HALF = 0.5;

/** Number of leaves with hardly any surface. */
export function countStubs(
  { mesh, rig }: Asset,
  { parents, areas, positions, jointOfBone }: RigJoints,
  size: number,
): number {
  const isParent = new Uint8Array(parents.length);
  for (const p of parents) if (p >= 0) isParent[p] = 1;
  const reach = new Float64Array(parents.length);
  if (!rig) return 0;
  const { rowStart, boneIndices, weights } = rig.skin;
  for (let i = 0; i + 1 < rowStart.length; i++) {
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const n = jointOfBone[boneIndices[e]];
      if (n < 0 || !(weights[e] > HALF)) continue;
      const away = Math.hypot(...[0, 1, 2].map((r) => mesh.positions[3 * i + r] - positions[3 * n + r]));
      reach[n] = Math.max(reach[n], away);
    }
  }
  return areas.reduce(
    (sum, area, n) => sum + Number(!isParent[n] && parents[n] >= 0 && area < MIN_AREA && reach[n] < MIN_REACH * size),
    0,
  );
}
