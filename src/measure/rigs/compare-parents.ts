// SPDX-License-Identifier: MIT
// Whether the joints of two skeletons are connected alike. Both trees are reduced to the matched joints: a joint is kept if the next matched joint above it is the same in both. Any bone can be the root of the same motion,
// so the share is also measured for the best root of every tree of the result; the difference is what the choice of the root costs. A joint is an edge between two bones: another root turns edges, and keeps the joints.

/** Joints whose next matched ancestor is the same. */
export interface KeptParents {
  /** With the root as written. */
  asWritten: number;
  /** With the best root of every tree. */
  bestRoot: number;
}

/**
 * Counts kept parents.
 * @param parents jointCount of the reference: -1 for a root
 * @param found jointCount of the result: -1 for a root
 * @param matches by joint of the result: the joint of the reference, or -1; roots of the result must be -1
 */
export function compareParents(parents: ArrayLike<number>, found: ArrayLike<number>, matches: Int32Array): KeptParents {
  const isMatched = new Uint8Array(parents.length);
  for (const match of matches) if (match >= 0) isMatched[match] = 1;
  const expected = (joint: number): number => {
    let at = parents[joint];
    while (at >= 0 && !isMatched[at]) at = parents[at];
    return at;
  };
  const near: { bone: number; joint: number }[][] = Array.from({ length: found.length }, () => []);
  for (let b = 0; b < found.length; b++) {
    if (found[b] < 0) continue;
    near[b].push({ bone: found[b], joint: b });
    near[found[b]].push({ bone: b, joint: b });
  }
  const countFrom = (root: number): { kept: number; bones: number[] } => {
    const bones = [root];
    /** By bone: the next matched joint above its own joint, a joint of the reference; -1 if there is none. */
    const above = new Map<number, number>([[root, -1]]);
    let kept = 0;
    for (const bone of bones) {
      for (const { bone: next, joint } of near[bone]) {
        if (above.has(next)) continue;
        const before = above.get(bone) ?? -1;
        const match = matches[joint];
        if (match >= 0 && expected(match) === before) kept++;
        above.set(next, match >= 0 ? match : before);
        bones.push(next);
      }
    }
    return { kept, bones };
  };
  let [asWritten, bestRoot] = [0, 0];
  for (let b = 0; b < found.length; b++) {
    if (found[b] >= 0) continue;
    const { kept, bones } = countFrom(b);
    asWritten += kept;
    bestRoot += bones.reduce((best, root) => Math.max(best, countFrom(root).kept), 0);
  }
  return { asWritten, bestRoot };
}
