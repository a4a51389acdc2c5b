// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { type Clip, frameCountOf, makeTimes } from '../../../../core/model/clip/clip.ts';
import { normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { chooseFrames } from '../choose-frames.ts';
import { takeFrames } from '../take-frames.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

const { clip } = makeSample('bar-bend', { resolution: 100, frames: 8 });
const stride = clip.mesh.positions.length;

/** A clip of the given frames of the sample, in this order. */
function repeat(frames: number[]): Clip {
  const positions = new Float32Array(frames.length * stride);
  frames.forEach((k, n) => {
    positions.set(clip.positions.subarray(k * stride, (k + 1) * stride), n * stride);
  });
  return { ...clip, positions, times: makeTimes(frames.length, 24) };
}

describe('chooseFrames', () => {
  it('returns all frames of a short clip', () => {
    const { trajectories } = normalizeClip(compute, clip);
    expect([...chooseFrames(trajectories, 8)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('chooses no frame twice if frames repeat, and no frame of a body that only moves rigidly', () => {
    const long = repeat([3, 3, 3, 6, 6, 3, 6, 3]);
    const chosen = chooseFrames(normalizeClip(compute, long).trajectories, 5);
    expect([...chosen]).toEqual([0, 3]);
    const moved = repeat([0, 0, 0, 0]);
    for (let k = 0; k < 4; k++)
      for (let e = 0; e < stride; e++) moved.positions[k * stride + e] = clip.mesh.positions[e] + (e % 3 === 1 ? k : 0);
    expect([...chooseFrames(normalizeClip(compute, moved).trajectories, 2)]).toEqual([0]);
  });

  it('takes the largest displacement first', () => {
    const { trajectories } = normalizeClip(compute, clip);
    const [first] = chooseFrames(trajectories, 1);
    const two = chooseFrames(trajectories, 2);
    expect(two).toHaveLength(2);
    expect([...two]).toContain(first);
  });
});

describe('takeFrames', () => {
  it('copies frames in file units and in solver units', () => {
    const normalized = normalizeClip(compute, clip);
    const taken = takeFrames(compute, clip, normalized, Uint32Array.of(2, 5));
    expect(frameCountOf(taken.clip)).toBe(2);
    expect(taken.clip.positions.subarray(stride)).toEqual(clip.positions.subarray(5 * stride, 6 * stride));
    const own = normalizeClip(compute, taken.clip);
    expect(taken.normalized.frameCenters).toEqual(own.frameCenters);
    expect(taken.normalized.trajectories.posed.view()).toEqual(own.trajectories.posed.view());
    expect(taken.normalized.trajectories.squares.view()).toEqual(own.trajectories.squares.view());
  });
});
