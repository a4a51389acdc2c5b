// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { listContents } from '../../formats/gltf/index.ts';
import type { ReportOutput } from '../engine/index.ts';

/** Counts of an output, as the reader of its format shows it. */
export function countOutput(written: Asset): ReportOutput {
  const { parts, vertices, triangles, joints, morphTargets, animations } = listContents(written);
  return {
    ...{ parts, vertices, triangles, joints: joints.length },
    // meshes that nodes move have no weights
    influences: written.rig && joints.length > 0 ? maxInfluencesOf(written.rig.skin) : 0,
    ...{ morphTargets: morphTargets.length, animations: animations.length },
  };
}
