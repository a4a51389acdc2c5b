// SPDX-License-Identifier: MIT
import type { Studio } from '../state/studio.ts';

/** The first and the last frame that are played. */
export function loopRangeOf({ state, frameCount }: Studio): [number, number] {
  const last = Math.max(0, frameCount - 1);
  const first = Math.min(last, Math.max(0, state.loopStart));
  return [first, state.loopEnd < 0 ? last : Math.max(first, Math.min(last, state.loopEnd))];
}

export function togglePlay(studio: Studio): void {
  const { state, frameCount } = studio;
  if (frameCount < 2) return;
  const [first, last] = loopRangeOf(studio);
  const isAtEnd = state.frame >= last;
  studio.set({ isPlaying: !state.isPlaying, ...(isAtEnd && !state.isPlaying ? { frame: first } : {}) }, 'frame');
}

/** Moves to another frame, and stops. */
export function stepFrame(studio: Studio, by: number): void {
  studio.state.isPlaying = false;
  studio.setFrame(studio.state.frame + by);
}

/** Seconds for which playback waits for the shape of a tool. */
const MAX_HOLD = 1;

/** Advances the time; called before each drawing. */
export function makeClock(studio: Studio): (now: number) => void {
  let last = 0;
  let time = 0;
  let held = 0;
  return (now) => {
    const seconds = Math.min(0.25, (now - last) / 1000);
    last = now;
    const { state } = studio;
    const times = studio.shown?.motions[state.motion]?.times;
    held = studio.isLate ? held + seconds : 0;
    // playback waits for frames that have not arrived, and for the shape of a tool
    if (!state.isPlaying || !times || times.length < 2 || studio.isWaiting || (held > 0 && held < MAX_HOLD)) {
      time = times?.[state.frame] ?? 0;
      return;
    }
    const [start, end] = loopRangeOf(studio).map((k) => times[k]);
    const beat = (times[times.length - 1] - times[0]) / (times.length - 1);
    time += seconds * state.speed;
    if (time < start) time = start;
    if (time > end + beat) {
      if (state.isLooping) time = start + ((time - start) % (end - start + beat));
      else {
        state.isPlaying = false;
        time = end;
      }
    }
    let k = state.frame;
    if (times[k] > time) k = 0;
    while (k + 1 < times.length && times[k + 1] <= time) k++;
    // nothing is between the last frame and the first
    const step = times[k + 1] - times[k];
    const between = state.isInterpolated && times[k] < end && step > 0 ? Math.min(0.999, (time - times[k]) / step) : 0;
    if (k !== state.frame || between !== state.between || !state.isPlaying) {
      const kept = time;
      studio.setFrame(k, state.isPlaying ? between : 0);
      time = kept;
    }
  };
}
