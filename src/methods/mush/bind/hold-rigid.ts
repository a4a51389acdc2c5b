// SPDX-License-Identifier: MIT
import type { AssetRig } from '../../../core/model/asset.ts';
import { type VertexMap, valueAt } from '../ddm-options.ts';

/**
 * Smoothing of a rig: lambda, and 0 for vertices that follow a node and no joint, which stay rigid.
 * @internal
 */
export function holdRigid({ skin, isJoint }: AssetRig, lambda: VertexMap): VertexMap {
  const isHeld = (i: number): boolean => !isJoint[skin.boneIndices[skin.rowStart[i]]];
  const vertexCount = skin.rowStart.length - 1;
  let held = false;
  for (let i = 0; i < vertexCount && !held; i++) held = isHeld(i);
  return held ? Float32Array.from({ length: vertexCount }, (_, i) => (isHeld(i) ? 0 : valueAt(lambda, i))) : lambda;
}
