// SPDX-License-Identifier: MIT
import { InputError } from '../../../core/model/errors.ts';

/** Packs a glTF JSON and its binary chunk as a GLB (version 2); chunks are padded to four bytes. */
export function packGlb(json: unknown, binary?: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const textLength = Math.ceil(text.length / 4) * 4;
  const binaryLength = binary && binary.length > 0 ? Math.ceil(binary.length / 4) * 4 : 0;
  const length = 20 + textLength + (binaryLength > 0 ? 8 + binaryLength : 0);
  if (length > 0xffffffff)
    throw new InputError('writeGlb', `a GLB holds at most 4 GB, this one would take ${length} bytes`);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  [0x46546c67, 2, length, textLength, 0x4e4f534a].forEach((word, n) => {
    view.setUint32(n * 4, word, true);
  });
  bytes.set(text, 20);
  bytes.fill(0x20, 20 + text.length, 20 + textLength);
  if (binary && binaryLength > 0) {
    view.setUint32(20 + textLength, binaryLength, true);
    view.setUint32(24 + textLength, 0x004e4942, true);
    bytes.set(binary, 28 + textLength);
  }
  return bytes;
}
