// SPDX-License-Identifier: MIT
// MDD, the point cache of LightWave, read by Blender, Maya and Houdini too, big-endian: int32 frames, int32 points,
// float32 seconds per frame, then frames x points x 3 float32. It has no magic number.
import { FormatError, InputError } from '../model/errors.ts';
import { checkCacheLength, checkCachePositions, DEFAULT_FPS, type PointCache } from './point-cache.ts';

export interface ReadMddOptions {
  /** Frames per second for files whose times do not rise (some exporters write zeros there). Default 24. */
  fps?: number;
}

/** Reads an MDD point cache. Times are relative to the first frame. */
export function readMdd(bytes: Uint8Array, options: ReadMddOptions = {}): PointCache {
  const fps = options.fps ?? DEFAULT_FPS;
  if (!(fps > 0 && Number.isFinite(fps))) throw new InputError('readMdd', `fps must be positive, got ${fps}`);
  if (bytes.length === 0) throw new FormatError('mdd', 'empty', 'the file is empty');
  if (bytes.length < 8) throw new FormatError('mdd', 'truncated', 'the file ends within its header', bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frameCount = view.getUint32(0, false);
  const vertexCount = view.getUint32(4, false);
  const headerLength = 8 + 4 * frameCount;
  checkCacheLength('mdd', frameCount, vertexCount, headerLength, bytes.length);

  const times = new Float64Array(frameCount);
  const origin = view.getFloat32(8, false);
  let isRising = true;
  for (let k = 0; k < frameCount; k++) {
    const time = view.getFloat32(8 + 4 * k, false);
    if (!Number.isFinite(time))
      throw new FormatError('mdd', 'value', `the time of frame ${k} is not finite`, 8 + 4 * k);
    times[k] = time - origin;
    if (k > 0 && !(times[k] > times[k - 1])) isRising = false;
  }
  if (!isRising) for (let k = 0; k < frameCount; k++) times[k] = k / fps;

  const positions = new Float32Array(frameCount * vertexCount * 3);
  for (let c = 0; c < positions.length; c++) positions[c] = view.getFloat32(headerLength + 4 * c, false);
  checkCachePositions('mdd', positions, vertexCount, headerLength);
  return { vertexCount, times, positions };
}
