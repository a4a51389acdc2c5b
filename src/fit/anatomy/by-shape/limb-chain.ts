// SPDX-License-Identifier: MIT
import type { BodyTree } from './body-tree.ts';
import { listBelowOf } from './list-limbs.ts';

/** The bones of a limb from the body to its end: at each branch, the way to the end that is farthest along the bones. */
export function chainOfLimb(tree: BodyTree, top: number): number[] {
  const reach = new Map<number, number>();
  const bones = listBelowOf(tree, top);
  for (const bone of [...bones].reverse()) {
    const below = Math.max(
      0,
      ...tree.children[bone].map((j) => (reach.get(j) ?? 0) + distanceOf(tree.joints, bone, j)),
    );
    reach.set(bone, below > 0 ? below : ownReach(tree, bone));
  }
  const chain = [top];
  for (let bone = top; tree.children[bone].length > 0; ) {
    bone = tree.children[bone].reduce((best, j) => {
      const along = (k: number): number => (reach.get(k) ?? 0) + distanceOf(tree.joints, bone, k);
      return along(j) > along(best) ? j : best;
    });
    chain.push(bone);
  }
  return chain;
}

/** Bones before the upper arm: a clavicle, and perhaps another one. */
const MAX_BEFORE = 2;
/** Bones of an arm up to which there is one before the upper arm at most. */
const LONG = 4;
/** A first bone of a leg that is shorter than this, relative to the second, is a part of the pelvis. */
const PELVIS = 0.6;

/** The parts of a limb: bones before the upper one, and the others. */
export interface SplitChain {
  before: number[];
  chain: number[];
}

/** An arm: upper and lower arm are the consecutive bones with the largest min(a, b) + (a + b) / 4 of their lengths, at most two bones from the trunk. */
export function splitArm(tree: BodyTree, top: number): SplitChain {
  const chain = chainOfLimb(tree, top);
  const lengths = lengthsOf(tree, chain);
  const hand = findHand(tree, chain, lengths);
  if (hand !== undefined) return { before: chain.slice(0, hand - 2), chain: chain.slice(hand - 2) };
  let [best, most] = [0, -1];
  for (let n = 0; n + 1 < chain.length && n <= (chain.length > LONG ? MAX_BEFORE : 1); n++) {
    const [a, b] = [lengths[n], lengths[n + 1]];
    const score = Math.min(a, b) + (a + b) / 4;
    if (score > most) [best, most] = [n, score];
  }
  return { before: chain.slice(0, best), chain: chain.slice(best) };
}

/** Bones that hang on a lower arm begin at the wrist: far away relative to the upper arm, and all at about the same distance. Fingers do not, since the thumb begins first. */
const FAR = 0.6;
const EQUAL = 0.7;

/** The place of the hand in the chain: the first bone with several below it, unless that is the lower arm of a rig without a bone for the hand. */
function findHand(tree: BodyTree, chain: readonly number[], lengths: readonly number[]): number | undefined {
  const place = chain.findIndex((bone) => tree.children[bone].length > 2);
  if (place < 1) return undefined;
  const away = tree.children[chain[place]].map((j) => distanceOf(tree.joints, chain[place], j));
  const isArm = lengths[place] > FAR * lengths[place - 1] && Math.min(...away) > EQUAL * Math.max(...away);
  const hand = isArm ? place + 1 : place;
  return hand >= 2 && hand - 2 <= MAX_BEFORE ? hand : undefined;
}

/** A leg: it begins with the thigh, or with a short bone of the pelvis if there are four bones or more. */
export function splitLeg(tree: BodyTree, top: number): SplitChain {
  const chain = chainOfLimb(tree, top);
  const lengths = lengthsOf(tree, chain);
  const first = chain.length > 3 && lengths[0] < PELVIS * lengths[1] ? 1 : 0;
  return { before: chain.slice(0, first), chain: chain.slice(first) };
}

function lengthsOf(tree: BodyTree, chain: readonly number[]): number[] {
  return chain.map((bone, n) =>
    n + 1 < chain.length ? distanceOf(tree.joints, bone, chain[n + 1]) : ownReach(tree, bone),
  );
}

function distanceOf(joints: Float64Array, a: number, b: number): number {
  return Math.hypot(
    joints[3 * a] - joints[3 * b],
    joints[3 * a + 1] - joints[3 * b + 1],
    joints[3 * a + 2] - joints[3 * b + 2],
  );
}

/** Distance from the joint of a bone without children to the far side of its skin: twice that to its center. */
function ownReach({ shape, joints }: BodyTree, bone: number): number {
  const { centers } = shape;
  let sum = 0;
  for (let c = 0; c < 3; c++) sum += (centers[3 * bone + c] - joints[3 * bone + c]) ** 2;
  return 2 * Math.sqrt(sum);
}
