// SPDX-License-Identifier: MIT
import { UsageError } from '../../core/model/errors.ts';
import type { Rgb } from './color.ts';

/** A picture in memory. */
export interface Image {
  /** Width in pixels. */
  width: number;
  /** Height in pixels. */
  height: number;
  /** height x width x 4: red, green, blue, alpha (not premultiplied), top row first */
  pixels: Uint8Array;
}

/** Maximum side of a picture: a mistyped option must not allocate gigabytes. */
const MAX_IMAGE_SIDE = 16384;

/** Makes a picture of one colour. */
export function makeImage(width: number, height: number, color: Rgb = [1, 1, 1], alpha = 1): Image {
  for (const side of [width, height]) {
    if (!(Number.isInteger(side) && side >= 1 && side <= MAX_IMAGE_SIDE)) {
      throw new UsageError(
        'image',
        `width and height must be whole numbers from 1 to ${MAX_IMAGE_SIDE}, got ${width} x ${height}`,
      );
    }
  }
  const pixels = new Uint8Array(width * height * 4);
  const r = Math.round(color[0] * 255);
  const g = Math.round(color[1] * 255);
  const b = Math.round(color[2] * 255);
  const a = Math.round(alpha * 255);
  for (let o = 0; o < pixels.length; o += 4) {
    pixels[o] = r;
    pixels[o + 1] = g;
    pixels[o + 2] = b;
    pixels[o + 3] = a;
  }
  return { width, height, pixels };
}

/** Lays a colour over one pixel; pixels outside the picture are ignored. */
export function blendPixel(image: Image, x: number, y: number, color: Rgb, alpha: number): void {
  if (!(alpha > 0) || x < 0 || y < 0 || x >= image.width || y >= image.height) return;
  const { pixels } = image;
  const o = (y * image.width + x) * 4;
  const under = pixels[o + 3] / 255;
  const over = Math.min(1, alpha);
  const total = over + under * (1 - over);
  const share = over / total;
  for (let c = 0; c < 3; c++) {
    // Mixed as light, by squares (see color.ts), so that edges of thin lines keep their apparent weight.
    const below = pixels[o + c] / 255;
    const mixed = color[c] * color[c] * share + below * below * (1 - share);
    pixels[o + c] = Math.round(255 * Math.sqrt(mixed));
  }
  pixels[o + 3] = Math.round(255 * total);
}

/** Fills a rectangle; parts outside the picture are ignored. */
export function fillRectangle(
  image: Image,
  { x, y, width, height }: Record<'x' | 'y' | 'width' | 'height', number>,
  color: Rgb,
  alpha = 1,
): void {
  const x1 = Math.min(image.width, x + width);
  const y1 = Math.min(image.height, y + height);
  for (let py = Math.max(0, y); py < y1; py++) {
    for (let px = Math.max(0, x); px < x1; px++) blendPixel(image, px, py, color, alpha);
  }
}

/** Copies a picture into another one, its top left corner at (x, y); what falls outside is cut off. */
export function pasteImage(image: Image, source: Image, x: number, y: number): void {
  const x0 = Math.max(0, -x);
  const x1 = Math.min(source.width, image.width - x);
  if (x1 <= x0) return;
  for (let row = Math.max(0, -y); row < source.height && row + y < image.height; row++) {
    const from = (row * source.width + x0) * 4;
    const to = ((row + y) * image.width + x + x0) * 4;
    image.pixels.set(source.pixels.subarray(from, from + (x1 - x0) * 4), to);
  }
}
