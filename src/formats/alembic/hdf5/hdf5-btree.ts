// SPDX-License-Identifier: MIT
// Version 2 B-trees of HDF5 index what heaps hold. Header: "BTHD", uint8 version, uint8 type, uint32 node size, uint16 record size, uint16 depth, two uint8, address of the
// root, uint16 records in it, total, checksum. A leaf is "BTLF", version, type, records; an inner node is "BTIN", version, type, records, and for each child its
// address, number of records and, above the lowest inner level, total.
import { type Hdf5Cursor, type Hdf5File, NO_ADDRESS } from './hdf5-file.ts';

/** Signature, version, type and checksum. */
const NODE_OVERHEAD = 10;

const MAX_DEPTH = 16;

/** Lists the records of a tree. */
export function listHdf5Records(file: Hdf5File, position: number, type: number): Hdf5Cursor[] {
  const header = file.block(position, 'BTHD');
  header.skip(1);
  if (header.u8() !== type) throw file.fault('syntax', 'an index has another type than expected', position);
  const nodeSize = header.u32();
  const recordSize = header.u16();
  const depth = header.u16();
  header.skip(2);
  const root = header.address();
  const rootCount = header.u16();
  if (recordSize < 4 || nodeSize < NODE_OVERHEAD + recordSize || depth > MAX_DEPTH)
    throw file.fault('value', 'an index has nodes of a wrong size; the file is damaged', position);
  const records: Hdf5Cursor[] = [];
  if (root === NO_ADDRESS || rootCount === 0) return records;
  const sizes = listChildSizes(file, { nodeSize, recordSize, depth });
  const visit = (at: number, count: number, level: number): void => {
    file.spend(nodeSize);
    const node = file.block(at, level > 0 ? 'BTIN' : 'BTLF');
    node.skip(2);
    if (count * recordSize > nodeSize) throw file.fault('length', 'a node of an index has too many records', at);
    for (let n = 0; n < count; n++) records.push(file.cursor(node.skip(recordSize), recordSize));
    for (let n = 0; level > 0 && n <= count; n++) {
      const child = node.address();
      const childCount = node.number(sizes.count);
      if (level > 1) node.skip(sizes.totals[level - 1]);
      visit(child, childCount, level - 1);
    }
  };
  visit(root, rootCount, depth);
  return records;
}

/** Bytes of the counts beside the address of a child: its records, and by level all records below it. */
function listChildSizes(
  file: Hdf5File,
  { nodeSize, recordSize, depth }: { nodeSize: number; recordSize: number; depth: number },
): { count: number; totals: number[] } {
  const leafMax = Math.floor((nodeSize - NODE_OVERHEAD) / recordSize);
  const count = bytesFor(leafMax);
  const totals = [0];
  let below = leafMax;
  for (let level = 1; level <= depth; level++) {
    const pointer = file.offsetSize + count + (level > 1 ? totals[level - 1] : 0);
    const most = Math.floor((nodeSize - NODE_OVERHEAD - pointer) / (recordSize + pointer));
    below = (most + 1) * below + most;
    totals[level] = bytesFor(below);
  }
  return { count, totals };
}

/** Bytes that a number up to a limit takes. */
function bytesFor(limit: number): number {
  return Math.floor(Math.log2(Math.max(1, limit)) / 8) + 1;
}
