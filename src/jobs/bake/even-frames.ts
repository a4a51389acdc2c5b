// SPDX-License-Identifier: MIT
import { type Clip, frameRateOf } from '../../core/model/clip/clip.ts';
import { checkMemory, type PlayedClip, playSource } from '../../deformers/playback/index.ts';

/** Difference from an even time, relative to the time between frames: less than writers of caches accept. */
const UNEVEN = 0.005;

export interface EvenOptions {
  /** Frames per second. Default: the mean of the clip. */
  rate?: number;
  /** Maximum bytes of the frames. */
  maxMemory?: number;
}

/** The clip at one rate, for formats that hold no times: the last frame is at its end or after it. Undefined if the frames are even already. */
export function evenFrames(played: PlayedClip, { rate, maxMemory }: EvenOptions = {}): Clip | undefined {
  const { times, mesh } = played.clip;
  const count = times.length;
  if (count < 2) return undefined;
  const mean = (times[count - 1] - times[0]) / (count - 1);
  if (times.every((time, k) => Math.abs(time - times[0] - k * mean) <= UNEVEN * mean)) return undefined;
  const fps = rate ?? frameRateOf(times);
  const steps = Math.ceil((times[count - 1] - times[0]) * fps - UNEVEN);
  checkMemory(
    `${steps + 1} even frames`,
    4 * (steps + 1) * mesh.positions.length,
    maxMemory,
    'use a lower rate (--rate)',
  );
  return playSource(
    played,
    Float64Array.from({ length: steps + 1 }, (_, k) => times[0] + k / fps),
  );
}
