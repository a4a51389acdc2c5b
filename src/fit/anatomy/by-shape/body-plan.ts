// SPDX-License-Identifier: MIT
// Which limbs are legs, how many there are, and from which bone the body hangs: the one that the hind legs, or the only legs, are attached to.

import type { BodyKind } from '../anatomy.ts';
import type { RigShape } from '../rig-shape.ts';
import { type BodyTree, makeBodyTree, rehang } from './body-tree.ts';
import { type LimbPair, type Limbs, listBelowOf, listLimbs, REACH } from './list-limbs.ts';
import { type JointMirror, mirrorJoints } from './mirror-joints.ts';

/** Minimum mass of a leg relative to the body. */
const LEG_MASS = 0.006;
/** Minimum height of the bone that a leg hangs on above the lowest point of the leg, relative to the height of the body. */
const LEG_HEIGHT = 0.1;
/** Height of the lowest point of hanging legs above the ground, relative to the height of the body. */
const HANG = 0.5;
/** Difference of the heights of the joints of hanging legs, relative to the height of the body. */
const LEVEL = 0.15;
/** Pairs of legs from which a body may lie on the ground. */
const MANY = 3;
/** The last two bones of the head end of a quadruped are heavier by this factor, or higher by this share of the height: tails become thin. */
const HIGHER = 0.05;
const HEAVIER = 1.5;

export interface BodyPlan {
  kind: BodyKind;
  /** Hung from the hips. */
  tree: BodyTree;
  mirror: JointMirror;
  limbs: Limbs;
  /** Pairs of legs, the hind legs first. */
  legs: LimbPair[];
  /** Of a quadruped: the bone of the trunk that the front legs are attached to. */
  chest?: number;
}

export function planBody(shape: RigShape): BodyPlan | undefined {
  const first = makeBodyTree(shape);
  if (!first) return undefined;
  const mirror = mirrorJoints(first);
  const middle = heaviestMiddle(first, mirror);
  const own = first.shape.joints.slice(3 * middle, 3 * middle + 3);
  const tree = middle === first.root ? first : rehang(first, middle, [...own]);
  const limbs = listLimbs(tree, mirror);
  const legs = listLegs(tree, limbs);
  const plan = { tree, mirror, limbs, legs };
  if (legs.length === 0) return { ...plan, kind: 'none' };
  if (legs.length >= MANY) {
    const sorted = alongAxis(legs, mirror);
    const pair = sorted[Math.floor(sorted.length / 2)];
    return { ...hangFrom({ ...plan, legs: sorted }, attachOf(tree, pair), pair), kind: 'insect' };
  }
  if (legs.length === 1) return { ...hangFrom(plan, attachOf(tree, legs[0]), legs[0]), kind: 'biped' };
  const [hind, front] = sortLegs(plan);
  const hung = hangFrom({ ...plan, legs: [hind, front] }, attachOf(tree, hind), hind);
  return { ...hung, kind: 'quadruped', chest: attachOf(tree, front) };
}

/** The middle bone with the largest mass; the root if there is none. */
function heaviestMiddle({ order, root, shape }: BodyTree, { images }: JointMirror): number {
  let best = root;
  let most = -1;
  for (const j of order)
    if (images[j] === j && shape.masses[j] > most) {
      most = shape.masses[j];
      best = j;
    }
  return best;
}

/** The same plan, hung from a bone between a pair of legs. */
function hangFrom(plan: Omit<BodyPlan, 'kind'>, hips: number, { plus, minus }: LimbPair): Omit<BodyPlan, 'kind'> {
  const { joints } = plan.tree;
  const middle = [0, 1, 2].map((c) => (joints[3 * plus.top + c] + joints[3 * minus.top + c]) / 2);
  return { ...plan, tree: rehang(plan.tree, hips, middle) };
}

function listLegs({ shape, joints, order }: BodyTree, { pairs }: Limbs): LimbPair[] {
  const { box, masses } = shape;
  const height = box[4] - box[1];
  const total = order.reduce((sum, j) => sum + masses[j], 0);
  const reaching = pairs.filter(
    ({ plus, minus }) =>
      Math.max(plus.low, minus.low) < box[1] + REACH * height && Math.min(plus.mass, minus.mass) > LEG_MASS * total,
  );
  if (reaching.length >= MANY) return reaching;
  // legs of an insect that flies hang below the bones that they are attached to
  const hanging = pairs.filter(({ plus, minus }) =>
    [plus, minus].every(
      (limb) => limb.bones.length > 1 && limb.low < box[1] + HANG * height && limb.center[1] < joints[3 * limb.top + 1],
    ),
  );
  const tops = hanging.map(({ plus }) => joints[3 * plus.top + 1]);
  if (hanging.length >= MANY && Math.max(...tops) - Math.min(...tops) < LEVEL * height) return hanging;
  return reaching.filter(({ plus, minus }) =>
    [plus, minus].every(({ top, low }) => joints[3 * top + 1] - low > LEG_HEIGHT * height),
  );
}

