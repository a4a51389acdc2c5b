// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { matchJoints } from '../match-joints.ts';

const creature = makeSample('creature', { resolution: 400, frames: 12 });
const bar = makeSample('bar-bend', { resolution: 150, frames: 12 });

describe('matchJoints', () => {
  it('matches every joint of a clip, and none of another clip', () => {
    for (const { clip, motion, skeleton } of [creature, bar]) {
      const { moving, matched } = matchJoints(clip, motion!);
      expect(matched).toBe(moving);
      expect(moving).toBeGreaterThan(0.5 * skeleton!.names.length);
    }
    expect(matchJoints(creature.clip, bar.motion!)).toEqual({ moving: 5, matched: 0 });
    expect(matchJoints(bar.clip, creature.motion!).matched).toBe(0);
  });

  it('ignores static joints', () => {
    const still = { ...bar.motion!, matrices: bar.motion!.matrices.map((_, e) => makeIdentities(1)[e % 16]) };
    expect(matchJoints(bar.clip, still)).toEqual({ moving: 0, matched: 0 });
    const { mesh, positions } = bar.clip;
    const rigid = { ...bar.clip, positions: positions.map((_, c) => mesh.positions[c % mesh.positions.length]) };
    expect(matchJoints(rigid, bar.motion!)).toEqual({ moving: 5, matched: 0 });
    expect(matchJoints(rigid, still)).toEqual({ moving: 0, matched: 0 });
  });
});
