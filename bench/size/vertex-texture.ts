// SPDX-License-Identifier: MIT
// A vertex animation texture: a texel per vertex and frame, its position in the box of the clip as integers. GPUs have no format of three channels with 16 bits, so a texel has four.
import { deflateSync } from 'node:zlib';
import { type Clip, frameCountOf } from '../../src/core/model/clip/clip.ts';

const CHANNELS = 4;

export interface VertexTexture {
  /** Bytes of the texture in memory. */
  byteLength: number;
  /** Bytes as a PNG of three channels, each row as its difference from the frame before. */
  pngLength: number;
  /** The positions that the texture holds. */
  decoded: Clip;
}

export function makeVertexTexture(clip: Clip, bits: 8 | 16): VertexTexture {
  const { positions } = clip;
  const least = [0, 1, 2].map((r) => extremeOf(positions, r, Math.min));
  const ranges = [0, 1, 2].map((r) => extremeOf(positions, r, Math.max) - least[r] || 1);
  const most = 2 ** bits - 1;
  const integers = bits === 8 ? new Uint8Array(positions.length) : new Uint16Array(positions.length);
  const decoded = new Float32Array(positions.length);
  for (let n = 0; n < positions.length; n++) {
    const r = n % 3;
    integers[n] = Math.round((most * (positions[n] - least[r])) / ranges[r]);
    decoded[n] = least[r] + (ranges[r] * integers[n]) / most;
  }
  return {
    byteLength: (positions.length / 3) * CHANNELS * (bits / 8),
    pngLength: measurePng(integers, frameCountOf(clip)),
    decoded: { ...clip, positions: decoded },
  };
}

function extremeOf(positions: Float32Array, r: number, choose: (a: number, b: number) => number): number {
  let value = positions[r];
  for (let n = r; n < positions.length; n += 3) value = choose(value, positions[n]);
  return value;
}

/** PNG's filter of type 2 (up) and deflate; the few bytes of its header are left out. */
function measurePng(integers: Uint8Array | Uint16Array, frameCount: number): number {
  const width = integers.byteLength / frameCount;
  const bytes = new Uint8Array(integers.byteLength);
  // PNG stores the high byte first
  if (integers instanceof Uint16Array)
    integers.forEach((x, n) => {
      bytes[2 * n] = x >> 8;
      bytes[2 * n + 1] = x & 0xff;
    });
  else bytes.set(integers);
  const filtered = new Uint8Array(frameCount * (width + 1));
  for (let k = 0; k < frameCount; k++) {
    filtered[k * (width + 1)] = 2;
    for (let c = 0; c < width; c++)
      filtered[k * (width + 1) + 1 + c] = bytes[k * width + c] - (k === 0 ? 0 : bytes[(k - 1) * width + c]);
  }
  return deflateSync(filtered, { level: 9 }).length;
}
