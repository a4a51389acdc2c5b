// SPDX-License-Identifier: MIT
// The separation of the error of a virtual bone by joints. A pose of joint g depends only on Y, the sum of Δ under g; the sets under joints are nested like the
// skeleton. If one bone of a patch is an ancestor of all others, and every joint moves the subtree of one of them, the sums of the others are independent
// unknowns: Δₑ += dY, Δ of the next bone above −= dY changes the sum of e and no other. Each of them is then a separate problem of ten numbers.
import type { BoneMoments } from '../compress-moments.ts';
import type { Joints } from '../examples/continuous-joints.ts';

/** One independent sum. */
export interface TreeSum {
  /** The entry of the bone that owns it, and that of the next bone above. */
  entry: number;
  above: number;
  /** Indices of the joints of the moments that depend on it. */
  places: number[];
}

/** The independent sums of a bone's entries, or undefined if they depend on one another. */
export function listTreeSums(joints: Joints, bones: ArrayLike<number>, moments: BoneMoments): TreeSum[] | undefined {
  const count = bones.length;
  const jointOfEntry = Array.from(bones, (bone) => joints.bones.indexOf(bone));
  const isUnder = (joint: number, entry: number): boolean =>
    joint < 0 || joints.under[joint * joints.boneCount + bones[entry]] === 1;
  const sizeOf = (joint: number): number => {
    let size = 0;
    for (let e = 0; e < count; e++) if (isUnder(joint, e)) size++;
    return size;
  };
  const sizes = jointOfEntry.map(sizeOf);
  const top = sizes.indexOf(count);
  if (top < 0 || sizes.lastIndexOf(count) !== top) return undefined;
  const sums = new Map<number, TreeSum>();
  for (let e = 0; e < count; e++) {
    if (e === top) continue;
    let above = top;
    for (let f = 0; f < count; f++) {
      if (f !== e && isUnder(jointOfEntry[f], e) && sizes[f] < sizes[above]) above = f;
    }
    sums.set(e, { entry: e, above, places: [] });
  }
  for (let place = 0; place < moments.joints.length; place++) {
    const g = moments.joints[place];
    // frames move every bone independently
    if (g >= joints.bones.length) return undefined;
    const size = sizeOf(g);
    let owner = -1;
    for (let e = 0; e < count && owner < 0; e++) if (isUnder(g, e) && sizes[e] === size) owner = e;
    const sum = sums.get(owner);
    if (!sum) return undefined;
    sum.places.push(place);
  }
  return [...sums.values()].filter(({ places }) => places.length > 0);
}
