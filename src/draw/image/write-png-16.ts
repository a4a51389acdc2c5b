// SPDX-License-Identifier: MIT
import { encodePng } from './write-png.ts';

/**
 * Bytes of a PNG file with 16 bits per channel and four channels, for data textures.
 * @param texels width x height x 4
 */
export function writePng16(width: number, height: number, texels: Uint16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(texels.length * 2);
  const view = new DataView(bytes.buffer);
  texels.forEach((value, n) => {
    view.setUint16(2 * n, value);
  });
  return encodePng(width, height, bytes, { bitDepth: 16, hasAlpha: true });
}
