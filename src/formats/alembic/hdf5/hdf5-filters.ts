// SPDX-License-Identifier: MIT
import { Unzlib } from 'fflate';
import { FormatError } from '../../../core/model/errors.ts';
import type { Hdf5Cursor, Hdf5File } from './hdf5-file.ts';

const [, DEFLATE, SHUFFLE, CHECKSUM] = Array(4).keys();

/** Input is decompressed in pieces of this many bytes, so that a bomb is noticed early: a byte becomes at most 1,032. */
const PIECE = 4096;

export interface Hdf5Filter {
  id: number;
  /** First number for the filter: the bytes of a value for shuffling. */
  parameter: number;
}

/** uint8 version, uint8 number, in version 1 six bytes; a filter is uint16 id, uint16 length of name, uint16 flags, uint16 number of parameters, name, parameters. */
export function readHdf5Filters(cursor: Hdf5Cursor): Hdf5Filter[] {
  const version = cursor.u8();
  const count = cursor.u8();
  if (version === 1) cursor.skip(6);
  return Array.from({ length: count }, () => {
    const id = cursor.u16();
    const nameLength = version === 1 || id >= 256 ? cursor.u16() : 0;
    cursor.skip(2);
    const parameterCount = cursor.u16();
    cursor.skip(version === 1 ? 8 * Math.ceil(nameLength / 8) : nameLength);
    const parameter = parameterCount > 0 ? cursor.u32() : 0;
    cursor.skip(4 * Math.max(0, parameterCount - 1) + (version === 1 && parameterCount % 2 === 1 ? 4 : 0));
    return { id, parameter };
  });
}

/** Undoes the filters of a stored chunk. */
export function undoHdf5Filters(
  file: Hdf5File,
  stored: Uint8Array,
  { filters, mask, byteCount }: { filters: readonly Hdf5Filter[]; mask: number; byteCount: number },
): Uint8Array {
  let data = stored;
  for (let n = filters.length - 1; n >= 0; n--) {
    if (mask & (1 << n)) continue;
    const { id, parameter } = filters[n];
    if (id === DEFLATE) data = inflate(file, data, byteCount + 4);
    else if (id === SHUFFLE) data = unshuffle(data, parameter);
    else if (id === CHECKSUM) data = data.subarray(0, Math.max(0, data.length - 4));
    else throw file.fault('unsupported', `arrays with the HDF5 filter ${id} are not read; deflate is`);
  }
  if (data.length < byteCount) throw file.fault('length', `a chunk of ${byteCount} bytes has ${data.length}`);
  return data;
}

/** @param limit most bytes that may come out */
function inflate(file: Hdf5File, data: Uint8Array, limit: number): Uint8Array {
  const out = new Uint8Array(limit);
  let filled = 0;
  const stream = new Unzlib((piece) => {
    if (filled + piece.length > limit) throw file.fault('length', 'a compressed chunk is longer than it states');
    out.set(piece, filled);
    filled += piece.length;
  });
  try {
    for (let at = 0; at < data.length; at += PIECE)
      stream.push(data.subarray(at, at + PIECE), at + PIECE >= data.length);
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw file.fault('syntax', 'a compressed chunk does not decompress; the file is damaged');
  }
  return out.subarray(0, filled);
}

/** Shuffled data has the first bytes of all values, then the second ones, and so on. */
function unshuffle(data: Uint8Array, size: number): Uint8Array {
  const count = Math.floor(data.length / size);
  // a damaged size of billions has nothing to sort
  if (size < 2 || count < 2) return data;
  const out = data.slice();
  for (let b = 0; b < size; b++) for (let n = 0; n < count; n++) out[n * size + b] = data[b * count + n];
  return out;
}
