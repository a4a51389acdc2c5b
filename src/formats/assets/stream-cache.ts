// SPDX-License-Identifier: MIT
// Point caches that are larger than the memory: only the header is read at once. Positions follow frame by frame (PC2 and MDD store whole frames), so that a block of
// points is one range of every frame.

import type { PointSource } from '../../core/model/clip/point-source.ts';
import { FormatError } from '../../core/model/errors.ts';
import {
  type CacheAxes,
  type CacheHeader,
  checkCachePositions,
  MDD_COUNTS_LENGTH,
  PC2_HEADER_LENGTH,
  readMddFrameCount,
  readMddHeader,
  readPc2Header,
} from '../caches/index.ts';
import { plainName, type RangeFile } from '../shared/index.ts';
import { sniffFormat } from './sniff-format.ts';

/** Bytes that are read to recognize a format. */
const SNIFF_LENGTH = 64;
/** Points that are read at once where only some of them are needed. */
const PICK_BLOCK = 65_536;

/** A point cache of which ranges are read. */
export interface CacheStream extends CacheHeader {
  name: string;
  /** Fills out with points of frame k from the first one. Throws a FormatError at positions that are not valid. */
  readInto(k: number, first: number, out: Float32Array): Promise<void>;
}

/** Opens a PC2 or MDD point cache; undefined if the file has another format. */
export async function streamCache(file: RangeFile, options: { fps?: number } = {}): Promise<CacheStream | undefined> {
  const head = await readStart(file, SNIFF_LENGTH);
  const { name: format } = sniffFormat(file.name, head);
  if (format !== 'pc2' && format !== 'mdd') return undefined;
  const header =
    format === 'pc2'
      ? readPc2Header(await readStart(file, PC2_HEADER_LENGTH), file.byteLength, options)
      : readMddHeader(await readStart(file, MDD_COUNTS_LENGTH + 4 * readMddFrameCount(head)), file.byteLength, options);
  const { vertexCount, byteStart } = header;
  // float32 numbers of this machine, swapped if the file has the other byte order
  const isSwapped = (format === 'mdd') === (new Uint8Array(Uint16Array.of(1).buffer)[0] === 1);
  return {
    ...header,
    name: file.name,
    async readInto(k, first, out) {
      const start = k * vertexCount + first;
      const bytes = new Uint8Array(out.buffer, out.byteOffset, out.byteLength);
      await file.readInto(bytes, byteStart + 12 * start);
      if (isSwapped) swapBytes(bytes);
      checkCachePositions(format, out, vertexCount, byteStart, start);
    },
  };
}

async function readStart(file: RangeFile, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.min(length, file.byteLength));
  await file.readInto(bytes, 0);
  return bytes;
}

function swapBytes(bytes: Uint8Array): void {
  for (let o = 0; o < bytes.length; o += 4) {
    const [a, b] = [bytes[o], bytes[o + 1]];
    bytes[o] = bytes[o + 3];
    bytes[o + 1] = bytes[o + 2];
    bytes[o + 2] = b;
    bytes[o + 3] = a;
  }
}

export interface StreamSpace {
  /** Axes of the cache, if they are not those of the mesh. */
  axes?: CacheAxes;
  /** Factor on all positions. */
  scale: number;
}

/**
 * The points of a cache in the space of its mesh.
 * @param rest pointCount x 3
 */
export function makeStreamSource(stream: CacheStream, rest: Float32Array, { axes, scale }: StreamSpace): PointSource {
  const { vertexCount, times } = stream;
  if (rest.length !== 3 * vertexCount)
    throw new FormatError('cache', 'mismatch', `it moves ${vertexCount} vertices, but its mesh has ${rest.length / 3}`);
  const turned = new Float32Array(3);
  const place = (positions: Float32Array): void => {
    if (!axes && scale === 1) return;
    for (let i = 0; i < positions.length; i += 3) {
      for (let a = 0; a < 3; a++) turned[a] = axes ? axes.signs[a] * positions[i + axes.axes[a]] : positions[i + a];
      for (let a = 0; a < 3; a++) positions[i + a] = scale * turned[a];
    }
  };
  return {
    ...{ name: plainName(stream.name), pointCount: vertexCount, times, rest },
    async readBlock(first, count, visit) {
      const frame = new Float32Array(3 * count);
      for (let k = 0; k < times.length; k++) {
        await stream.readInto(k, first, frame);
        place(frame);
        visit(frame, k);
      }
    },
    async pick(points, frames) {
      const picked = new Float32Array(3 * points.length * frames.length);
      const block = new Float32Array(3 * Math.min(PICK_BLOCK, vertexCount));
      for (const [n, k] of frames.entries()) {
        let start = 0;
        let end = 0;
        for (const [e, i] of points.entries()) {
          if (i >= end) {
            start = i;
            end = Math.min(vertexCount, start + PICK_BLOCK);
            const part = block.subarray(0, 3 * (end - start));
            await stream.readInto(k, start, part);
            place(part);
          }
          picked.set(block.subarray(3 * (i - start), 3 * (i - start) + 3), 3 * (n * points.length + e));
        }
      }
      return picked;
    },
  };
}
