// SPDX-License-Identifier: MIT

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const FILE_SIGNATURE = 0x04034b50;
const [ENTRY_BYTES, LOCAL_BYTES, END_BYTES] = [46, 30, 22];
const MAX_COMMENT = 65_535;
const ENCRYPTED = 1;

/** A file of a zip archive, as its directory states it. */
export interface ZipEntry {
  name: string;
  /** Where its bytes begin, -1 if the archive is damaged there. */
  start: number;
  /** Bytes in the archive, and when decompressed. */
  stored: number;
  size: number;
  /** 0 for stored. */
  method: number;
  isEncrypted: boolean;
  crc: number;
}

/** Lists the files of a zip archive in the order of its directory. undefined if there is no directory, or it is damaged. */
export function listZipEntries(bytes: Uint8Array): ZipEntry[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end < 0) return undefined;
  const count = view.getUint16(end + 10, true);
  const decoder = new TextDecoder();
  const entries: ZipEntry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let n = 0; n < count; n++) {
    if (at + ENTRY_BYTES > bytes.length || view.getUint32(at, true) !== ENTRY_SIGNATURE) return undefined;
    const [nameLength, extra, comment] = [28, 30, 32].map((o) => view.getUint16(at + o, true));
    const [crc, stored, size, place] = [16, 20, 24, 42].map((o) => view.getUint32(at + o, true));
    entries.push({
      name: decoder.decode(bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength)),
      ...{ crc, stored, size, start: findStart(view, place, stored) },
      method: view.getUint16(at + 10, true),
      isEncrypted: (view.getUint16(at + 8, true) & ENCRYPTED) !== 0,
    });
    at += ENTRY_BYTES + nameLength + extra + comment;
  }
  return entries;
}

function findEnd(view: DataView): number {
  const last = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT);
  for (let at = view.byteLength - END_BYTES; at >= last; at--)
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  return -1;
}

/** Where the bytes of a file begin, after its own header. */
function findStart(view: DataView, place: number, stored: number): number {
  if (place + LOCAL_BYTES > view.byteLength || view.getUint32(place, true) !== FILE_SIGNATURE) return -1;
  const start = place + LOCAL_BYTES + view.getUint16(place + 26, true) + view.getUint16(place + 28, true);
  return start + stored <= view.byteLength ? start : -1;
}
