// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeTimes } from '../../model/clip/clip.ts';
import { selectFrames } from '../../model/clip/select-frames.ts';
import { UsageError } from '../../model/errors.ts';
import { makeMesh } from '../../model/mesh/mesh.ts';
import { parseFrames } from '../parse-frames.ts';

// One vertex whose x is the number of its frame.
const clip = {
  kind: 'clip' as const,
  name: 'ten',
  mesh: makeMesh(new Float32Array(3), new Uint32Array(0)),
  positions: Float32Array.from({ length: 30 }, (_, c) => (c % 3 === 0 ? c / 3 : 0)),
  times: makeTimes(10, 10),
};
const framesOf = (text: string) => {
  const { positions, times } = selectFrames(clip, parseFrames(text));
  const frames = [...positions].filter((_, c) => c % 3 === 0);
  expect([...times].map((time) => Math.round(time * 10))).toEqual(frames);
  return frames;
};

describe('parseFrames', () => {
  it('includes both ends and keeps the times of the frames', () => {
    expect(framesOf('2:4')).toEqual([2, 3, 4]);
    expect(framesOf('8:')).toEqual([8, 9]);
    expect(framesOf(':1')).toEqual([0, 1]);
    expect(framesOf('::4')).toEqual([0, 4, 8]);
    expect(framesOf('1:8:3')).toEqual([1, 4, 7]);
    expect(framesOf('5')).toEqual([5]);
    expect(framesOf(':')).toHaveLength(10);
  });

  it('ends with the clip where the range goes on, and fails where it starts after it', () => {
    expect(framesOf('8:50')).toEqual([8, 9]);
    expect(() => framesOf('10:')).toThrow(/frame 10 does not exist; the last frame is 9/);
  });

  it.each(['', 'x', '1-4', '4:1', '::0', '1:2:3:4', '-1:', '1.5'])('refuses %j', (text) => {
    expect(() => parseFrames(text)).toThrow(UsageError);
  });
});
