// SPDX-License-Identifier: MIT
// The links of an HDF5 group to its children: in messages, in a heap with an index if there are many, or in old files in a symbol table.
import { listHdf5Records } from './hdf5-btree.ts';
import { type Hdf5Cursor, type Hdf5File, NO_ADDRESS } from './hdf5-file.ts';
import { openHdf5Heap } from './hdf5-heap.ts';
import { type Hdf5Message, MESSAGES, openHdf5Message } from './hdf5-messages.ts';

const NAME_INDEX = 5;
/** Deeper than any tree of names. */
const MAX_DEPTH = 16;

/** Names of the children, in the order of their creation if the file states it, and the positions of their headers. */
export type Hdf5Links = ReadonlyMap<string, number>;

interface Link {
  name: string;
  position: number;
  order: number;
}

/** Lists the children of a group. Links to other files and by path are left out. */
export function readHdf5Links(file: Hdf5File, messages: readonly Hdf5Message[]): Hdf5Links {
  const links: Link[] = [];
  for (const { type, start, length } of messages)
    if (type === MESSAGES.link) readLinkInto(file.cursor(start, length), links);
  const info = openHdf5Message(file, messages, MESSAGES.linkInfo);
  if (info) {
    info.skip(1);
    if (info.u8() & 1) info.skip(8);
    const heap = info.address();
    const index = info.address();
    if (heap !== NO_ADDRESS && index !== NO_ADDRESS) {
      const find = openHdf5Heap(file, heap);
      for (const record of listHdf5Records(file, index, NAME_INDEX)) {
        record.skip(4);
        const { start, length } = find(record);
        file.spend(length);
        readLinkInto(file.cursor(start, length), links);
      }
    }
  }
  const table = openHdf5Message(file, messages, MESSAGES.symbolTable);
  if (table) {
    const tree = table.address();
    const heap = table.address();
    if (tree !== NO_ADDRESS && heap !== NO_ADDRESS) readNamesInto(file, tree, openLocalHeap(file, heap), links);
  }
  links.sort((a, b) => a.order - b.order);
  return new Map(links.map(({ name, position }) => [name, position]));
}

/** uint8 version, uint8 flags, and what they announce: uint8 type, uint64 order, uint8 characters; length of name, name, address. */
function readLinkInto(cursor: Hdf5Cursor, links: Link[]): void {
  cursor.skip(1);
  const flags = cursor.u8();
  const type = flags & 8 ? cursor.u8() : 0;
  const order = flags & 4 ? cursor.number(8) : links.length;
  if (flags & 16) cursor.skip(1);
  const name = cursor.text(cursor.number(1 << (flags & 3)));
  if (type === 0) links.push({ name, order, position: cursor.address() });
}

/** Names of a local heap: "HEAP", uint8 version, three bytes, length, free list, address of the names. */
function openLocalHeap(file: Hdf5File, position: number): (offset: number) => string {
  const cursor = file.block(position, 'HEAP');
  cursor.skip(4);
  const length = cursor.length();
  cursor.length();
  const names = file.cursor(cursor.address(), length);
  const start = names.at;
  return (offset) => {
    const name = file.cursor(start + offset, Math.max(0, length - offset));
    const zero = file.bytes.subarray(name.at, name.end).indexOf(0);
    return name.text(zero < 0 ? name.left : zero);
  };
}

/** A tree of names: "TREE", uint8 0, uint8 level, uint16 number of children, two siblings, then key, child, key, child … Leaves are symbol tables. */
function readNamesInto(
  file: Hdf5File,
  position: number,
  nameAt: (offset: number) => string,
  links: Link[],
  depth = 0,
): void {
  const node = file.block(position, 'TREE');
  const type = node.u8();
  const level = node.u8();
  const count = node.u16();
  if (type !== 0 || depth > MAX_DEPTH) throw file.fault('syntax', 'the tree of a group is damaged', position);
  node.skip(2 * file.offsetSize);
  for (let n = 0; n < count; n++) {
    node.skip(file.lengthSize);
    const child = node.address();
    if (level > 0) {
      file.spend(file.offsetSize + file.lengthSize);
      readNamesInto(file, child, nameAt, links, depth + 1);
      continue;
    }
    // "SNOD", uint8 version, uint8, uint16 number of symbols; a symbol is the offset of its name, an address, uint32 cache type, 20 bytes
    const symbols = file.block(child, 'SNOD');
    symbols.skip(2);
    for (let left = symbols.u16(); left > 0; left--) {
      const name = nameAt(symbols.number(file.offsetSize));
      const target = symbols.address();
      const cacheType = symbols.u32();
      symbols.skip(20);
      file.spend(40 + name.length);
      if (cacheType !== 2) links.push({ name, position: target, order: links.length });
    }
  }
}
