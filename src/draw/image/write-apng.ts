// SPDX-License-Identifier: MIT
// Animated PNG, which browsers and GitHub show where a PNG stands. Frames share a palette of 256 colours; each stores the rectangle that changed.
import { zlibSync } from 'fflate';
import { InputError } from '../../core/model/errors.ts';
import type { Image } from './image.ts';
import { chunkOf, SIGNATURE } from './write-png.ts';

const LEVEL = 9;
const MAX_COLORS = 256;

/** Options of writeApng. */
export interface WriteApngOptions {
  /** Frames per second. Default 12. */
  fps?: number;
}

/**
 * Bytes of an animated PNG that loops. Colours are reduced to the 256 that occur most; alpha is dropped.
 * @deprecated Use writePng for each frame, and a tool for animated images. It will be removed after two more minor versions.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { renderView, writeApng } from 'ossify/draw';
 *
 * const turn = (['front', 'side', 'back', 'left'] as const).map((view) => renderView({ positions, triangles }, { view }));
 * await writeFile('turn.png', writeApng(turn, { fps: 4 }));
 * ```
 */
export function writeApng(images: readonly Image[], { fps = 12 }: WriteApngOptions = {}): Uint8Array<ArrayBuffer> {
  if (images.length === 0) throw new InputError('writeApng', 'there are no frames');
  const [{ width, height }] = images;
  if (images.some((image) => image.width !== width || image.height !== height))
    throw new InputError('writeApng', 'the frames must have the same size');
  const { palette, indexOf } = choosePalette(images);
  const frames = images.map(({ pixels }) => {
    const out = new Uint8Array(width * height);
    for (let p = 0; p < out.length; p++) out[p] = indexOf(keyOf(pixels, 4 * p));
    return out;
  });
  const chunks = [
    chunkOf('IHDR', numbers([width, height], [8, 3, 0, 0, 0])),
    chunkOf('acTL', numbers([images.length, 0])),
  ];
  chunks.push(chunkOf('PLTE', palette));
  let sequence = 0;
  frames.forEach((frame, k) => {
    const box = k === 0 ? { x: 0, y: 0, w: width, h: height } : changedBox(frames[k - 1], frame, width);
    const { x, y, w, h } = box;
    // delay of 1 / fps seconds; drawn over the frame before
    const delay = Math.round(fps);
    chunks.push(chunkOf('fcTL', numbers([sequence++, w, h, x, y], [0, 1, delay >> 8, delay & 255, 0, 0])));
    const data = zlibSync(rowsOf(frame, width, box), { level: LEVEL });
    if (k === 0) chunks.push(chunkOf('IDAT', data));
    else {
      const numbered = new Uint8Array(4 + data.length);
      numbered.set(numbers([sequence++]));
      numbered.set(data, 4);
      chunks.push(chunkOf('fdAT', numbered));
    }
  });
  chunks.push(chunkOf('IEND', new Uint8Array(0)));
  const file = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, SIGNATURE.length));
  file.set(SIGNATURE);
  let offset = SIGNATURE.length;
  for (const chunk of chunks) {
    file.set(chunk, offset);
    offset += chunk.length;
  }
  return file;
}

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Big-endian 32-bit numbers, then bytes. */
function numbers(words: readonly number[], bytes: readonly number[] = []): Uint8Array {
  const out = new Uint8Array(4 * words.length + bytes.length);
  const view = new DataView(out.buffer);
  words.forEach((word, n) => {
    view.setUint32(4 * n, word);
  });
  out.set(bytes, 4 * words.length);
  return out;
}

/** A colour with five bits per channel. */
function keyOf(pixels: ArrayLike<number>, o: number): number {
  return ((pixels[o] >> 3) << 10) | ((pixels[o + 1] >> 3) << 5) | (pixels[o + 2] >> 3);
}

/** The colours that occur most, and the nearest of them for each colour. */
function choosePalette(images: readonly Image[]): { palette: Uint8Array; indexOf: (key: number) => number } {
  const counts = new Uint32Array(1 << 15);
  for (const { pixels } of images) for (let o = 0; o < pixels.length; o += 4) counts[keyOf(pixels, o)]++;
  const keys = [...counts.keys()].filter((key) => counts[key] > 0).sort((a, b) => counts[b] - counts[a] || a - b);
  const kept = keys.slice(0, MAX_COLORS);
  const channels = (key: number): number[] => [key >> 10, (key >> 5) & 31, key & 31];
  const nearest = new Int16Array(1 << 15).fill(-1);
  kept.forEach((key, n) => {
    nearest[key] = n;
  });
  const indexOf = (key: number): number => {
    if (nearest[key] < 0) {
      const own = channels(key);
      let best = Infinity;
      kept.forEach((other, n) => {
        const distance = channels(other).reduce((sum, c, i) => sum + (c - own[i]) ** 2, 0);
        if (distance < best) [best, nearest[key]] = [distance, n];
      });
    }
    return nearest[key];
  };
  const palette = new Uint8Array(3 * kept.length);
  kept.forEach((key, n) => {
    palette.set(
      channels(key).map((c) => (c << 3) | (c >> 2)),
      3 * n,
    );
  });
  return { palette, indexOf };
}

/** The smallest rectangle that holds all changes; one pixel if there are none. */
function changedBox(before: Uint8Array, after: Uint8Array, width: number): Box {
  let [left, top, right, bottom] = [width, after.length / width, -1, -1];
  for (let p = 0; p < after.length; p++) {
    if (before[p] === after[p]) continue;
    const [x, y] = [p % width, Math.floor(p / width)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  return right < 0 ? { x: 0, y: 0, w: 1, h: 1 } : { x: left, y: top, w: right - left + 1, h: bottom - top + 1 };
}

/** Rows of a rectangle, each after filter number 0: filters do not help indices. */
function rowsOf(frame: Uint8Array, width: number, { x, y, w, h }: Box): Uint8Array {
  const out = new Uint8Array(h * (w + 1));
  for (let r = 0; r < h; r++) out.set(frame.subarray((y + r) * width + x, (y + r) * width + x + w), r * (w + 1) + 1);
  return out;
}
