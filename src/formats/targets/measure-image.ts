// SPDX-License-Identifier: MIT

/** Type and size of an image in pixels. */
export interface ImageFacts {
  /** MIME type by the first bytes; '' if it is none of PNG, JPEG and WebP. */
  type: string;
  width: number;
  height: number;
}

/** Reads the type and the size from the head of a PNG, JPEG or WebP. A size that cannot be read is zero. */
export function measureImage(bytes: Uint8Array): ImageFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47])) {
    const hasHead = bytes.length >= 24;
    return { type: 'image/png', width: hasHead ? view.getUint32(16) : 0, height: hasHead ? view.getUint32(20) : 0 };
  }
  if (startsWith(bytes, [0xff, 0xd8])) return { type: 'image/jpeg', ...sizeOfJpeg(view) };
  if (startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50]))
    return { type: 'image/webp', ...sizeOfWebp(view) };
  return { type: '', width: 0, height: 0 };
}

const startsWith = (bytes: Uint8Array, head: readonly number[]): boolean => head.every((x, n) => bytes[n] === x);

/** From the first frame header. */
function sizeOfJpeg(view: DataView): { width: number; height: number } {
  let o = 2;
  while (o + 9 <= view.byteLength && view.getUint8(o) === 0xff) {
    const marker = view.getUint8(o + 1);
    // C4, C8 and CC are tables
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: view.getUint16(o + 5), width: view.getUint16(o + 7) };
    const isBare = marker === 0xff || (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01;
    o += marker === 0xff ? 1 : isBare ? 2 : 2 + view.getUint16(o + 2);
  }
  return { width: 0, height: 0 };
}

/** Of the three forms of WebP: lossy, lossless and extended. */
function sizeOfWebp(view: DataView): { width: number; height: number } {
  if (view.byteLength < 30) return { width: 0, height: 0 };
  const form = String.fromCharCode(view.getUint8(12), view.getUint8(13), view.getUint8(14), view.getUint8(15));
  if (form === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (form === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  const three = (o: number): number => view.getUint16(o, true) + (view.getUint8(o + 2) << 16);
  return form === 'VP8X' ? { width: three(24) + 1, height: three(27) + 1 } : { width: 0, height: 0 };
}
