// SPDX-License-Identifier: MIT
import type { JpegComponent } from './jpeg-scan.ts';

/** COSINES[8 u + x] = c(u) / 2 cos((2 x + 1) u pi / 16): the basis of the discrete cosine transform. */
const COSINES = Float64Array.from({ length: 64 }, (_, n) => {
  const [u, x] = [n >> 3, n & 7];
  return (u === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * x + 1) * u * Math.PI) / 16);
});

/** The values of a component, 0 to 255: rows x 8 lines of stride x 8. */
export function transformJpegBlocks(component: JpegComponent, quantization: Uint16Array): Uint8ClampedArray {
  const { coefficients, stride, rows } = component;
  const width = 8 * stride;
  const out = new Uint8ClampedArray(64 * stride * rows);
  const values = new Float64Array(64);
  const half = new Float64Array(64);
  for (let block = 0; block < stride * rows; block++) {
    const from = 64 * block;
    let isFlat = true;
    for (let n = 0; n < 64; n++) {
      values[n] = coefficients[from + n] * quantization[n];
      if (n > 0 && values[n] !== 0) isFlat = false;
    }
    const to = Math.floor(block / stride) * 8 * width + (block % stride) * 8;
    if (isFlat) {
      const value = values[0] / 8 + 128;
      for (let y = 0; y < 8; y++) out.fill(value, to + y * width, to + y * width + 8);
      continue;
    }
    // rows, then columns
    for (let v = 0; v < 8; v++)
      for (let x = 0; x < 8; x++) {
        let sum = 0;
        for (let u = 0; u < 8; u++) sum += values[8 * v + u] * COSINES[8 * u + x];
        half[8 * v + x] = sum;
      }
    for (let y = 0; y < 8; y++)
      for (let x = 0; x < 8; x++) {
        let sum = 128;
        for (let v = 0; v < 8; v++) sum += half[8 * v + x] * COSINES[8 * v + y];
        out[to + y * width + x] = sum;
      }
  }
  return out;
}

/** A component at full size: values, their width, and how many pixels share one. */
export interface JpegPlane {
  values: Uint8ClampedArray;
  width: number;
  shareX: number;
  shareY: number;
}

/** Joins planes to pixels: grey, or luma and chroma, or red, green and blue. */
export function joinJpegPlanes(
  planes: readonly JpegPlane[],
  { width, height, isRgb }: { width: number; height: number; isRgb: boolean },
): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray(4 * width * height).fill(255);
  const read = ({ values, width: stride, shareX, shareY }: JpegPlane, x: number, y: number): number =>
    values[Math.floor(y / shareY) * stride + Math.floor(x / shareX)];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      const luma = read(planes[0], x, y);
      if (planes.length < 3) pixels.fill(luma, at, at + 3);
      else {
        const [b, r] = [read(planes[1], x, y), read(planes[2], x, y)];
        pixels[at] = isRgb ? luma : luma + 1.402 * (r - 128);
        pixels[at + 1] = isRgb ? b : luma - 0.344136 * (b - 128) - 0.714136 * (r - 128);
        pixels[at + 2] = isRgb ? r : luma + 1.772 * (b - 128);
      }
    }
  return pixels;
}
