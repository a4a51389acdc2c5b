// SPDX-License-Identifier: MIT
import { allRead, type Solve } from '../../core/options/method.ts';
import { frameIndexOf, type TRACK_OPTIONS } from './options.ts';
import { trackFrames } from './track-frames.ts';
import type { TrackInput, TrackResult } from './track-input.ts';

/** Registers a template to all frames (track-frames.ts). A stopped solve ends with an AbortError. */
export const solve: Solve<typeof TRACK_OPTIONS, TrackInput, TrackResult> = async (run, input, options) => {
  const { template, ...rest } = options;
  allRead(rest);
  return trackFrames(run.compute, input.frames, {
    ...input,
    template: input.template ?? frameIndexOf({ template }, input.frames.length),
    signal: run.signal,
    onProgress: (info) => run.onProgress?.(info),
  });
};
