// SPDX-License-Identifier: MIT
import type { Animation, Track } from '../model/clip/animation.ts';
import { sizeOfTrack } from './sample-track.ts';

/** Seconds between the two keys of a jump, at least, and relative to its time: a hundredth of a frame of a fast display, and far above the rounding of 32-bit times. */
const JUMP_SECONDS = 1e-5;
const JUMP_OF_TIME = 4e-6;

/** The last moment before a jump, as a 32-bit time. Two keys, there and at the jump, are a jump wherever keys are interpolated. */
export function justBefore(time: number): number {
  return Math.fround(time - Math.max(JUMP_SECONDS, JUMP_OF_TIME * Math.abs(time)));
}

/** Whether two times are the two keys of a jump: nothing is to be seen between them. */
export function isJump(before: number, after: number): boolean {
  return after - before <= 2 * Math.max(JUMP_SECONDS, JUMP_OF_TIME * Math.abs(after));
}

/** Times at which STEP tracks of an animation change their value, ascending, each once. */
export function listJumps({ tracks }: Animation): number[] {
  const jumps = new Set<number>();
  for (const track of tracks) {
    if (track.interpolation !== 'STEP') continue;
    for (let k = 1; k < track.times.length; k++) if (differs(track, k)) jumps.add(track.times[k]);
  }
  return [...jumps].sort((a, b) => a - b);
}

/** Whether key k has another value than the one before. */
function differs(track: Track, k: number): boolean {
  const size = sizeOfTrack(track);
  for (let c = 0; c < size; c++) if (track.values[k * size + c] !== track.values[(k - 1) * size + c]) return true;
  return false;
}
