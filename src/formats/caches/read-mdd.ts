// SPDX-License-Identifier: MIT
// MDD, the point cache of LightWave, read by Blender, Maya and Houdini too, big-endian: int32 frames, int32 points,
// float32 seconds per frame, then frames x points x 3 float32. It has no magic number.
import { DEFAULT_FPS } from '../../core/model/clip/clip.ts';
import { FormatError, InputError } from '../../core/model/errors.ts';
import { type CacheHeader, checkCacheLength, checkCachePositions, type PointCache } from './point-cache.ts';

export interface ReadMddOptions {
  /** Frames per second for files whose times do not rise (some exporters write zeros there). Default 24. */
  fps?: number;
}

/** Bytes before the times: the numbers of frames and points. */
export const MDD_COUNTS_LENGTH = 8;

/** The number of frames that a file announces; its header has four more bytes for each. */
export function readMddFrameCount(bytes: Uint8Array): number {
  if (bytes.length === 0) throw new FormatError('mdd', 'empty', 'the file is empty');
  if (bytes.length < MDD_COUNTS_LENGTH)
    throw new FormatError('mdd', 'truncated', 'the file ends within its header', bytes.length);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, false);
}

/**
 * Reads the header of an MDD point cache.
 * @param bytes the beginning of the file: the whole header if the file has it
 * @param byteLength of the whole file
 */
export function readMddHeader(bytes: Uint8Array, byteLength: number, options: ReadMddOptions = {}): CacheHeader {
  const fps = options.fps ?? DEFAULT_FPS;
  if (!(fps > 0 && Number.isFinite(fps))) throw new InputError('readMdd', `fps must be positive, got ${fps}`);
  const frameCount = readMddFrameCount(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vertexCount = view.getUint32(4, false);
  const byteStart = MDD_COUNTS_LENGTH + 4 * frameCount;
  checkCacheLength('mdd', frameCount, vertexCount, byteStart, byteLength);

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
  return { vertexCount, times, byteStart };
}

/** Reads an MDD point cache. Times are relative to the first frame. */
export function readMdd(bytes: Uint8Array, options: ReadMddOptions = {}): PointCache {
  const { vertexCount, times, byteStart } = readMddHeader(bytes, bytes.length, options);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const positions = new Float32Array(times.length * vertexCount * 3);
  for (let c = 0; c < positions.length; c++) positions[c] = view.getFloat32(byteStart + 4 * c, false);
  checkCachePositions('mdd', positions, vertexCount, byteStart);
  return { vertexCount, times, positions };
}
