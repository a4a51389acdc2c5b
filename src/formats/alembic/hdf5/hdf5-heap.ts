// SPDX-License-Identifier: MIT
// The fractal heap holds links and attributes of objects that have many. Its blocks are rows of a table: the blocks of a row have one size, rows 0 and 1 that
// of the first block, and each further row twice that of the row before. Direct blocks hold objects, larger ones are tables of their own.
import { listHdf5Records } from './hdf5-btree.ts';
import { type Hdf5Cursor, type Hdf5File, NO_ADDRESS } from './hdf5-file.ts';

/** Deeper than any heap: block sizes double, and addresses have 64 bits. */
const MAX_LEVELS = 64;

/** An object in the heap. */
export interface HeapObject {
  start: number;
  length: number;
}

/** Opens the heap at a position; the function returned finds an object by the bytes of its ID. */
export function openHdf5Heap(file: Hdf5File, position: number): (id: Hdf5Cursor) => HeapObject {
  const heap = readHeader(file, position);
  return (id) => {
    const first = id.u8();
    const kind = (first >> 4) & 3;
    if (kind === 2) return { start: id.at, length: Math.min((first & 15) + 1, id.left) };
    if (kind === 1) return findHuge(file, heap, id);
    if (kind !== 0) throw file.fault('syntax', 'an object of a heap has an unknown kind', id.at);
    const offset = id.number(heap.offsetSize);
    const length = id.number(heap.lengthSize);
    const { start, end } = findBlock(file, heap, offset);
    if (start + length > end) throw file.fault('length', 'an object of a heap is longer than its block', start);
    file.cursor(start, length);
    return { start, length };
  };
}

interface Heap {
  /** Bytes of an offset and of a length in an ID. */
  offsetSize: number;
  lengthSize: number;
  width: number;
  firstSize: number;
  /** Larger blocks are tables. */
  maxDirectSize: number;
  root: number;
  /** Rows of the table at the root; 0 if the root is a direct block. */
  rootRows: number;
  hugeTree: number;
}

function readHeader(file: Hdf5File, position: number): Heap {
  const cursor = file.block(position, 'FRHP');
  cursor.skip(3);
  if (cursor.u16() !== 0) throw file.fault('unsupported', 'compressed heaps of HDF5 are not read', position);
  cursor.skip(1);
  const maxManaged = cursor.u32();
  cursor.length();
  const hugeTree = cursor.address();
  cursor.skip(file.lengthSize + file.offsetSize + 8 * file.lengthSize);
  const width = cursor.u16();
  const firstSize = cursor.length();
  const maxDirectSize = cursor.length();
  const offsetBits = cursor.u16();
  cursor.skip(2);
  const root = cursor.address();
  const rootRows = cursor.u16();
  if (!isPower(width) || !isPower(firstSize) || !isPower(maxDirectSize) || offsetBits > 64 || maxManaged < 1)
    throw file.fault('value', 'the table of a heap has sizes that are not powers of two', position);
  const directBytes = Math.ceil(Math.log2(maxDirectSize) / 8);
  const lengthSize = Math.min(directBytes, Math.floor(Math.log2(maxManaged) / 8) + 1);
  const offsetSize = Math.ceil(offsetBits / 8);
  return { offsetSize, lengthSize, width, firstSize, maxDirectSize, root, rootRows, hugeTree };
}

const isPower = (value: number): boolean => value >= 1 && Number.isInteger(Math.log2(value));

/** Where an offset of the heap is, and the end of its direct block. */
function findBlock(file: Hdf5File, heap: Heap, offset: number): { start: number; end: number } {
  const { width, firstSize, maxDirectSize, offsetSize } = heap;
  let rows = heap.rootRows;
  let block = heap.root;
  let size = firstSize;
  let within = offset;
  for (let level = 0; level < MAX_LEVELS; level++) {
    if (block === NO_ADDRESS) break;
    if (rows === 0) {
      if (within >= size) break;
      return { start: block + within, end: block + size };
    }
    file.spend(64);
    const row = within < width * firstSize ? 0 : Math.floor(Math.log2(within / (width * firstSize))) + 1;
    if (row >= rows) break;
    size = row === 0 ? firstSize : firstSize * 2 ** (row - 1);
    within -= row === 0 ? 0 : width * size;
    const column = Math.floor(within / size);
    within -= column * size;
    const cursor = file.block(block, 'FHIB');
    cursor.skip(1 + file.offsetSize + offsetSize + (row * width + column) * file.offsetSize);
    block = cursor.address();
    rows = size <= maxDirectSize ? 0 : Math.log2(size) - Math.log2(width * firstSize) + 1;
  }
  throw file.fault('index', 'a heap has no block for one of its objects; the file is damaged');
}

/** Objects that are too large for blocks are listed by number. */
function findHuge(file: Hdf5File, { hugeTree }: Heap, id: Hdf5Cursor): HeapObject {
  const number = id.number(Math.min(file.lengthSize, id.left));
  for (const record of hugeTree === NO_ADDRESS ? [] : listHdf5Records(file, hugeTree, 1)) {
    const start = record.address();
    const length = record.length();
    if (record.length() !== number) continue;
    file.cursor(start, length);
    return { start, length };
  }
  throw file.fault('index', 'a large object of a heap is missing; the file is damaged', id.at);
}
