// SPDX-License-Identifier: MIT
// What the page remembers, and what it starts with.
import type { JobProgress } from '../../src/index.ts';

export type ViewMode = 'result' | 'reference' | 'side' | 'wipe' | 'difference';
export type Coloring = 'shaded' | 'heat' | 'weights' | 'clusters' | 'checker';
export type Topic = 'versions' | 'shown' | 'frame' | 'view' | 'comparison' | 'job' | 'busy' | 'pose' | 'live' | 'crowd';

export interface State {
  /** Versions in both slots; -1 for none. */
  reference: number;
  result: number;
  motion: number;
  frame: number;
  isPlaying: boolean;
  isLooping: boolean;
  speed: number;
  view: ViewMode;
  coloring: Coloring;
  hasWire: boolean;
  hasBones: boolean;
  hasVirtual: boolean;
  hasWorst: boolean;
  /** How much the difference view exaggerates. */
  gain: number;
  /** 0 to 1 across the viewport. */
  wipe: number;
  /** The bone whose weights are shown; -1 for all. */
  bone: number;
}

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
  isPlaying: false,
  isLooping: true,
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
};
