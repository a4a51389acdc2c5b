// SPDX-License-Identifier: MIT

/** USDZ places the bytes of every file at a multiple of this. */
const ALIGNMENT = 64;
const [LOCAL_BYTES, ENTRY_BYTES, END_BYTES] = [30, 46, 22];
/** Header of an extra field: its kind and its size. */
const EXTRA_BYTES = 4;
const EXTRA_KIND = 0x1986;
/** 1 January 1980, the first day of zip: packages do not depend on the clock. */
const DATE = 0x21;
const VERSION = 10;
/** Names are UTF-8. */
const UTF8 = 0x800;

/** Packs files as USDZ: stored, not compressed, each at a multiple of 64 bytes. The first one is the stage. */
export function packUsdz(files: readonly { path: string; bytes: Uint8Array }[]): Uint8Array<ArrayBuffer> {
  let at = 0;
  const entries = files.map(({ path, bytes }) => {
    const name = new TextEncoder().encode(path);
    const start = at;
    const used = start + LOCAL_BYTES + name.length + EXTRA_BYTES;
    const fill = (ALIGNMENT - (used % ALIGNMENT)) % ALIGNMENT;
    at = used + fill + bytes.length;
    return { name, bytes, start, fill, crc: crc32(bytes) };
  });
  const directory = at;
  const out = new Uint8Array(entries.reduce((sum, { name }) => sum + ENTRY_BYTES + name.length, at + END_BYTES));
  const view = new DataView(out.buffer);
  for (const { name, bytes, start, fill, crc } of entries) {
    view.setUint32(start, 0x04034b50, true);
    writeCommon(view, start + 4, name, bytes, crc);
    view.setUint16(start + 28, EXTRA_BYTES + fill, true);
    out.set(name, start + LOCAL_BYTES);
    view.setUint16(start + LOCAL_BYTES + name.length, EXTRA_KIND, true);
    view.setUint16(start + LOCAL_BYTES + name.length + 2, fill, true);
    out.set(bytes, start + LOCAL_BYTES + name.length + EXTRA_BYTES + fill);
  }
  for (const { name, bytes, start, crc } of entries) {
    view.setUint32(at, 0x02014b50, true);
    view.setUint16(at + 4, VERSION, true);
    writeCommon(view, at + 6, name, bytes, crc);
    view.setUint32(at + 42, start, true);
    out.set(name, at + ENTRY_BYTES);
    at += ENTRY_BYTES + name.length;
  }
  view.setUint32(at, 0x06054b50, true);
  view.setUint16(at + 8, entries.length, true);
  view.setUint16(at + 10, entries.length, true);
  view.setUint32(at + 12, at - directory, true);
  view.setUint32(at + 16, directory, true);
  return out;
}

/** What the header of a file and its entry in the directory share. */
function writeCommon(view: DataView, at: number, name: Uint8Array, bytes: Uint8Array, crc: number): void {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 2, UTF8, true);
  view.setUint16(at + 8, DATE, true);
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, bytes.length, true);
  view.setUint32(at + 18, bytes.length, true);
  view.setUint16(at + 22, name.length, true);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** The checksum of zip. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
