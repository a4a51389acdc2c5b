// SPDX-License-Identifier: MIT
import type { NodeTree } from './node-tree.ts';
import { worldsOfNodes } from './worlds-of-nodes.ts';

/** Names of the trunk: Hips of Mixamo and VRM, Pelvis of 3ds Max and Unreal. One of a side is a thigh. */
const TRUNK_NAME = /(hips|pelvis)(_?jnt|_?joint|_?bone)?$/i;
const SIDE = /(left|right|(^|[._ -])[lr]([._ -]|$))/i;

/** Height of a root bone above the lowest joint, relative to the height of the skeleton, up to which it stands on the ground. */
const ON_GROUND = 0.02;

export interface TrunkChoice {
  /** Nodes that are joints. */
  joints: ReadonlySet<number>;
  /** Nodes that animations move. Absent: all. */
  moving?: ReadonlySet<number>;
  /** The node that an avatar names as its hips. */
  hips?: number;
}

/**
 * The joint that carries the trunk of a character: the hips of an avatar, a joint of that name, or the first joint with several joints below it that moves. A joint
 * without another above it that stands on the ground is a root bone, not a trunk, if a joint below it qualifies. Returns -1 if there is none.
 */
export function findTrunk(tree: NodeTree, { joints, moving, hips }: TrunkChoice): number {
  if (hips !== undefined && hips >= 0) return hips;
  const depths = listDepths(tree);
  const byDepth = [...joints].sort((a, b) => depths[a] - depths[b] || a - b);
  const named = byDepth.find((n) => TRUNK_NAME.test(tree.names[n]) && !SIDE.test(tree.names[n]));
  if (named !== undefined) return named;
  const branches = countBranches(tree, joints);
  const isMoved = listMoved(tree, moving);
  const found = byDepth.filter((n) => branches[n] > 1 && isMoved[n]);
  const [first, second] = found;
  if (first === undefined) return -1;
  const isRoot = second !== undefined && !hasJointAbove(tree, joints, first) && isOnGround(tree, joints, first);
  return isRoot ? second : first;
}

function listDepths({ parents }: NodeTree): Int32Array {
  const depths = new Int32Array(parents.length);
  parents.forEach((parent, n) => {
    depths[n] = parent < 0 ? 0 : depths[parent] + 1;
  });
  return depths;
}

/** By node: how many of its children are joints or have some below them. */
function countBranches({ parents }: NodeTree, joints: ReadonlySet<number>): Int32Array {
  const branches = new Int32Array(parents.length);
  for (let n = parents.length - 1; n >= 0; n--)
    if (parents[n] >= 0 && (joints.has(n) || branches[n] > 0)) branches[parents[n]]++;
  return branches;
}

/** By node: whether it, or one above it, is moved. */
function listMoved({ parents }: NodeTree, moving: ReadonlySet<number> | undefined): Uint8Array {
  const isMoved = new Uint8Array(parents.length);
  parents.forEach((parent, n) => {
    isMoved[n] = !moving || moving.has(n) || (parent >= 0 && isMoved[parent] === 1) ? 1 : 0;
  });
  return isMoved;
}

function hasJointAbove({ parents }: NodeTree, joints: ReadonlySet<number>, node: number): boolean {
  let n = parents[node];
  while (n >= 0 && !joints.has(n)) n = parents[n];
  return n >= 0;
}

function isOnGround(tree: NodeTree, joints: ReadonlySet<number>, node: number): boolean {
  const worlds = worldsOfNodes(tree);
  let [low, high] = [Infinity, -Infinity];
  for (let n = 0; n < tree.names.length; n++) {
    if (!joints.has(n)) continue;
    low = Math.min(low, worlds[16 * n + 13]);
    high = Math.max(high, worlds[16 * n + 13]);
  }
  return worlds[16 * node + 13] - low <= ON_GROUND * (high - low);
}
