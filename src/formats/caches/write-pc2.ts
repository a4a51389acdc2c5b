// SPDX-License-Identifier: MIT

import { type Clip, checkClip, DEFAULT_FPS } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import { PC2_HEADER_LENGTH, PC2_MAGIC } from './read-pc2.ts';

/** Options of writePc2. */
export interface WritePc2Options {
  /** Frames per second of the target timeline. PC2 stores the interval between samples in frames. Default 24. */
  fps?: number;
}

/** Tolerance on even spacing, relative to a step: times are often float32 multiples of 1/24 or 1/30. */
const UNEVEN = 0.01;

/**
 * Writes the frames of a clip as a PC2 point cache. Throws an InputError if the frames are not evenly spaced, which the format requires.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { writeObj, writePc2 } from 'ossify';
 *
 * await writeFile('cloth.obj', writeObj(clip.mesh));
 * await writeFile('cloth.pc2', writePc2(clip, { fps: 30 }));
 * ```
 */
export function writePc2(clip: Clip, options: WritePc2Options = {}): Uint8Array<ArrayBuffer> {
  const fps = options.fps ?? DEFAULT_FPS;
  if (!(fps > 0 && Number.isFinite(fps))) throw new InputError('writePc2', `fps must be positive, got ${fps}`);
  checkClip(clip);
  const { times, positions } = clip;
  const frameCount = times.length;
  if (positions.length === 0) throw new InputError('writePc2', 'the clip has no frames or no vertices');
  const step = frameCount > 1 ? (times[frameCount - 1] - times[0]) / (frameCount - 1) : 1 / fps;
  for (let k = 0; k < frameCount; k++) {
    if (!(Math.abs(times[k] - times[0] - k * step) <= UNEVEN * step))
      throw new InputError(
        'writePc2',
        'PC2 needs evenly spaced frames; write MDD, or sample the clip at a steady rate',
      );
  }
  const bytes = new Uint8Array(PC2_HEADER_LENGTH + 4 * positions.length);
  const view = new DataView(bytes.buffer);
  for (let n = 0; n < PC2_MAGIC.length; n++) bytes[n] = PC2_MAGIC.charCodeAt(n);
  view.setInt32(12, 1, true);
  view.setInt32(16, positions.length / frameCount / 3, true);
  view.setFloat32(20, 0, true);
  view.setFloat32(24, step * fps, true);
  view.setInt32(28, frameCount, true);
  for (let c = 0; c < positions.length; c++) view.setFloat32(PC2_HEADER_LENGTH + 4 * c, positions[c], true);
  return bytes;
}
