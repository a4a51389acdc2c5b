// SPDX-License-Identifier: MIT
// The state of the page, and its initial values.
import type { JobProgress } from '../../../src/entry/index.ts';

export type ViewMode = 'result' | 'reference' | 'side' | 'wipe' | 'difference';
export type Coloring = 'material' | 'shaded' | 'heat' | 'weights' | 'clusters' | 'checker' | 'light';
export type Topic =
  | 'versions'
  | 'shown'
  | 'frame'
  | 'frames'
  | 'view'
  | 'comparison'
  | 'job'
  | 'busy'
  | 'pose'
  | 'live'
  | 'edit'
  | 'crowd'
  | 'history'
  | 'bone';

export interface State {
  /** Versions in both slots; -1 for none. */
  reference: number;
  result: number;
  motion: number;
  frame: number;
  /** Part of the way to the next frame, 0 to below 1, while frames are interpolated. */
  between: number;
  isPlaying: boolean;
  isLooping: boolean;
  isInterpolated: boolean;
  /** First and last frame that are played; -1 for the ends of the motion. */
  loopStart: number;
  loopEnd: number;
  speed: number;
  view: ViewMode;
  coloring: Coloring;
  hasWire: boolean;
  hasBones: boolean;
  hasVirtual: boolean;
  hasWorst: boolean;
  /** Factor of the difference view. */
  gain: number;
  /** Position of the wipe line, 0 to 1 across the viewport. */
  wipe: number;
  /** The bone under the pointer; -1 for none. */
  bone: number;
  /** The bone whose weights stay shown; -1 for none. */
  lock: number;
}

/** What undo does not restore: where the playback is, and what is under the pointer. */
export type Passing = 'frame' | 'between' | 'isPlaying' | 'bone';

export interface RunningJob {
  name: string;
  version: number;
  progress: JobProgress;
  /** What the live plot shows: seconds and E_RMS. */
  seconds: number[];
  errors: number[];
  isCancelled: boolean;
  start: number;
}

export const START: State = {
  reference: -1,
  result: -1,
  motion: 0,
  frame: 0,
  between: 0,
  isPlaying: false,
  isLooping: true,
  isInterpolated: true,
  loopStart: -1,
  loopEnd: -1,
  speed: 1,
  view: 'result',
  coloring: 'shaded',
  hasWire: false,
  hasBones: false,
  hasVirtual: true,
  hasWorst: true,
  gain: 10,
  wipe: 0.5,
  bone: -1,
  lock: -1,
};
