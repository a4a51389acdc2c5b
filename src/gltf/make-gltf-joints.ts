// SPDX-License-Identifier: MIT
import type { Document, Node, vec3, vec4 } from '@gltf-transform/core';
import { makeJointMotions } from '../keys/make-joint-motions.ts';
import type { SkinnedModel } from '../model/asset.ts';
import { addGltfAnimation } from './add-gltf-animation.ts';

/**
 * Adds the bones of a model under root as nodes at rest, and one animation per motion (keys/make-joint-motions.ts).
 * @param tolerance maximum vertex error of key reduction in any frame, file units; 0: one key per frame
 * @returns by bone, the node that is its joint
 */
export function makeGltfJoints(document: Document, root: Node, model: SkinnedModel, tolerance = 0): Node[] {
  const { joints, motions } = makeJointMotions(model, tolerance);
  const { names } = model.skeleton;
  const made: Node[] = [];
  const nodes = joints.map(({ above, translation, rotation, scale, turn }, j) => {
    const outer = document.createNode(turn ? `${names[j]} stretch` : names[j]);
    const joint = turn ? document.createNode(names[j]).setRotation([...turn] as vec4) : outer;
    (above >= 0 ? made[above] : root).addChild(outer);
    if (joint !== outer) outer.addChild(joint);
    outer.setTranslation([...translation] as vec3).setRotation([...rotation] as vec4);
    outer.setScale([...scale] as vec3);
    const limits = model.jointLimits?.[j];
    if (limits) joint.setExtras({ jointLimits: limits });
    made.push(joint);
    return [outer, outer, outer, joint];
  });
  for (const { name, times, joints: tracked, kept } of motions) {
    const tracks = tracked.flatMap(({ tracks: own }, j) =>
      own.map(({ path, values }, n) => ({ node: nodes[j][n], path, values, kept: kept[j][n] })),
    );
    addGltfAnimation(document, name, times, tracks);
  }
  return made;
}
