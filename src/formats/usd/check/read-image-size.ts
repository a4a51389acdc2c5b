// SPDX-License-Identifier: MIT

/** What the header of an image states. */
export interface ImageSize {
  type: 'png' | 'jpeg';
  width: number;
  height: number;
}

/** Reads the size of a PNG or JPEG image from its header; undefined for others, and for damaged ones. */
export function readImageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 24 && view.getUint32(0) === 0x89504e47)
    return { type: 'png', width: view.getUint32(16), height: view.getUint32(20) };
  if (!(bytes[0] === 0xff && bytes[1] === 0xd8)) return undefined;
  // segments: a marker, and a length that counts itself
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1];
    const isFill = marker === 0xff;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { type: 'jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += isFill ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}
