// SPDX-License-Identifier: MIT
import { InputError } from '../../../core/model/errors.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { listJointEdges, makeJointTree, meanOfJoints } from '../joints/joint-tree.ts';
import type { RootChoice } from '../options.ts';
import type { BodyOfClip } from './make-skeleton-model.ts';

/** Makes another bone the root of its body, in place; motions and weights are unchanged. The skeleton must be made from these bodies. */
export function chooseRoot(skeleton: Skeleton, bodies: readonly BodyOfClip[], root: RootChoice): void {
  const bone = typeof root === 'string' ? skeleton.names.indexOf(root) : findNearest(skeleton, root);
  if (bone < 0) {
    const known = skeleton.names.slice(0, 6).join(', ');
    throw new InputError('skeleton', `there is no bone "${root}"; the first bones are ${known}`);
  }
  // the bones of a body are contiguous, depth first from its root
  let start = 0;
  for (const { solved } of bodies) {
    if (bone >= start + solved.boneCount) {
      start += solved.boneCount;
      continue;
    }
    const order = listDepthFirst(solved.parents);
    const own = order[bone - start];
    const tree = { ...solved, order: Uint32Array.from(order), joints: solved.joints };
    const next = makeJointTree(solved.boneCount, listJointEdges(tree), own);
    const before = order[0];
    // a new root is at the mean of its joints; the previous root keeps its position
    if (own !== before) next.joints.set(meanOfJoints(next, own), 3 * own);
    else next.joints.set(solved.joints.subarray(3 * own, 3 * own + 3), 3 * own);
    solved.parents = next.parents;
    solved.joints = next.joints;
    solved.released = next.released;
    return;
  }
}

function findNearest({ bindMatrices, names }: Skeleton, [x, y, z]: readonly [number, number, number]): number {
  let best = 0;
  let closest = Number.POSITIVE_INFINITY;
  for (let j = 0; j < names.length; j++) {
    const o = 16 * j + 12;
    const away = Math.hypot(bindMatrices[o] - x, bindMatrices[o + 1] - y, bindMatrices[o + 2] - z);
    if (away < closest) {
      closest = away;
      best = j;
    }
  }
  return best;
}

function listDepthFirst(parents: Int32Array): number[] {
  const order: number[] = [];
  const visit = (bone: number): void => {
    order.push(bone);
    for (let j = 0; j < parents.length; j++) if (parents[j] === bone) visit(j);
  };
  visit(parents.indexOf(-1));
  return order;
}
