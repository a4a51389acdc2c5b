// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compareParents } from '../compare-parents.ts';

describe('compareParents', () => {
  // reference: hips 0, spine 1, head 2; leg 3, foot 4
  const parents = [-1, 0, 1, 0, 3];

  it('counts all joints of an equal tree', () => {
    const matches = Int32Array.of(-1, 1, 2, 3, 4);
    expect(compareParents(parents, parents, matches)).toEqual({ asWritten: 4, bestRoot: 4 });
  });

  it('skips joints that are not matched', () => {
    // one more bone in the leg, and no spine
    const found = [-1, 0, 0, 2, 3];
    expect(compareParents(parents, found, Int32Array.of(-1, 2, 3, -1, 4)).asWritten).toBe(3);
  });

  it('counts a wrong root as written, and not with the best root', () => {
    // the head bone is the root: head 0, spine 1 (joint 2), hips 2 (joint 1), leg 3, foot 4
    const found = [-1, 0, 1, 2, 3];
    const matches = Int32Array.of(-1, 2, 1, 3, 4);
    const kept = compareParents(parents, found, matches);
    // head, spine and leg have another joint above them; the foot keeps the leg
    expect(kept).toEqual({ asWritten: 1, bestRoot: 4 });
  });

  it('counts a joint on the wrong parent', () => {
    const found = [-1, 0, 1, 0, 1];
    expect(compareParents(parents, found, Int32Array.of(-1, 1, 2, 3, 4)).bestRoot).toBe(3);
  });
});
