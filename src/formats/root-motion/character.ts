// SPDX-License-Identifier: MIT
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';

/** What of a character matters for its root. The y axis points up. */
export interface Character {
  nodes: NodeTree;
  animations: readonly Animation[];
  joints: ReadonlySet<number>;
  /** Nodes that vertices, cameras or lights follow. */
  drawn: ReadonlySet<number>;
  /** The node that an avatar names as its hips. */
  hips?: number;
  /** Box diagonal of the mesh at rest. */
  size: number;
}

/** @param hips the node that an avatar names as its hips */
export function characterOfAsset({ nodes, animations, rig, mesh }: Asset, hips?: number): Character {
  const joints = new Set<number>();
  const drawn = new Set<number>();
  if (rig) {
    const { nodeOfBone, isJoint, skin } = rig;
    nodeOfBone.forEach((node, j) => {
      if (isJoint[j]) joints.add(node);
    });
    for (let e = 0; e < skin.weights.length; e++) if (skin.weights[e] > 0) drawn.add(nodeOfBone[skin.boneIndices[e]]);
  }
  return { nodes, animations, joints, drawn, hips, size: measureBounds(mesh.positions).diagonal };
}
