// SPDX-License-Identifier: MIT
import type { Document, Node, vec3, vec4 } from '@gltf-transform/core';
import { makeJointMotions, type TrackedJoint } from '../../../../core/keyframes/make-joint-motions.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import type { SkinnedModel } from '../../../../core/model/asset.ts';
import { addGltfAnimation } from '../add-gltf-animation.ts';
import { placeGltfRoot } from './place-gltf-root.ts';

/** Length of a bone that is alone, relative to the size of the model. Not tuned. */
const LONE_BONE = 0.1;

/**
 * Adds the bones of a model under top as nodes at rest, and one animation per motion (core/keyframes/make-joint-motions.ts). Bones that have neither parent nor
 * children share a node near them, "root", which is not a joint.
 * @param tolerance maximum vertex error of key reduction in any frame, file units; 0: one key per frame
 * @returns by bone, the node that is its joint
 */
export function makeGltfJoints(document: Document, top: Node, model: SkinnedModel, tolerance = 0): Node[] {
  const { joints, motions } = makeJointMotions(model, tolerance);
  const { names } = model.skeleton;
  const made: Node[] = [];
  const origin = findOrigin(joints, model);
  const root = origin.some((x) => x !== 0) ? document.createNode('root').setTranslation(origin) : top;
  if (root !== top) top.addChild(root);
  const nodes = joints.map(({ above, translation, rotation, scale, turn }, j) => {
    const outer = document.createNode(turn ? `${names[j]} stretch` : names[j]);
    const joint = turn ? document.createNode(names[j]).setRotation([...turn] as vec4) : outer;
    (above >= 0 ? made[above] : root).addChild(outer);
    if (joint !== outer) outer.addChild(joint);
    const from = above >= 0 ? [0, 0, 0] : origin;
    outer.setTranslation([...translation.map((x, c) => x - from[c])] as vec3).setRotation([...rotation] as vec4);
    outer.setScale([...scale] as vec3);
    const limits = model.jointLimits?.[j];
    if (limits) joint.setExtras({ jointLimits: limits });
    made.push(joint);
    return [outer, outer, outer, joint];
  });
  for (const { name, times, joints: tracked, kept } of motions) {
    const tracks = tracked.flatMap(({ tracks: own }, j) =>
      own.map(({ path, values }, n) => ({
        node: nodes[j][n],
        path,
        values: path === 'translation' && joints[j].above < 0 ? values.map((x, c) => x - origin[c % 3]) : values,
        kept: kept[j][n],
      })),
    );
    addGltfAnimation(document, name, times, tracks);
  }
  return made;
}

/** Where the common root is: at the origin if every bone has a parent or a child. */
function findOrigin(joints: readonly TrackedJoint[], { mesh }: SkinnedModel): vec3 {
  const lone = joints.filter(({ above }, j) => above < 0 && !joints.some((other) => other.above === j));
  if (lone.length === 0) return [0, 0, 0];
  return placeGltfRoot(
    Float64Array.from(lone.flatMap(({ translation }) => [...translation])),
    LONE_BONE * measureBounds(mesh.positions).diagonal,
  );
}
