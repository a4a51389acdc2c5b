// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { frameOf } from '../model/clip.ts';
import { makeSample } from '../sample/make-sample.ts';
import { orientFrames } from './orient-frames.ts';

const framesOf = (name: string) => {
  const { clip } = makeSample(name, { resolution: 300, frames: 12 });
  return [0, 1, 2, 3].map((k) => ({ positions: frameOf(clip, k).slice(), triangles: clip.mesh.triangles }));
};

describe('orientFrames', () => {
  it.each(['creature', 'quadruped', 'bar-bend', 'sheet', 'parts'])('leaves %s as it is', (name) => {
    const frames = framesOf(name);
    expect(orientFrames(frames)).toEqual({ frames, turned: [], rotated: [] });
  });

  it('turns the triangles of an inside-out frame', () => {
    const frames = framesOf('creature');
    const inward = frames[1].triangles.map((_, c, all) => all[c - (c % 3) + [0, 2, 1][c % 3]]);
    const { frames: found, turned } = orientFrames(frames.with(1, { ...frames[1], triangles: inward }));
    expect(turned).toEqual([1]);
    expect(found).toEqual(frames);
  });

  it('finds a frame with another up axis, also the last', () => {
    for (const name of ['creature', 'quadruped']) {
      const frames = framesOf(name);
      for (const k of [1, 3]) {
        const { positions } = frames[k];
        const rotated = positions.map((_, c) => [positions[c], -positions[c + 1], positions[c - 1]][c % 3]);
        expect(orientFrames(frames.with(k, { ...frames[k], positions: rotated })).rotated).toEqual([k]);
      }
    }
  });
});
