// SPDX-License-Identifier: MIT
import { InputError } from '../errors.ts';
import type { Mesh } from '../mesh/mesh.ts';

/** Frames per second of formats without a frame rate. */
export const DEFAULT_FPS = 24;

/** A mesh in motion: one set of positions per frame, same vertices and triangles throughout. */
export interface Clip {
  /** Discriminator. */
  kind: 'clip';
  /** Name of the animation. */
  name: string;
  /** The rest pose. It is not one of the frames, unless the file repeats it there. */
  mesh: Mesh;
  /** frameCount x vertexCount x 3, model space, file units */
  positions: Float32Array;
  /** frameCount, seconds, ascending */
  times: Float64Array;
}

/** Number of frames of a clip. */
export function frameCountOf(clip: Clip): number {
  return clip.times.length;
}

/** Positions of frame k, vertexCount x 3: a view, not a copy. */
export function frameOf(clip: Clip, k: number): Float32Array {
  const stride = clip.mesh.positions.length;
  return clip.positions.subarray(k * stride, (k + 1) * stride);
}

/**
 * Frame times in seconds at a constant rate, from zero.
 * @param fps frames per second
 */
export function makeTimes(frameCount: number, fps: number): Float64Array {
  return Float64Array.from({ length: frameCount }, (_, k) => k / fps);
}

/** The frame rate of times at a constant rate; for a single frame, the fallback. */
export function frameRateOf(times: Float64Array, fallback = DEFAULT_FPS): number {
  const last = times.length - 1;
  const span = last > 0 ? times[last] - times[0] : 0;
  return span > 0 ? last / span : fallback;
}

/** Throws an InputError if the sizes do not match or a position is not finite. */
export function checkClip(clip: Clip): void {
  const stride = clip.mesh.positions.length;
  if (clip.positions.length !== stride * clip.times.length) {
    throw new InputError(
      'clip',
      `${clip.times.length} frames of ${stride / 3} vertices need ${stride * clip.times.length} numbers, got ${clip.positions.length}`,
    );
  }
  for (let c = 0; c < clip.positions.length; c++) {
    if (!Number.isFinite(clip.positions[c])) {
      const k = Math.floor(c / stride);
      throw new InputError(
        'clip',
        `frame ${k}, vertex ${Math.floor((c - k * stride) / 3)} has a position that is not finite`,
      );
    }
  }
}
