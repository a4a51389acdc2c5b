// SPDX-License-Identifier: MIT

import { InputError } from '../errors.ts';
import { type Clip, frameCountOf } from './clip.ts';
import type { Motion } from './motion.ts';

/** Frames of several clips of one mesh, one after the other; a single clip is returned unchanged. */
export function joinClips(clips: readonly Clip[]): Clip {
  if (clips.length === 0) throw new InputError('decompose', 'no clip given');
  const [first] = clips;
  if (clips.length === 1) return first;
  const stride = first.mesh.positions.length;
  for (const clip of clips) {
    if (clip.mesh.positions.length !== stride) {
      throw new InputError(
        'decompose',
        `clip "${clip.name}" has ${clip.mesh.positions.length / 3} vertices, "${first.name}" has ${stride / 3}`,
      );
    }
  }
  const frameCount = clips.reduce((sum, clip) => sum + frameCountOf(clip), 0);
  const positions = new Float32Array(frameCount * stride);
  const times = new Float64Array(frameCount);
  let frame = 0;
  for (const clip of clips) {
    positions.set(clip.positions, frame * stride);
    times.set(clip.times, frame);
    frame += frameCountOf(clip);
  }
  return { kind: 'clip', name: first.name, mesh: first.mesh, positions, times };
}

/** Splits the motion of joined clips into one motion per clip. */
export function splitMotion(motion: Motion, clips: readonly Clip[]): Motion[] {
  const stride = motion.times.length === 0 ? 0 : motion.matrices.length / motion.times.length;
  let frame = 0;
  return clips.map((clip) => {
    const end = frame + frameCountOf(clip);
    const part = { name: clip.name, times: clip.times, matrices: motion.matrices.slice(frame * stride, end * stride) };
    frame = end;
    return part;
  });
}
