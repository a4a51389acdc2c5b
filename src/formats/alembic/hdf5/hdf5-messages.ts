// SPDX-License-Identifier: MIT
// The header of an HDF5 object is a list of messages. Version 1: uint8 1, uint8, uint16 number of messages, uint32 references, uint32 length, uint32;
// a message is uint16 type, uint16 size, uint8 flags, three bytes, data. Version 2: "OHDR", uint8 2, uint8 flags, and what they announce; a message is
// uint8 type, uint16 size, uint8 flags, perhaps a uint16, data. A continuation names another block of messages.
import { type Hdf5Cursor, type Hdf5File, NO_ADDRESS } from './hdf5-file.ts';

/** Types of messages, as numbered by HDF5. */
export const MESSAGES = {
  ...{ dataspace: 1, linkInfo: 2, datatype: 3, link: 6, layout: 8, filters: 11, attribute: 12 },
  ...{ continuation: 16, symbolTable: 17, attributeInfo: 21 },
} as const;

export interface Hdf5Message {
  type: number;
  flags: number;
  start: number;
  length: number;
}

/** More blocks than this are a damaged file. */
const MAX_BLOCKS = 4096;

/** Reads the messages of the object at a position. */
export function readHdf5Messages(file: Hdf5File, position: number): Hdf5Message[] {
  if (position === NO_ADDRESS) throw file.fault('syntax', 'an object has no header; the file is damaged');
  const isNew = file.bytes[position] === 0x4f;
  const messages: Hdf5Message[] = [];
  const blocks = [isNew ? openNewHeader(file, position) : openOldHeader(file, position)];
  for (let n = 0; n < blocks.length; n++) {
    if (n >= MAX_BLOCKS) throw file.fault('limit', 'the header of an object has too many blocks', position);
    const { cursor, hasOrder } = blocks[n];
    file.spend(32 + cursor.left);
    while (cursor.left >= (isNew ? (hasOrder ? 6 : 4) : 8)) {
      const message = isNew ? nextNew(cursor, hasOrder) : nextOld(cursor);
      if (message.type !== MESSAGES.continuation) {
        messages.push(message);
        continue;
      }
      const link = file.cursor(message.start, message.length);
      const start = link.address();
      const length = link.length();
      if (!isNew) blocks.push({ cursor: file.cursor(start, length), hasOrder });
      else {
        file.block(start, 'OCHK');
        // a checksum at the end
        blocks.push({ cursor: file.cursor(start + 4, length - 8), hasOrder });
      }
    }
  }
  return messages;
}

interface MessageBlock {
  cursor: Hdf5Cursor;
  hasOrder: boolean;
}

function openOldHeader(file: Hdf5File, position: number): MessageBlock {
  const cursor = file.cursor(position);
  const version = cursor.u8();
  if (version !== 1) throw file.fault('version', `an object header has version ${version}`, position);
  cursor.skip(7);
  const length = cursor.u32();
  cursor.skip(4);
  return { cursor: file.cursor(cursor.at, length), hasOrder: false };
}

function openNewHeader(file: Hdf5File, position: number): MessageBlock {
  const cursor = file.block(position, 'OHDR');
  const version = cursor.u8();
  if (version !== 2) throw file.fault('version', `an object header has version ${version}`, position);
  const flags = cursor.u8();
  if (flags & 0x20) cursor.skip(16);
  if (flags & 0x10) cursor.skip(4);
  const length = cursor.number(1 << (flags & 3));
  return { cursor: file.cursor(cursor.at, length), hasOrder: (flags & 4) !== 0 };
}

function nextOld(cursor: Hdf5Cursor): Hdf5Message {
  const type = cursor.u16();
  const length = cursor.u16();
  const flags = cursor.u8();
  cursor.skip(3);
  return { type, flags, start: cursor.skip(length), length };
}

function nextNew(cursor: Hdf5Cursor, hasOrder: boolean): Hdf5Message {
  const type = cursor.u8();
  const length = cursor.u16();
  const flags = cursor.u8();
  if (hasOrder) cursor.skip(2);
  return { type, flags, start: cursor.skip(length), length };
}

/** A cursor over the data of a message; undefined if the object has none of its type. */
export function openHdf5Message(
  file: Hdf5File,
  messages: readonly Hdf5Message[],
  type: number,
): Hdf5Cursor | undefined {
  const message = messages.find((one) => one.type === type);
  if (!message) return undefined;
  if (message.flags & 2) throw file.fault('unsupported', 'shared messages of HDF5 are not read', message.start);
  return file.cursor(message.start, message.length);
}
