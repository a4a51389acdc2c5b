// SPDX-License-Identifier: MIT
// Biovision Hierarchy, the text format of motion capture: a tree of offsets, then a line of numbers per frame. Joints at rest are parallel to the axes of the model, as
// readers expect; rotations are R = Rz Rx Ry, degrees, in the order of their channels; a root's position is absolute, with an offset of zero, since readers disagree on
// whether to add the two. Several roots are children of one static root.

import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import { InputError } from '../../core/model/errors.ts';
import { checkSkeleton } from '../../core/model/skin/skeleton.ts';

const ROTATION_CHANNELS = 'Zrotation Xrotation Yrotation';
const DEGREES = 180 / Math.PI;
/** Frame time of a motion with one frame. */
const FRAME_TIME = 1 / 24;

/** Writes a motion of a model as BVH. Only roots may translate: the distances between joints must be constant. */
export function writeBvh(model: SkinnedModel, motion: Motion): string {
  const { skeleton } = model;
  checkSkeleton(skeleton);
  const { parents, names } = skeleton;
  const boneCount = names.length;
  if (boneCount === 0) throw new InputError('writeBvh', 'the skeleton has no bones');
  const joints = Array.from({ length: boneCount }, (_, j) => [
    ...skeleton.bindMatrices.subarray(16 * j + 12, 16 * j + 15),
  ]);
  const children: number[][] = names.map(() => []);
  const roots: number[] = [];
  parents.forEach((p, j) => {
    (p < 0 ? roots : children[p]).push(j);
  });
  const tree = { model, joints, children };
  const order: number[] = [];
  const lines: string[] = ['HIERARCHY'];
  const tips = findTips(model, children);
  if (roots.length === 1) addJoint(tree, tips, roots[0], 0, { lines, order });
  else {
    lines.push('ROOT ossify', '{', '\tOFFSET 0 0 0', `\tCHANNELS 3 ${ROTATION_CHANNELS}`);
    for (const root of roots) addJoint(tree, tips, root, 1, { lines, order });
    lines.push('}');
  }
  const frameCount = motion.times.length;
  const span = frameCount > 1 ? (motion.times[frameCount - 1] - motion.times[0]) / (frameCount - 1) : FRAME_TIME;
  lines.push('MOTION', `Frames: ${frameCount}`, `Frame Time: ${Number(span.toFixed(8))}`);
  for (let k = 0; k < frameCount; k++) {
    const line = listNumbers(tree, motion, order, k);
    lines.push((roots.length === 1 ? line : ['0', '0', '0', ...line]).join(' '));
  }
  return `${lines.join('\n')}\n`;
}

interface JointTree {
  model: SkinnedModel;
  /** By bone: its joint at rest. */
  joints: number[][];
  children: number[][];
}

/**
 * Adds the lines of a joint and those below it. A root of the file is at depth 0.
 * @param out the lines, and the bones in the order of their lines
 */
function addJoint(
  tree: JointTree,
  tips: number[][],
  j: number,
  depth: number,
  out: { lines: string[]; order: number[] },
): void {
  const { joints, children } = tree;
  const { parents, names } = tree.model.skeleton;
  const pad = '\t'.repeat(depth);
  const isRoot = parents[j] < 0;
  const offset = isRoot ? [0, 0, 0] : joints[j].map((x, r) => x - joints[parents[j]][r]);
  const channels = isRoot ? `6 Xposition Yposition Zposition ${ROTATION_CHANNELS}` : `3 ${ROTATION_CHANNELS}`;
  out.lines.push(`${pad}${depth === 0 ? 'ROOT' : 'JOINT'} ${plainName(names[j])}`, `${pad}{`);
  out.lines.push(`${pad}\tOFFSET ${offset.map(formatLength).join(' ')}`, `${pad}\tCHANNELS ${channels}`);
  out.order.push(j);
  for (const child of children[j]) addJoint(tree, tips, child, depth + 1, out);
  if (children[j].length === 0) {
    const tip = `${pad}\t\tOFFSET ${tips[j].map(formatLength).join(' ')}`;
    out.lines.push(`${pad}\tEnd Site`, `${pad}\t{`, tip, `${pad}\t}`);
  }
  out.lines.push(`${pad}}`);
}

/** The numbers of the channels of all joints in frame k. */
function listNumbers({ model, joints }: JointTree, motion: Motion, order: readonly number[], k: number): string[] {
  const { parents, names } = model.skeleton;
  const boneCount = names.length;
  const numbers: string[] = [];
  const angles = new Float64Array(3);
  for (const j of order) {
    const m = motion.matrices.subarray((k * boneCount + j) * 16, (k * boneCount + j + 1) * 16);
    const above = parents[j] < 0 ? undefined : motion.matrices.subarray((k * boneCount + parents[j]) * 16);
    if (!above) {
      const [x, y, z] = joints[j];
      for (let r = 0; r < 3; r++) numbers.push(formatLength(m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r]));
    }
    anglesInto(m, above, angles);
    for (const angle of angles) numbers.push(formatAngle(angle));
  }
  return numbers;
}

/** Angles z, x, y of R_parentᵀ R = Rz Rx Ry: its lower row is (−cos x sin y, sin x, cos x cos y). */
function anglesInto(m: Float64Array, above: Float64Array | undefined, out: Float64Array): void {
  const at = (r: number, c: number): number =>
    above ? above[4 * r] * m[4 * c] + above[4 * r + 1] * m[4 * c + 1] + above[4 * r + 2] * m[4 * c + 2] : m[4 * c + r];
  const sin = Math.max(-1, Math.min(1, at(2, 1)));
  out[1] = Math.asin(sin);
  if (Math.abs(sin) < 1 - 1e-12) {
    out[0] = Math.atan2(-at(0, 1), at(1, 1));
    out[2] = Math.atan2(-at(2, 0), at(2, 2));
  } else {
    // z and y have the same axis: z gets the whole angle
    out[0] = Math.atan2(at(1, 0), at(0, 0));
    out[2] = 0;
  }
}

/** By bone: for those without children, the farthest of its own vertices from its joint, as an offset. */
function findTips({ mesh, skeleton, skin }: SkinnedModel, children: number[][]): number[][] {
  const tips = skeleton.names.map(() => [0, 0, 0]);
  const most = new Float64Array(tips.length);
  for (let v = 0; v + 1 < skin.rowStart.length; v++) {
    if (skin.rowStart[v] === skin.rowStart[v + 1]) continue;
    const j = skin.boneIndices[skin.rowStart[v]];
    if (children[j].length > 0) continue;
    const offset = [0, 1, 2].map((r) => mesh.positions[3 * v + r] - skeleton.bindMatrices[16 * j + 12 + r]);
    const away = Math.hypot(offset[0], offset[1], offset[2]);
    if (away > most[j]) {
      most[j] = away;
      tips[j] = offset;
    }
  }
  return tips;
}

/** Names are one word in this format. */
function plainName(name: string): string {
  return name.replace(/\s+/g, '_') || 'bone';
}

function formatLength(value: number): string {
  return String(Number(value.toPrecision(9)));
}

function formatAngle(value: number): string {
  return String(Number((value * DEGREES).toFixed(6)));
}
