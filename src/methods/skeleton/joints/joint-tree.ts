// SPDX-License-Identifier: MIT
// The tree of bones and its joints. An edge of the tree is a joint between two bones; which of the two is the parent depends only on the
// root, and any bone may be the root of the same set of motions.
import { InputError } from '../../../core/model/errors.ts';

/** A tree of bones, solver space. */
export interface JointTree {
  boneCount: number;
  /** boneCount; -1 for the root */
  parents: Int32Array;
  /** boneCount bones, parents before their children */
  order: Uint32Array;
  /** boneCount x 3: the joint of each bone with its parent, at rest; zero for the root */
  joints: Float64Array;
  /** boneCount: 1 for a bone that moves away from its parent, whose joint is not connected; absent if there is none */
  released?: Uint8Array;
}

/** An edge of a tree without a root. */
export interface JointEdge {
  a: number;
  b: number;
  /** Rest position. */
  joint: readonly [number, number, number];
  /** Whether the two bones are not connected. */
  isReleased?: boolean;
}

/** Makes the tree of a root and edges that span all bones. Children are in the order of their index. */
export function makeJointTree(boneCount: number, edges: readonly JointEdge[], root: number): JointTree {
  const parents = new Int32Array(boneCount).fill(-1);
  const joints = new Float64Array(3 * boneCount);
  const released = new Uint8Array(boneCount);
  const near: { bone: number; joint: JointEdge['joint']; isReleased: boolean }[][] = Array.from(
    { length: boneCount },
    () => [],
  );
  for (const { a, b, joint, isReleased = false } of edges) {
    near[a].push({ bone: b, joint, isReleased });
    near[b].push({ bone: a, joint, isReleased });
  }
  for (const list of near) list.sort((p, q) => p.bone - q.bone);
  const order: number[] = [root];
  const seen = new Uint8Array(boneCount);
  seen[root] = 1;
  for (let n = 0; n < order.length; n++) {
    for (const { bone, joint, isReleased } of near[order[n]]) {
      if (seen[bone]) continue;
      seen[bone] = 1;
      parents[bone] = order[n];
      joints.set(joint, 3 * bone);
      released[bone] = Number(isReleased);
      order.push(bone);
    }
  }
  if (order.length !== boneCount)
    throw new InputError(
      'makeJointTree',
      `${boneCount - order.length} of ${boneCount} bones are not connected to bone ${root}`,
    );
  const tree = { boneCount, parents, order: Uint32Array.from(order), joints };
  return released.includes(1) ? { ...tree, released } : tree;
}

/** The edges of a tree. */
export function listJointEdges({ parents, joints, released }: Omit<JointTree, 'boneCount' | 'order'>): JointEdge[] {
  const edges: JointEdge[] = [];
  for (let b = 0; b < parents.length; b++) {
    if (parents[b] < 0) continue;
    const joint: JointEdge['joint'] = [joints[3 * b], joints[3 * b + 1], joints[3 * b + 2]];
    edges.push({ a: parents[b], b, joint, ...(released?.[b] && { isReleased: true }) });
  }
  return edges;
}

/** The mean of the joints of a bone with its children; zero if it has none. */
export function meanOfJoints({ parents, joints }: Pick<JointTree, 'parents' | 'joints'>, bone: number): number[] {
  const sum = [0, 0, 0];
  let count = 0;
  parents.forEach((p, j) => {
    if (p !== bone) return;
    count++;
    for (let r = 0; r < 3; r++) sum[r] += joints[3 * j + r];
  });
  return sum.map((value) => value / Math.max(1, count));
}