/** The bone of the trunk that a pair hangs on: the middle of the path if there are two. */
export function attachOf(tree: BodyTree, { plus, minus }: Pick<LimbPair, 'plus' | 'minus'>): number {
  const path = pathBetween(tree, plus.on, minus.on);
  return path[Math.floor((path.length - 1) / 2)];
}

/** Bones from one to another, both included. */
export function pathBetween({ parents }: Pick<BodyTree, 'parents'>, from: number, to: number): number[] {
  const up: number[] = [];
  for (let j = from; j >= 0; j = parents[j]) up.push(j);
  const down: number[] = [];
  for (let j = to; j >= 0; j = parents[j]) {
    const place = up.indexOf(j);
    if (place >= 0) return [...up.slice(0, place + 1), ...down.reverse()];
    down.push(j);
  }
  return up;
}

/** Legs of an insect in the order along the body. */
function alongAxis(legs: readonly LimbPair[], { axis }: JointMirror): LimbPair[] {
  const along = axis === 0 ? 2 : 0;
  return [...legs].sort((a, b) => a.center[along] - b.center[along]);
}

/** The two heaviest pairs of legs of a quadruped, the hind legs first. */
function sortLegs({ tree, limbs, legs, mirror }: Omit<BodyPlan, 'kind'>): [LimbPair, LimbPair] {
  const [a, b] = [...legs].sort((p, q) => q.mass - p.mass);
  const [endA, endB] = [measureEnd(tree, limbs, a, b), measureEnd(tree, limbs, b, a)];
  const height = tree.shape.box[4] - tree.shape.box[1];
  const along = mirror.axis === 0 ? 2 : 0;
  const decide = (): boolean => {
    if (endA.pairs > 0 !== endB.pairs > 0) return endA.pairs > 0;
    if (endA.end > HEAVIER * endB.end) return true;
    if (endB.end > HEAVIER * endA.end) return false;
    if (Math.abs(endA.top - endB.top) > HIGHER * height) return endA.top > endB.top;
    return a.center[along] > b.center[along];
  };
  return decide() ? [b, a] : [a, b];
}

/** What lies beyond an end of the trunk: pairs of limbs that are no legs, the highest point and the volume of the last two bones. */
function measureEnd(
  tree: BodyTree,
  { pairs, isTrunk }: Limbs,
  ownLegs: LimbPair,
  otherLegs: LimbPair,
): { pairs: number; top: number; end: number } {
  const { boxes, masses } = tree.shape;
  const [own, other] = [attachOf(tree, ownLegs), attachOf(tree, otherLegs)];
  const path = pathBetween(tree, own, other);
  const hung = rehang(tree, own, [0, 0, 0]);
  const beyond = hung.children[own]
    .filter((j) => isTrunk[j] && !path.includes(j))
    .filter((j) => own !== other || isNearer(hung, j, ownLegs, otherLegs))
    .flatMap((j) => listBelowOf(hung, j));
  const bones = new Set(beyond);
  return {
    pairs: pairs.filter(({ plus, minus }) => bones.has(plus.on) && bones.has(minus.on)).length,
    top: beyond.reduce((top, j) => Math.max(top, boxes[6 * j + 4]), -Infinity),
    end: lastTwo(hung, beyond).reduce((sum, j) => sum + masses[j] ** 1.5, 0),
  };
}

/** Whether a branch of the trunk is nearer to one pair of legs than to another. */
export function isNearer(tree: BodyTree, branch: number, own: LimbPair, other: LimbPair): boolean {
  const { centers, masses } = tree.shape;
  const bones = listBelowOf(tree, branch);
  const mass = bones.reduce((sum, j) => sum + masses[j], 0) || 1;
  const awayFrom = ({ center }: LimbPair): number =>
    Math.hypot(
      ...[0, 2].map((c) => bones.reduce((sum, j) => sum + (masses[j] * centers[3 * j + c]) / mass, 0) - center[c]),
    );
  return awayFrom(own) < awayFrom(other);
}

/** The bone at the largest number of bones from the root, and the one above it. */
function lastTwo({ parents }: BodyTree, bones: readonly number[]): number[] {
  const last = bones[bones.length - 1];
  if (last === undefined) return [];
  return bones.includes(parents[last]) ? [last, parents[last]] : [last];
}
