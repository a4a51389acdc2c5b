// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';
import type { TextureImage } from './texture.ts';

/**
 * Decodes a PNG or JPEG picture. Throws an InputError if it has another format, is damaged, or is larger than 16 million pixels. Decoders are loaded when a picture needs them.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { decodeImage } from 'ossify/draw';
 *
 * const { width, height, pixels } = await decodeImage(await readFile('skin.png'));
 * ```
 */
export async function decodeImage(bytes: Uint8Array): Promise<TextureImage> {
  if (bytes[0] === 0x89 && bytes[1] === 0x50) return (await import('./decode-png.ts')).decodePng(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return (await import('./decode-jpeg.ts')).decodeJpeg(bytes);
  throw new InputError('image', 'it is neither PNG nor JPEG');
}
