// SPDX-License-Identifier: MIT
import { readImageSize } from '../usd/index.ts';

/** What the first bytes of an image state. The size is zero where it is not read. */
export interface ImageHeader {
  /** MIME type; '' if the bytes are of no known format. */
  type: string;
  width: number;
  height: number;
}

const SIGNATURES: readonly (readonly [type: string, offset: number, text: string])[] = [
  ['image/webp', 8, 'WEBP'],
  ['image/ktx2', 1, 'KTX 20'],
  ['image/avif', 4, 'ftypavif'],
  ['image/gif', 0, 'GIF8'],
  ['image/bmp', 0, 'BM'],
  ['image/vnd-ms.dds', 0, 'DDS '],
  ['image/tiff', 0, 'II*\0'],
  ['image/tiff', 0, 'MM\0*'],
  ['image/vnd.adobe.photoshop', 0, '8BPS'],
  ['image/x-exr', 0, 'v/1\u0001'],
  ['image/vnd.radiance', 0, '#?'],
];

/** Reads the type of an image and, of PNG, JPEG and WebP, its size. */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  const known = readImageSize(bytes);
  if (known) return { ...known, type: `image/${known.type}` };
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 32));
  const [type = ''] = SIGNATURES.find(([, offset, text]) => head.startsWith(text, offset)) ?? [];
  return { type, ...(type === 'image/webp' ? readWebpSize(bytes, head) : { width: 0, height: 0 }) };
}

/** The first chunk of a WebP: extended, lossless or lossy. */
function readWebpSize(bytes: Uint8Array, head: string): { width: number; height: number } {
  if (bytes.length < 30) return { width: 0, height: 0 };
  const at = (offset: number, count: number): number => {
    let value = 0;
    for (let n = count - 1; n >= 0; n--) value = 256 * value + bytes[offset + n];
    return value;
  };
  const kind = head.slice(12, 16);
  if (kind === 'VP8X') return { width: at(24, 3) + 1, height: at(27, 3) + 1 };
  if (kind === 'VP8L') {
    const bits = at(21, 4);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return { width: at(26, 2) & 0x3fff, height: at(28, 2) & 0x3fff };
}
