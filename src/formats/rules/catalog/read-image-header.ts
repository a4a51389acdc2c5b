// SPDX-License-Identifier: MIT
import { type ImageFacts, measureImage } from '../../targets/index.ts';

/** First bytes of formats that are no part of glTF or USD, by their place. */
const SIGNATURES: readonly (readonly [type: string, offset: number, text: string])[] = [
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

/** Reads the type of an image and, of PNG, JPEG and WebP, its size. The type is '' if the bytes are of no known format. */
export function readImageHeader(bytes: Uint8Array): ImageFacts {
  const known = measureImage(bytes);
  if (known.type !== '') return known;
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 32));
  const [type = ''] = SIGNATURES.find(([, offset, text]) => head.startsWith(text, offset)) ?? [];
  return { ...known, type };
}
