// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { type WriteUsdOptions, writeUsda } from './write-usda.ts';

/** USDZ places the bytes of every file at a multiple of this. */
const ALIGNMENT = 64;
const HEADER_BYTES = 30;
const NAME = 'stage.usda';
/** 1 January 1980, the first day of zip: packages do not depend on the clock. */
const DATE = 0x21;

/**
 * Writes an asset as a USDZ package.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { writeUsdz } from 'ossify';
 *
 * await writeFile('out.usdz', writeUsdz(asset));
 * ```
 */
export function writeUsdz(asset: Asset, options: WriteUsdOptions = {}): Uint8Array<ArrayBuffer> {
  const data = writeUsda(asset, options);
  const name = new TextEncoder().encode(NAME);
  // an extra field of zeros fills up to the alignment; its own header takes four bytes
  const used = HEADER_BYTES + name.length + 4;
  const fill = (ALIGNMENT - (used % ALIGNMENT)) % ALIGNMENT;
  const start = used + fill;
  const bytes = new Uint8Array(start + data.length + 46 + name.length + 22);
  const view = new DataView(bytes.buffer);
  const common = (at: number): void => {
    view.setUint16(at, 10, true);
    view.setUint16(at + 8, DATE, true);
    view.setUint32(at + 10, crc32(data), true);
    view.setUint32(at + 14, data.length, true);
    view.setUint32(at + 18, data.length, true);
    view.setUint16(at + 22, name.length, true);
  };
  view.setUint32(0, 0x04034b50, true);
  common(4);
  view.setUint16(28, 4 + fill, true);
  bytes.set(name, HEADER_BYTES);
  view.setUint16(HEADER_BYTES + name.length, 0x1986, true);
  view.setUint16(HEADER_BYTES + name.length + 2, fill, true);
  bytes.set(data, start);
  const directory = start + data.length;
  view.setUint32(directory, 0x02014b50, true);
  view.setUint16(directory + 4, 10, true);
  common(directory + 6);
  bytes.set(name, directory + 46);
  const end = directory + 46 + name.length;
  view.setUint32(end, 0x06054b50, true);
  view.setUint16(end + 8, 1, true);
  view.setUint16(end + 10, 1, true);
  view.setUint32(end + 12, end - directory, true);
  view.setUint32(end + 16, directory, true);
  return bytes;
}

function crc32(bytes: Uint8Array): number {
  const table = Uint32Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c;
  });
  let crc = 0xffffffff;
  for (const byte of bytes) crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
