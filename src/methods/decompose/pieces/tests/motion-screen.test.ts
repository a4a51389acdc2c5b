// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { MotionScreen } from '../motion-screen.ts';
import { addMoments, type Group, makeGroup, measureJoined, measureMoments, measureUnder } from '../rigid-moments.ts';

const FRAMES = 5;
const COUNT = 12;

/** Tetrahedra that move by themselves, and are bent a little. */
function makeGroups(): Group[] {
  const random = makeRandom(3);
  const size = 12 * COUNT;
  const rest = Float32Array.from({ length: size }, () => random.next());
  const positions = new Float32Array(FRAMES * size);
  for (let k = 0; k < FRAMES; k++)
    for (let n = 0; n < COUNT; n++) {
      const shift = [0, 1, 2].map(() => k * random.next());
      for (let c = 12 * n; c < 12 * n + 12; c++) positions[k * size + c] = rest[c] + shift[c % 3] + 0.1 * random.next();
    }
  const clip = {
    ...{ kind: 'clip' as const, name: '', positions, times: Float64Array.from({ length: FRAMES }, (_, k) => k) },
    mesh: makeMesh(
      rest,
      Uint32Array.from({ length: 4 * COUNT }, (_, v) => v),
    ),
  };
  return Array.from({ length: COUNT }, (_, n) =>
    makeGroup([n], measureMoments(clip, Uint32Array.of(4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3))),
  );
}

describe('the screen of motions', () => {
  it('gives the error under a motion, or infinity where it exceeds the limit', () => {
    const groups = makeGroups();
    const screen = new MotionScreen(groups);
    const limit = measureUnder(groups[0].moments, groups[1].motion);
    const seen = [0, 0];
    for (const { moments } of groups)
      for (const { motion } of groups) {
        const exact = measureUnder(moments, motion);
        const found = screen.measure(moments, motion, limit);
        expect(found).toBe(exact <= limit ? exact : Number.POSITIVE_INFINITY);
        seen[Number(exact <= limit)]++;
      }
    expect(Math.min(...seen)).toBeGreaterThan(COUNT);
  });

  it('measures two groups together as one group', () => {
    const [a, b] = makeGroups();
    expect(measureJoined(a.moments, b.moments)).toBe(makeGroup([], addMoments(a.moments, b.moments)).error);
  });
});
