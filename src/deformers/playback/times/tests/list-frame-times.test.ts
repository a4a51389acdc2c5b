// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Animation } from '../../../../core/model/clip/animation.ts';
import { countFrames, detectFrameRate, listFrameTimes, listKeyTimes } from '../list-frame-times.ts';

function animationOf(...keys: number[][]): Animation {
  const tracks = keys.map((times) => ({
    node: 0,
    path: 'translation' as const,
    interpolation: 'LINEAR' as const,
    times: Float32Array.from(times),
    values: new Float32Array(times.length * 3),
  }));
  return { name: 'a', duration: Math.max(...keys.flat()), tracks };
}
const steps = (count: number, fps: number, from = 0): number[] =>
  Array.from({ length: count }, (_, k) => (from + k) / fps);

describe('the frame rate of keys', () => {
  it('is found from regular keys, also if some are missing, rounded, or start late', () => {
    expect(detectFrameRate(animationOf(steps(60, 24)))).toBe(24);
    expect(detectFrameRate(animationOf([0, 1 / 30, 4 / 30, 1], [2 / 30, 2]))).toBe(30);
    const inMilliseconds = steps(200, 24).map((t) => Math.round(t * 1000) / 1000);
    expect(detectFrameRate(animationOf(inMilliseconds))).toBeCloseTo(24, 1);
    expect(detectFrameRate(animationOf(steps(30, 25, 1)))).toBe(25);
    expect(detectFrameRate(animationOf(steps(300, 29.97)))).toBeCloseTo(29.97, 4);
  });

  it('is 30 for irregular keys and for a single key', () => {
    expect(detectFrameRate(animationOf([0, 0.1, 0.37, 0.9]))).toBe(30);
    expect(detectFrameRate(animationOf([0.5]))).toBe(30);
    expect(detectFrameRate(animationOf(steps(10, 1000)))).toBe(30);
  });

  it('divides slow key rates, so that every key stays a frame', () => {
    expect(detectFrameRate(animationOf([0, 1, 2]))).toBe(30);
    expect(detectFrameRate(animationOf([0, 0.25, 0.5]))).toBe(32);
  });
});

describe('frame times', () => {
  it('run from start to end, both included', () => {
    expect([...listFrameTimes(animationOf([0, 1]), { fps: 4 })]).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect([...listFrameTimes(animationOf([0, 1]), { fps: 4, start: 0.5 })]).toEqual([0.5, 0.75, 1]);
  });

  it('end at the duration with a shorter last step if the rate does not divide it', () => {
    expect([...listFrameTimes(animationOf([0, 1.1]), { fps: 2 })].map((t) => +t.toFixed(3))).toEqual([0, 0.5, 1, 1.1]);
    // Single precision makes 50 / 30 slightly more than that; it is still 51 frames.
    expect(listFrameTimes(animationOf([0, Math.fround(50 / 30)]), { fps: 30 }).length).toBe(51);
  });

  it('are the keys of all tracks on request', () => {
    const animation = animationOf([0, 0.5, 1], [0.25, 0.5]);
    expect(listKeyTimes(animation)).toEqual([0, 0.25, 0.5, 1]);
    expect([...listFrameTimes(animation, { keys: true, start: 0.2, end: 0.9 })]).toEqual([0.25, 0.5]);
    expect([...listFrameTimes(animation, { keys: true, start: 5, end: 6 })]).toEqual([5]);
  });

  it('reject impossible ranges and rates', () => {
    expect(() => listFrameTimes(animationOf([0, 1]), { start: 2, end: 1 })).toThrow('start must not be after end');
    expect(() => listFrameTimes(animationOf([0, 1]), { fps: 0 })).toThrow('fps must be a positive number, got 0');
    expect(() => listFrameTimes(animationOf([0, 1]), { fps: 1000, maxMemory: 5000 })).toThrow(
      '1001 frames of 1 s at 1000 frames per second need',
    );
  });

  it('can be thinned out, and counted without a list', () => {
    const animation = animationOf([0, 1]);
    expect([...listFrameTimes(animation, { fps: 4, frames: { step: 2 } })]).toEqual([0, 0.5, 1]);
    expect([...listFrameTimes(animation, { fps: 4, frames: { step: 3 } })]).toEqual([0, 0.75]);
    expect(countFrames(animation, { fps: 4, frames: { step: 3 } })).toBe(2);
    expect(countFrames(animationOf([0, 1e6]), { fps: 30 })).toBe(30_000_001);
    expect([...listFrameTimes(animation, { fps: 4, frames: { first: 3, last: 9 } })]).toEqual([0.75, 1]);
    expect([...listFrameTimes(animation, { fps: 4, frames: { first: 1, last: 2 } })]).toEqual([0.25, 0.5]);
    expect(() => listFrameTimes(animation, { fps: 4, frames: { first: 5 } })).toThrow('frame 5 does not exist');
  });

  it('of few keys that are far apart require a rate or a range, where frames take memory', () => {
    const animation = animationOf([0, 30_000]);
    const frame = { bytesPerFrame: 12 };
    expect(() => listFrameTimes(animation, frame)).toThrow(
      '900001 frames of 30000 s at 30 frames per second are too many for keys at 2 times',
    );
    expect(listFrameTimes(animation, { ...frame, frames: { first: 10, last: 20 } })).toHaveLength(11);
    expect(listFrameTimes(animation, { ...frame, fps: 1 })).toHaveLength(30_001);
    expect(listFrameTimes(animation)).toHaveLength(900_001);
    // as many keys as frames
    expect(listFrameTimes(animationOf(Array.from({ length: 20_001 }, (_, n) => n / 30)), frame)).toHaveLength(20_001);
  });
});
