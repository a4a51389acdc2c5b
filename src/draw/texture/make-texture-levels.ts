// SPDX-License-Identifier: MIT
import type { TextureImage, TextureLevels } from './texture.ts';

/**
 * A picture and its halves down to one pixel: far away, a pixel of the drawing shows the mean of many.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { decodeImage, makeTextureLevels, renderView } from 'ossify/draw';
 *
 * const levels = makeTextureLevels(await decodeImage(await readFile('skin.jpg')));
 * const map = { wrap: ['repeat', 'repeat'], isNearest: false, offset: [0, 0], rotation: 0, scale: [1, 1] } as const;
 * const looks = [{ color: [1, 1, 1] as const, texture: { levels, map, uvs: new Float32Array((2 * positions.length) / 3) } }];
 * const lookOfTriangle = new Int32Array(triangles.length / 3);
 * const image = renderView({ positions, triangles, looks: { looks, lookOfTriangle } });
 * ```
 */
export function makeTextureLevels(image: TextureImage): TextureLevels {
  const levels = [image];
  for (let last = image; last.width > 1 || last.height > 1; ) {
    last = halve(last);
    levels.push(last);
  }
  return levels;
}

function halve({ width, height, pixels }: TextureImage): TextureImage {
  const w = Math.max(1, width >> 1);
  const h = Math.max(1, height >> 1);
  const out = new Uint8ClampedArray(4 * w * h);
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++)
      for (let c = 0; c < 4; c++) {
        let sum = 0;
        for (let n = 0; n < 4; n++) {
          const column = Math.min(width - 1, 2 * x + (n & 1));
          const row = Math.min(height - 1, 2 * y + (n >> 1));
          sum += pixels[4 * (row * width + column) + c];
        }
        out[4 * (y * w + x) + c] = sum / 4;
      }
  return { width: w, height: h, pixels: out };
}
