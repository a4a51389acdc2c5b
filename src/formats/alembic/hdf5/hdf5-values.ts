// SPDX-License-Identifier: MIT
// Types and shapes of HDF5 values, and attributes: small values with names at objects.
import { listHdf5Records } from './hdf5-btree.ts';
import { type Hdf5Cursor, type Hdf5File, NO_ADDRESS } from './hdf5-file.ts';
import { openHdf5Heap } from './hdf5-heap.ts';
import { type Hdf5Message, MESSAGES, openHdf5Message } from './hdf5-messages.ts';

const NAME_INDEX = 8;
/** Classes of types, as numbered by HDF5. */
const [INTEGER, FLOAT, , STRING] = Array(10).keys();
const VARIABLE = 9;

export interface Hdf5Type {
  /** Bytes of a value. */
  size: number;
  isText: boolean;
  /** Text whose characters are in a global heap. */
  isVariable: boolean;
}

/** A named value. */
export interface Hdf5Attribute {
  type: Hdf5Type;
  /** Number of values. */
  count: number;
  data: Uint8Array;
}

/** uint8 class and version, three bytes of flags, uint32 size. */
export function readHdf5Type(cursor: Hdf5Cursor): Hdf5Type {
  const { file, at } = cursor;
  const kind = cursor.u8() & 15;
  const flags = cursor.u8();
  cursor.skip(2);
  const size = cursor.u32();
  const isVariable = kind === VARIABLE && (flags & 15) === 1;
  if (![INTEGER, FLOAT, STRING].includes(kind) && !isVariable)
    throw file.fault('unsupported', `values of the HDF5 class ${kind} are not read`, at);
  if (kind < STRING && flags & 1 && size > 1)
    throw file.fault('unsupported', 'big-endian values are not read; Alembic writes little-endian ones', at);
  if (size < 1) throw file.fault('value', 'a type has no size', at);
  return { size, isText: kind === STRING || isVariable, isVariable };
}

/** Lengths of the dimensions: none for a single value, [0] for no value. */
export function readHdf5Shape(cursor: Hdf5Cursor): number[] {
  const version = cursor.u8();
  const rank = cursor.u8();
  cursor.skip(1);
  const isNull = version === 2 && cursor.u8() === 2;
  if (version === 1) cursor.skip(5);
  if (version !== 1 && version !== 2)
    throw cursor.file.fault('version', `a shape has version ${version}; 1 and 2 are read`, cursor.at);
  return isNull ? [0] : Array.from({ length: rank }, () => cursor.length());
}

/** Lists the attributes of an object by name. */
export function readHdf5Attributes(
  file: Hdf5File,
  messages: readonly Hdf5Message[],
): ReadonlyMap<string, Hdf5Attribute> {
  const attributes = new Map<string, Hdf5Attribute>();
  for (const { type, start, length } of messages)
    if (type === MESSAGES.attribute) readAttributeInto(file.cursor(start, length), attributes);
  const info = openHdf5Message(file, messages, MESSAGES.attributeInfo);
  if (!info) return attributes;
  info.skip(1);
  if (info.u8() & 1) info.skip(2);
  const heap = info.address();
  const index = info.address();
  if (heap === NO_ADDRESS || index === NO_ADDRESS) return attributes;
  const find = openHdf5Heap(file, heap);
  for (const record of listHdf5Records(file, index, NAME_INDEX)) {
    const { start, length } = find(file.cursor(record.at, Math.min(8, record.left)));
    file.spend(length);
    readAttributeInto(file.cursor(start, length), attributes);
  }
  return attributes;
}

/** uint8 version, uint8 flags, uint16 lengths of name, type and shape, in version 3 uint8 characters; then these, in version 1 padded to eight bytes; data. */
function readAttributeInto(cursor: Hdf5Cursor, attributes: Map<string, Hdf5Attribute>): void {
  const { file, at } = cursor;
  const version = cursor.u8();
  const flags = cursor.u8();
  if (version < 1 || version > 3) throw file.fault('version', `an attribute has version ${version}`, at);
  if (version > 1 && flags & 3) throw file.fault('unsupported', 'shared types of HDF5 are not read', at);
  const sizes = [cursor.u16(), cursor.u16(), cursor.u16()];
  if (version === 3) cursor.skip(1);
  const [name, typeAt, shapeAt] = sizes.map((size) => {
    const start = cursor.skip(version === 1 ? 8 * Math.ceil(size / 8) : size);
    return file.cursor(start, size);
  });
  const type = readHdf5Type(typeAt);
  const count = readHdf5Shape(shapeAt).reduce((product, length) => product * length, 1);
  const data = cursor.bytes(count * type.size);
  attributes.set(name.text(sizes[0]), { type, count, data });
}

/** The text of an attribute; '' if it is no text. */
export function textOfHdf5(file: Hdf5File, { type, data, count }: Hdf5Attribute): string {
  if (!type.isText || count < 1) return '';
  const start = data.byteOffset - file.bytes.byteOffset;
  if (!type.isVariable) return file.cursor(start, type.size).text(type.size);
  // uint32 length, address of a collection, uint32 number of the object in it
  const place = file.cursor(start, type.size);
  const length = place.u32();
  const address = place.address();
  return length === 0 || address === NO_ADDRESS ? '' : readGlobalText(file, address, place.u32(), length);
}

/** A collection: "GCOL", uint8 version, three bytes, length; an object is uint16 number, uint16, uint32, length, data padded to eight bytes. */
function readGlobalText(file: Hdf5File, position: number, number: number, length: number): string {
  const head = file.block(position, 'GCOL');
  head.skip(4);
  const size = head.length();
  file.cursor(position, size);
  const cursor = file.cursor(head.at, Math.max(0, position + size - head.at));
  while (cursor.left >= 8 + file.lengthSize) {
    file.spend(16);
    const own = cursor.u16();
    cursor.skip(6);
    const ownSize = cursor.length();
    if (own === number) return cursor.text(Math.min(length, ownSize));
    if (own === 0) break;
    cursor.skip(8 * Math.ceil(ownSize / 8));
  }
  throw file.fault('index', 'a text is missing from its collection; the file is damaged', position);
}
