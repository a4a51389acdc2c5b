// SPDX-License-Identifier: MIT
// The bones of a rig as an undirected tree that can be hung from any bone. A bone is what lies between its joint and the joints of its children. If the tree is hung from another bone, the bones on the
// path turn around: the joint between two bones stays where it is, and belongs to the one that is lower now.
import type { RigShape } from '../rig-shape.ts';

/** Height of a joint above the ground, relative to the height of the body, up to which a joint without skin is a root bone on the ground. */
const ON_GROUND = 0.05;

export interface BodyTree {
  shape: RigShape;
  root: number;
  /** By bone; -1 for the root, -2 for bones that are not part of the body. */
  parents: Int32Array;
  children: number[][];
  /** boneCount x 3: the joint that ties a bone to its parent */
  joints: Float64Array;
  /** Bones, parents first. */
  order: number[];
}

/** The bones that carry skin, with those between them. Bones that hang on nothing but a root bone on the ground, such as the feet of rigs with inverse kinematics, are tied to the bone whose skin is nearest. */
export function makeBodyTree(shape: RigShape): BodyTree | undefined {
  const { parents, masses, joints } = shape;
  const near: Set<number>[] = Array.from(parents, () => new Set());
  const jointOf = new Map<string, number>();
  const link = (above: number, below: number): void => {
    near[above].add(below);
    near[below].add(above);
    jointOf.set(keyOf(above, below), below);
  };
  parents.forEach((parent, j) => {
    if (parent >= 0 && !isGroundRoot(shape, parent)) link(parent, j);
  });
  prune(near, masses);
  const groups = listGroups(near, masses);
  if (groups.length === 0) return undefined;
  const [main, ...others] = groups;
  const body = new Set(main.bones);
  for (const { bones } of others) {
    const top = bones.reduce((best, j) => (j < best ? j : best), bones[0]);
    const above = nearestBone(shape, [...body], top);
    link(above, top);
    for (const j of bones) body.add(j);
  }
  const root = main.bones.reduce((best, j) => (j < best ? j : best), main.bones[0]);
  return hang({ shape, near, jointOf, joints }, root, [...joints.subarray(3 * root, 3 * root + 3)]);
}

const keyOf = (a: number, b: number): string => (a < b ? `${a}:${b}` : `${b}:${a}`);

/** The same tree hung from another bone, with its joint at a point. */
export function rehang(tree: BodyTree, root: number, joint: readonly number[]): BodyTree {
  const near: Set<number>[] = tree.children.map((list) => new Set(list));
  const jointOf = new Map<string, number>();
  const joints = tree.joints.slice();
  for (const j of tree.order) {
    const parent = tree.parents[j];
    if (parent < 0) continue;
    near[j].add(parent);
    jointOf.set(keyOf(parent, j), j);
  }
  return hang({ shape: tree.shape, near, jointOf, joints }, root, joint);
}

interface Links {
  shape: RigShape;
  near: readonly ReadonlySet<number>[];
  /** By pair of bones, the bone whose joint is between them. */
  jointOf: ReadonlyMap<string, number>;
  joints: Float64Array;
}

function hang({ shape, near, jointOf, joints }: Links, root: number, joint: readonly number[]): BodyTree {
  const parents = new Int32Array(near.length).fill(-2);
  const children: number[][] = near.map(() => []);
  const placed = joints.slice();
  parents[root] = -1;
  placed.set(joint, 3 * root);
  const order = [root];
  for (let n = 0; n < order.length; n++) {
    const above = order[n];
    for (const j of [...near[above]].sort((a, b) => a - b)) {
      if (parents[j] !== -2) continue;
      parents[j] = above;
      children[above].push(j);
      const owner = jointOf.get(keyOf(above, j)) ?? j;
      placed.set(joints.subarray(3 * owner, 3 * owner + 3), 3 * j);
      order.push(j);
    }
  }
  return { shape, root, parents, children, joints: placed, order };
}

/** Whether a joint is a root bone on the ground, which ties nothing together. */
function isGroundRoot({ parents, masses, joints, box }: RigShape, joint: number): boolean {
  if (masses[joint] > 0 && joint !== 0) return false;
  const height = box[4] - box[1];
  return parents[joint] < 0 && joints[3 * joint + 1] - box[1] < ON_GROUND * height;
}

/** Removes leaves without skin until none is left. */
function prune(near: Set<number>[], masses: Float64Array): void {
  const stack = near.flatMap((list, j) => (list.size <= 1 && !(masses[j] > 0) ? [j] : []));
  for (let j = stack.pop(); j !== undefined; j = stack.pop()) {
    for (const other of near[j]) {
      near[other].delete(j);
      if (near[other].size <= 1 && !(masses[other] > 0)) stack.push(other);
    }
    near[j].clear();
  }
}

/** Connected bones with skin, the heaviest group first. */
function listGroups(near: readonly ReadonlySet<number>[], masses: Float64Array): { bones: number[]; mass: number }[] {
  const seen = new Uint8Array(near.length);
  const groups: { bones: number[]; mass: number }[] = [];
  near.forEach((_, first) => {
    if (seen[first] || (near[first].size === 0 && !(masses[first] > 0))) return;
    const bones = [first];
    seen[first] = 1;
    let mass = 0;
    for (let n = 0; n < bones.length; n++) {
      mass += masses[bones[n]];
      for (const j of near[bones[n]]) {
        if (seen[j]) continue;
        seen[j] = 1;
        bones.push(j);
      }
    }
    groups.push({ bones, mass });
  });
  return groups.sort((a, b) => b.mass - a.mass);
}

/** The bone whose box is nearest to the joint of another; of several, the one whose center is nearest. */
function nearestBone({ joints, boxes, centers, masses }: RigShape, bones: readonly number[], joint: number): number {
  let [best, least] = [bones[0], Infinity];
  for (const j of bones) {
    if (!(masses[j] > 0)) continue;
    let [gap, away] = [0, 0];
    for (let c = 0; c < 3; c++) {
      const x = joints[3 * joint + c];
      gap += Math.max(0, boxes[6 * j + c] - x, x - boxes[6 * j + 3 + c]) ** 2;
      away += (centers[3 * j + c] - x) ** 2;
    }
    const distance = Math.sqrt(gap) + FAR * Math.sqrt(away);
    if (distance < least) [best, least] = [j, distance];
  }
  return best;
}

/** Weight of the distance of centers where boxes overlap. */
const FAR = 0.1;
