// SPDX-License-Identifier: MIT

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Bytes per piece of text: a multiple of three, so that only the last piece is padded. */
const PIECE = 3 * 4096;

/** Base64 (RFC 4648) of bytes, alike in Node and browsers. */
export function base64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += PIECE) {
    let text = '';
    for (let n = start; n < Math.min(bytes.length, start + PIECE); n += 3) {
      const left = bytes.length - n;
      const triple = (bytes[n] << 16) | ((left > 1 ? bytes[n + 1] : 0) << 8) | (left > 2 ? bytes[n + 2] : 0);
      text += DIGITS[triple >> 18] + DIGITS[(triple >> 12) & 63];
      text += left > 1 ? DIGITS[(triple >> 6) & 63] : '=';
      text += left > 2 ? DIGITS[triple & 63] : '=';
    }
    pieces.push(text);
  }
  return pieces.join('');
}
