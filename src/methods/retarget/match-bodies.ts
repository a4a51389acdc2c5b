// SPDX-License-Identifier: MIT
// Which joint of one rig is which of another, by their labels. Chains of different lengths (spines, necks, tails, fingers) are paired by the share of the chain that lies behind: joint i of n takes joint j of m
// with (j + 1) / m nearest to (i + 1) / n, so that the last ones are always a pair and the whole bend is kept.
import type { RestRig } from './rest-rig.ts';

export interface JointPair {
  /** Node of the source. */
  from: number;
  /** Node of the target. */
  to: number;
  /** Its slot, such as `upperArm.left`. */
  slot: string;
}

/** Slots that stand in for one that a source does not have. */
const INSTEAD: Readonly<Record<string, string>> = { 'middle.left': 'index.left', 'middle.right': 'index.right' };

/** Pairs of joints, those of the target in the order of its nodes. */
export function matchBodies(source: RestRig, target: RestRig): JointPair[] {
  const pairs: JointPair[] = [];
  for (const [slot, joints] of target.slots) {
    const own = source.slots.get(slot) ?? source.slots.get(INSTEAD[slot] ?? '');
    if (!own) continue;
    joints.forEach((to, i) => {
      const share = ((i + 1) / joints.length) * own.length;
      const from = own[Math.min(own.length - 1, Math.max(0, Math.round(share) - 1))];
      pairs.push({ from, to, slot });
    });
  }
  return pairs.sort((a, b) => a.to - b.to);
}
