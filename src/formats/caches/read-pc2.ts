// SPDX-License-Identifier: MIT
// PC2, the point cache of 3ds Max and Blender, little-endian: char[12] "POINTCACHE2\0", int32 version (1), int32 points,
// float32 start frame, float32 frames per sample, int32 samples, then samples x points x 3 float32. Counts are read as
// unsigned, so that messages about invalid counts are readable.
import { DEFAULT_FPS } from '../../core/model/clip/clip.ts';
import { FormatError, InputError } from '../../core/model/errors.ts';
import { type CacheHeader, checkCacheLength, checkCachePositions, type PointCache } from './point-cache.ts';

export const PC2_MAGIC = 'POINTCACHE2\0';
export const PC2_HEADER_LENGTH = 32;

export interface ReadPc2Options {
  /** Frames per second: the file stores times in frames. Default 24. */
  fps?: number;
}

/**
 * Reads the header of a PC2 point cache.
 * @param bytes the beginning of the file, at least PC2_HEADER_LENGTH bytes if it has as many
 * @param byteLength of the whole file
 */
export function readPc2Header(bytes: Uint8Array, byteLength: number, options: ReadPc2Options = {}): CacheHeader {
  const fps = options.fps ?? DEFAULT_FPS;
  if (!(fps > 0 && Number.isFinite(fps))) throw new InputError('readPc2', `fps must be positive, got ${fps}`);
  if (bytes.length === 0) throw new FormatError('pc2', 'empty', 'the file is empty');
  const magicLength = Math.min(bytes.length, PC2_MAGIC.length);
  for (let n = 0; n < magicLength; n++) {
    if (bytes[n] !== PC2_MAGIC.charCodeAt(n)) throw new FormatError('pc2', 'magic', 'it is not a PC2 point cache', n);
  }
  if (bytes.length < PC2_HEADER_LENGTH)
    throw new FormatError('pc2', 'truncated', 'the file ends within its header', bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getInt32(12, true);
  if (version !== 1)
    throw new FormatError('pc2', 'version', `PC2 version ${version} is not known; version 1 is read`, 12);
  const vertexCount = view.getUint32(16, true);
  const startFrame = view.getFloat32(20, true);
  const rate = view.getFloat32(24, true);
  const frameCount = view.getUint32(28, true);
  checkCacheLength('pc2', frameCount, vertexCount, PC2_HEADER_LENGTH, byteLength);
  if (!Number.isFinite(startFrame)) throw new FormatError('pc2', 'value', 'its start frame is not finite', 20);
  if (frameCount > 1 && !(rate > 0 && Number.isFinite(rate)))
    throw new FormatError('pc2', 'value', `its sample rate of ${rate} frames is not positive`, 24);
  // Seconds from the first sample: the start frame of the cache is not used.
  const times = Float64Array.from({ length: frameCount }, (_, k) => (k === 0 ? 0 : (k * rate) / fps));
  return { vertexCount, times, byteStart: PC2_HEADER_LENGTH };
}

/** Reads a PC2 point cache. The positions are a view of the bytes if the alignment allows it: do not change those afterwards. */
export function readPc2(bytes: Uint8Array, options: ReadPc2Options = {}): PointCache {
  const { vertexCount, times } = readPc2Header(bytes, bytes.length, options);
  const positions = littleEndianFloats(bytes, PC2_HEADER_LENGTH, times.length * vertexCount * 3);
  checkCachePositions('pc2', positions, vertexCount, PC2_HEADER_LENGTH);
  return { vertexCount, times, positions };
}

/** float32 numbers from a byte offset: a view if byte order and alignment allow it, otherwise a copy. */
function littleEndianFloats(bytes: Uint8Array, start: number, count: number): Float32Array {
  const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
  if (isLittleEndian && (bytes.byteOffset + start) % 4 === 0)
    return new Float32Array(bytes.buffer, bytes.byteOffset + start, count);
  if (isLittleEndian) return new Float32Array(bytes.slice(start, start + 4 * count).buffer);
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, 4 * count);
  const out = new Float32Array(count);
  for (let c = 0; c < count; c++) out[c] = view.getFloat32(4 * c, true);
  return out;
}
