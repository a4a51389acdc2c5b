// SPDX-License-Identifier: MIT
// Limbs: connected bones on one side of the plane of symmetry. The other bones are the trunk.
import type { BodyTree } from './body-tree.ts';
import { type JointMirror, MIDDLE } from './mirror-joints.ts';

/** A limb: a bone that hangs on the trunk, and all below it. */
export interface Limb {
  top: number;
  bones: number[];
  /** Bone of the trunk that it hangs on. */
  on: number;
  /** Sign of its coordinate across the plane. */
  sign: 1 | -1;
  mass: number;
  center: [number, number, number];
  /** Lowest coordinate of its skin. */
  low: number;
}

export interface LimbPair {
  /** The limb at the positive side of the axis. */
  plus: Limb;
  minus: Limb;
  mass: number;
  /** Mean of the centers. */
  center: [number, number, number];
  low: number;
}

export interface Limbs {
  pairs: LimbPair[];
  /** Limbs without a counterpart. */
  lone: Limb[];
  /** By bone: whether it is part of the trunk. */
  isTrunk: Uint8Array;
}

/** Height above the ground, relative to the height of the body, up to which a limb reaches the ground. */
export const REACH = 0.06;
/** Distance of the centers of a pair, one of them reflected, relative to the size. */
const PAIR = 0.25;

/** @param tree hung from a bone of the trunk */
export function listLimbs(tree: BodyTree, mirror: JointMirror): Limbs {
  const { shape, order, parents } = tree;
  const signs = listSigns(tree, mirror);
  const isTrunk = new Uint8Array(shape.masses.length);
  for (const j of order) {
    const parent = parents[j];
    if (signs[j] === 0 && (parent < 0 || isTrunk[parent])) isTrunk[j] = 1;
  }
  const tops = order.filter((j) => !isTrunk[j] && parents[j] >= 0 && isTrunk[parents[j]]);
  const limbs = tops.flatMap((top) => split(tree, top, parents[top])).map((one) => measure(tree, mirror, one));
  return { ...pairUp(limbs, mirror, shape.size), isTrunk };
}

/** By bone: the side of the plane, 0 for the middle. Bones without skin are where their joint is. */
function listSigns({ shape, order }: BodyTree, { axis, at, images }: JointMirror): Int8Array {
  const { centers, size } = shape;
  const signs = new Int8Array(images.length);
  for (const j of order) {
    const x = centers[3 * j + axis] - at;
    const image = images[j];
    if (image === j) continue;
    if (image >= 0) signs[j] = centers[3 * j + axis] >= centers[3 * image + axis] ? 1 : -1;
    else if (Math.abs(x) > MIDDLE * size) signs[j] = x > 0 ? 1 : -1;
  }
  return signs;
}

/** A limb that branches at once into several which reach the ground is several legs. */
function split(tree: BodyTree, top: number, on: number): { top: number; on: number }[] {
  const { box } = tree.shape;
  const ground = box[1] + REACH * (box[4] - box[1]);
  const legs = tree.children[top].filter((j) => {
    const bones = listBelowOf(tree, j);
    return bones.length > 1 && lowOf(tree, bones) < ground;
  });
  const first = tree.joints.subarray(3 * top, 3 * top + 3);
  // toes branch at the ground, legs well above it
  const isHigh = first[1] - box[1] > 2 * REACH * (box[4] - box[1]);
  if (legs.length < 2 || !isHigh) return [{ top, on }];
  return legs.flatMap((leg) => split(tree, leg, on));
}

export function listBelowOf({ children }: Pick<BodyTree, 'children'>, top: number): number[] {
  const bones = [top];
  for (let n = 0; n < bones.length; n++) bones.push(...children[bones[n]]);
  return bones;
}

function lowOf({ shape, joints }: BodyTree, bones: readonly number[]): number {
  return bones.reduce((low, j) => Math.min(low, shape.boxes[6 * j + 1], joints[3 * j + 1]), Infinity);
}

function measure(tree: BodyTree, { axis, at }: JointMirror, { top, on }: { top: number; on: number }): Limb {
  const { masses, centers } = tree.shape;
  const bones = listBelowOf(tree, top);
  const mass = bones.reduce((sum, j) => sum + masses[j], 0);
  const mean = (c: number): number => bones.reduce((sum, j) => sum + masses[j] * centers[3 * j + c], 0) / (mass || 1);
  const center: [number, number, number] = [mean(0), mean(1), mean(2)];
  return { top, on, bones, mass, center, sign: center[axis] >= at ? 1 : -1, low: lowOf(tree, bones) };
}

function pairUp(limbs: readonly Limb[], { axis, at, images }: JointMirror, size: number): Omit<Limbs, 'isTrunk'> {
  const [plus, minus] = [limbs.filter(({ sign }) => sign > 0), limbs.filter(({ sign }) => sign < 0)];
  const candidates = plus.flatMap((a) =>
    minus.map((b) => {
      const own = new Set(b.bones);
      const shared = a.bones.filter((j) => own.has(images[j])).length;
      const gap = a.center.reduce((sum, x, c) => sum + ((c === axis ? 2 * at - x : x) - b.center[c]) ** 2, 0);
      return { a, b, shared, gap: Math.sqrt(gap) / size };
    }),
  );
  candidates.sort((p, q) => q.shared - p.shared || p.gap - q.gap);
  const used = new Set<Limb>();
  const pairs: LimbPair[] = [];
  for (const { a, b, shared, gap } of candidates) {
    if (used.has(a) || used.has(b) || (shared === 0 && gap > PAIR)) continue;
    used.add(a).add(b);
    const [x, y, z] = a.center.map((own, c) => (own + b.center[c]) / 2);
    const center: [number, number, number] = [x, y, z];
    pairs.push({ plus: a, minus: b, mass: a.mass + b.mass, center, low: Math.min(a.low, b.low) });
  }
  return { pairs, lone: limbs.filter((one) => !used.has(one)) };
}
