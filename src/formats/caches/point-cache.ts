// SPDX-License-Identifier: MIT

import { FormatError } from '../../core/model/errors.ts';
import { coordinateFault, MAX_COORDINATE } from '../../core/model/mesh/coordinate-limit.ts';

/** Frames of positions without a mesh: the content of PC2 and MDD files. */
export interface PointCache {
  vertexCount: number;
  /** frameCount, seconds, ascending from 0 */
  times: Float64Array;
  /** frameCount x vertexCount x 3, file units; may be a view of the bytes it was read from */
  positions: Float32Array;
}

/** The header of a point cache. */
export interface CacheHeader {
  vertexCount: number;
  /** frameCount, seconds, ascending from 0 */
  times: Float64Array;
  /** Offset of the positions in the file. */
  byteStart: number;
}

/**
 * Throws if a position is not finite or out of range; the message contains its frame and vertex.
 * @param first index of the first vertex in the cache, counted through all frames
 */
export function checkCachePositions(
  format: string,
  positions: Float32Array,
  vertexCount: number,
  byteStart: number,
  first = 0,
): void {
  for (let c = 0; c < positions.length; c++) {
    const x = positions[c];
    if (!(x >= -MAX_COORDINATE && x <= MAX_COORDINATE)) {
      const i = first + Math.floor(c / 3);
      throw new FormatError(
        format,
        'value',
        `frame ${Math.floor(i / vertexCount)}, vertex ${i % vertexCount} has a position that is ${coordinateFault(x)}`,
        byteStart + 12 * first + 4 * c,
      );
    }
  }
}

/** Throws unless the counts of the header are positive and match the number of bytes after it. */
export function checkCacheLength(
  format: string,
  frameCount: number,
  vertexCount: number,
  headerLength: number,
  byteLength: number,
): void {
  if (frameCount < 1 || vertexCount < 1) {
    throw new FormatError(
      format,
      frameCount === 0 || vertexCount === 0 ? 'empty' : 'length',
      `its header announces ${frameCount} frames of ${vertexCount} vertices`,
    );
  }
  // Both counts are below 2^32: the product, exact or not, is compared before anything is allocated.
  const expected = headerLength + frameCount * vertexCount * 12;
  if (byteLength === expected) return;
  throw new FormatError(
    format,
    byteLength < expected ? 'truncated' : 'length',
    `its header announces ${frameCount} frames of ${vertexCount} vertices, which take ${expected} bytes, but the file has ${byteLength}`,
    Math.min(byteLength, expected),
  );
}
