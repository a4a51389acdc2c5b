// SPDX-License-Identifier: MIT
// USDZ: a zip archive whose files are stored without compression (https://openusd.org/release/spec_usdz.html). The first file is the stage.
import { FormatError } from '../../../core/model/errors.ts';
import { quoteName } from '../../../core/model/plain-text.ts';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const FILE_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;

/** Lists the files of a package by path, in the order of the package. The bytes are views. */
export function readUsdz(bytes: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const files = new Map<string, Uint8Array>();
  const decoder = new TextDecoder();
  for (let n = 0; n < count; n++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== ENTRY_SIGNATURE)
      fail('truncated', 'the directory of the package is damaged');
    const method = view.getUint16(at + 10, true);
    const [size, stored] = [view.getUint32(at + 24, true), view.getUint32(at + 20, true)];
    const [nameLength, extra, comment] = [28, 30, 32].map((o) => view.getUint16(at + o, true));
    const name = decoder.decode(bytes.subarray(at + 46, at + 46 + nameLength));
    if (method !== 0 || size !== stored)
      fail('unsupported', `${quoteName(name)} is compressed, which a USDZ package must not be; make it with usdzip`);
    files.set(name, readEntry(bytes, view, view.getUint32(at + 42, true), size, name));
    at += 46 + nameLength + extra + comment;
  }
  if (files.size === 0) fail('empty', 'the package holds no file');
  return files;
}

function findEnd(view: DataView): number {
  const last = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT);
  for (let at = view.byteLength - END_BYTES; at >= last; at--)
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  return fail('truncated', 'the package has no directory; it is damaged');
}

function readEntry(bytes: Uint8Array, view: DataView, start: number, size: number, name: string): Uint8Array {
  if (start + 30 > bytes.length || view.getUint32(start, true) !== FILE_SIGNATURE)
    fail('truncated', `${quoteName(name)} is not where the package says`);
  const data = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
  if (data + size > bytes.length) fail('truncated', `${quoteName(name)} ends after the package`);
  return bytes.subarray(data, data + size);
}

function fail(code: 'truncated' | 'unsupported' | 'empty', fault: string): never {
  throw new FormatError('usd', code, fault);
}
