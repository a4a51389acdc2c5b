// SPDX-License-Identifier: MIT
// Arrays of an HDF5 file: in the header, in one piece, or in chunks, which may be compressed.
import { type Hdf5Cursor, type Hdf5File, NO_ADDRESS } from './hdf5-file.ts';
import { type Hdf5Filter, readHdf5Filters, undoHdf5Filters } from './hdf5-filters.ts';
import { MESSAGES, openHdf5Message, readHdf5Messages } from './hdf5-messages.ts';
import { readHdf5Shape, readHdf5Type } from './hdf5-values.ts';

/** Deeper than any tree of chunks. */
const MAX_DEPTH = 16;

export interface Hdf5Dataset {
  /** Bytes of a value. */
  size: number;
  isText: boolean;
  count: number;
  /** count x size; shares memory with the file if it is stored in one piece */
  data: Uint8Array;
}

/** A chunk of an array. */
interface Chunk {
  start: number;
  length: number;
  /** Filters that were left out, by bit. */
  mask: number;
  /** First value. */
  offset: number;
}

/** Where the values of an array are. */
interface Layout {
  data?: Uint8Array;
  /** Values per chunk. */
  chunkLength: number;
  chunks: Chunk[];
}

/** Reads the array at a position. */
export function readHdf5Dataset(file: Hdf5File, position: number): Hdf5Dataset {
  const messages = readHdf5Messages(file, position);
  const [typeAt, shapeAt, layoutAt] = [MESSAGES.datatype, MESSAGES.dataspace, MESSAGES.layout].map((type) =>
    openHdf5Message(file, messages, type),
  );
  if (!typeAt || !shapeAt || !layoutAt) throw file.fault('syntax', 'an array is incomplete', position);
  const { size, isText, isVariable } = readHdf5Type(typeAt);
  const shape = readHdf5Shape(shapeAt);
  const count = shape.reduce((product, length) => product * length, 1);
  if (isVariable) throw file.fault('unsupported', 'arrays of variable texts are not read', position);
  if (count === 0) return { size, isText, count, data: new Uint8Array() };
  const layout = readLayout(layoutAt, count * size, shape);
  if (layout.data) return { size, isText, count, data: layout.data };
  const filtersAt = openHdf5Message(file, messages, MESSAGES.filters);
  return { size, isText, count, data: joinChunks(file, layout, { count, size }, filtersAt) };
}

/** Versions 1 and 2 have other headers than 3 and 4. */
function readLayout(cursor: Hdf5Cursor, byteCount: number, shape: readonly number[]): Layout {
  const version = cursor.u8();
  if (version < 1 || version > 4)
    throw cursor.file.fault('version', `the layout of an array has version ${version}; 1 to 4 are read`, cursor.at);
  if (version < 3) return readOldLayout(cursor, byteCount, shape);
  const kind = cursor.u8();
  if (kind === 0) return inOnePiece(cursor.bytes(checkSize(cursor, cursor.u16(), byteCount)).subarray(0, byteCount));
  if (kind === 1) return readContiguous(cursor, cursor.address(), byteCount);
  if (kind !== 2) throw cursor.file.fault('unsupported', `arrays of layout ${kind} are not read`, cursor.at);
  checkRank(cursor, shape);
  if (version === 4) return readNewChunks(cursor, byteCount);
  cursor.skip(1);
  const tree = cursor.address();
  return { chunkLength: cursor.u32(), chunks: listChunks(cursor.file, tree) };
}

function readOldLayout(cursor: Hdf5Cursor, byteCount: number, shape: readonly number[]): Layout {
  const dimensions = cursor.u8();
  const kind = cursor.u8();
  cursor.skip(5);
  const address = kind === 0 ? NO_ADDRESS : cursor.address();
  const chunkLength = cursor.number(4);
  if (kind === 1) return readContiguous(cursor, address, byteCount);
  cursor.skip(4 * (dimensions - 1));
  if (kind === 0) return inOnePiece(cursor.bytes(checkSize(cursor, cursor.u32(), byteCount)).subarray(0, byteCount));
  checkRank(cursor, shape);
  return { chunkLength, chunks: listChunks(cursor.file, address) };
}

/** Version 4: one chunk for the whole array, or chunks one after the other. */
function readNewChunks(cursor: Hdf5Cursor, byteCount: number): Layout {
  const { file } = cursor;
  const flags = cursor.u8();
  const dimensions = cursor.u8();
  const sizeBytes = cursor.u8();
  if (dimensions < 1 || sizeBytes < 1 || sizeBytes > 8) throw file.fault('value', 'chunks have no size', cursor.at);
  const chunkLength = cursor.number(sizeBytes);
  cursor.skip(sizeBytes * (dimensions - 1));
  const index = cursor.u8();
  if (index !== 1) throw file.fault('unsupported', `chunks with an index of kind ${index} are not read`, cursor.at);
  const isFiltered = (flags & 2) !== 0;
  const length = isFiltered ? cursor.length() : byteCount;
  const mask = isFiltered ? cursor.u32() : 0;
  const start = cursor.address();
  return { chunkLength, chunks: start === NO_ADDRESS ? [] : [{ start, length, mask, offset: 0 }] };
}

function inOnePiece(data: Uint8Array): Layout {
  return { data, chunkLength: 0, chunks: [] };
}

function readContiguous({ file }: Hdf5Cursor, address: number, byteCount: number): Layout {
  // an array that was never written has no address
  return address === NO_ADDRESS
    ? { chunkLength: 1, chunks: [] }
    : inOnePiece(file.cursor(address, byteCount).bytes(byteCount));
}

function checkSize({ file, at }: Hdf5Cursor, size: number, needed: number): number {
  if (size < needed) throw file.fault('length', `an array of ${needed} bytes has only ${size}`, at);
  return size;
}

function checkRank({ file, at }: Hdf5Cursor, shape: readonly number[]): void {
  if (shape.length !== 1) throw file.fault('unsupported', 'chunks of arrays with several dimensions are not read', at);
}

/** A tree: "TREE", uint8 1, uint8 level, uint16 number of children, two siblings; a key is uint32 length, uint32 mask, uint64 first value, uint64. */
function listChunks(file: Hdf5File, position: number, chunks: Chunk[] = [], depth = 0): Chunk[] {
  if (position === NO_ADDRESS) return chunks;
  const node = file.block(position, 'TREE');
  const type = node.u8();
  const level = node.u8();
  const count = node.u16();
  if (type !== 1 || depth > MAX_DEPTH) throw file.fault('syntax', 'the tree of an array is damaged', position);
  node.skip(2 * file.offsetSize);
  file.spend(32 * count);
  for (let n = 0; n < count; n++) {
    const length = node.u32();
    const mask = node.u32();
    const offset = node.number(8);
    node.skip(8);
    const start = node.address();
    if (level > 0) listChunks(file, start, chunks, depth + 1);
    else chunks.push({ start, length, mask, offset });
  }
  return chunks;
}

/** Values of chunks that are missing are zero. */
function joinChunks(
  file: Hdf5File,
  { chunks, chunkLength }: Layout,
  { count, size }: { count: number; size: number },
  filtersAt: Hdf5Cursor | undefined,
): Uint8Array {
  const filters: Hdf5Filter[] = filtersAt ? readHdf5Filters(filtersAt) : [];
  // what a file does not hold must be paid for: a header of 100 bytes can announce any number of values
  file.spend(count * size);
  const out = new Uint8Array(count * size);
  const byteCount = chunkLength * size;
  for (const { start, length, mask, offset } of chunks) {
    if (!(offset < count)) throw file.fault('index', 'a chunk begins after the end of its array', start);
    file.spend(byteCount + length);
    const stored = file.cursor(start, length).bytes(length);
    const data = undoHdf5Filters(file, stored, { filters, mask, byteCount });
    out.set(data.subarray(0, Math.min(byteCount, (count - offset) * size)), offset * size);
  }
  return out;
}
