// SPDX-License-Identifier: MIT
// Properties of Alembic objects. A compound group holds a group per property and last their headers; a property group holds a data block
// per sample (scalars), or one for the values and one for their dimensions (arrays). A block starts with a key of 16 bytes. Samples equal
// to the first at the start, and to the last changed one at the end, are not stored again.
//
// A header is a uint32 of flags: 0x3 type (0 compound, 1 scalar, 2 or 3 array), 0xc size of the numbers after it (1, 2 or 4 bytes), 0xf0 type
// of values, 0x100 has a time sampling, 0x200 has first and last changed sample, 0x800 constant, 0xff000 values per element, 0xff00000
// metadata; then number of samples, first and last changed sample, time sampling, length of name, name, and perhaps metadata.
import type { OgawaData, OgawaFile, OgawaGroup } from './abc-ogawa.ts';

export interface AbcProperty {
  name: string;
  kind: 'compound' | 'scalar' | 'array';
  metadata: string;
  group: OgawaGroup;
  /** Index into VALUE_SIZES. */
  type: number;
  /** Values per element: 3 for positions. */
  extent: number;
  sampleCount: number;
  firstChanged: number;
  lastChanged: number;
  /** Index into the time samplings of the archive. */
  sampling: number;
}

const KEY_LENGTH = 16;

const [BOOLEAN, UINT8, INT8, UINT16, INT16, UINT32, INT32, UINT64, INT64, FLOAT16, FLOAT32, FLOAT64, STRING, WSTRING] =
  Array(14).keys();

/** Bytes of a value, by type; 0 for text. */
const VALUE_SIZES = [1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 0, 0];

/** Reads the headers of the properties in a compound. */
export function readAbcProperties(
  file: OgawaFile,
  group: OgawaGroup,
  metadataTable: string[],
  samplingCount: number,
): Map<string, AbcProperty> {
  const properties = new Map<string, AbcProperty>();
  const data = file.data(group, group.childCount - 1);
  if (!data) return properties;
  file.spend(data.length);
  const end = data.start + data.length;
  let at = data.start;
  let numberSize = 4;
  const take = (size: number): number => {
    at += size;
    if (at > end) throw file.fault('truncated', 'the header of a property is incomplete', at - size);
    return at - size;
  };
  const takeNumber = (): number => {
    const start = take(numberSize);
    if (numberSize === 1) return file.view.getUint8(start);
    return numberSize === 2 ? file.view.getUint16(start, true) : file.view.getUint32(start, true);
  };
  const takeText = (): string => {
    const length = takeNumber();
    const start = take(length);
    return file.text(start, start + length);
  };
  for (let n = 0; at < end; n++) {
    const headerStart = at;
    const flags = file.view.getUint32(take(4), true);
    numberSize = [1, 2, 4, 4][(flags >> 2) & 3];
    const isCompound = (flags & 3) === 0;
    const sampleCount = isCompound ? 0 : takeNumber();
    const hasChanged = !isCompound && (flags & 0x200) !== 0;
    const isConstant = (flags & 0x800) !== 0;
    const firstChanged = hasChanged ? takeNumber() : isConstant ? 0 : 1;
    const lastChanged = hasChanged ? takeNumber() : isConstant ? 0 : Math.max(0, sampleCount - 1);
    const sampling = !isCompound && (flags & 0x100) !== 0 ? takeNumber() : 0;
    const name = takeText();
    const index = (flags >> 20) & 0xff;
    const metadata = index === 255 ? takeText() : metadataTable[index];
    const type = (flags >> 4) & 15;
    if (metadata === undefined || (!isCompound && (type > WSTRING || sampling >= samplingCount)))
      throw file.fault('index', `the header of the property "${name}" is not valid`, headerStart);
    if (firstChanged > lastChanged + 1 || lastChanged > sampleCount)
      throw file.fault('index', `the samples of the property "${name}" are not in order`, headerStart);
    const child = file.group(group, n);
    if (!child) throw file.fault('index', `the property "${name}" has no data`, headerStart);
    const kind = isCompound ? 'compound' : (flags & 3) === 1 ? 'scalar' : 'array';
    const extent = Math.max(1, (flags >> 12) & 0xff);
    const own = { name, kind, metadata, group: child, type, extent, sampling } as const;
    properties.set(name, { ...own, sampleCount, firstChanged, lastChanged });
  }
  return properties;
}

export function isConstant({ sampleCount, firstChanged }: AbcProperty): boolean {
  return sampleCount < 2 || firstChanged === 0;
}

/** The stored sample that sample k is. Equal numbers are equal values. */
export function storedSample({ sampleCount, firstChanged, lastChanged }: AbcProperty, k: number): number {
  const index = Math.min(k, sampleCount - 1);
  if (index < firstChanged || lastChanged === 0) return 0;
  return Math.min(index, lastChanged) - firstChanged + 1;
}

/** The values of sample k, without their key. */
export function sampleData(file: OgawaFile, property: AbcProperty, k: number): OgawaData {
  const stored = storedSample(property, k);
  const data = file.data(property.group, property.kind === 'array' ? 2 * stored : stored);
  if (!data) throw file.fault('truncated', `sample ${k} of the property "${property.name}" is missing`);
  if (data.length < KEY_LENGTH) return { start: data.start, length: 0 };
  return { start: data.start + KEY_LENGTH, length: data.length - KEY_LENGTH };
}

/** Number of values in a sample. */
export function valueCount(property: AbcProperty, data: OgawaData): number {
  const size = VALUE_SIZES[property.type];
  return size === 0 ? 0 : Math.floor(data.length / size);
}

/** Reads all values of a sample as numbers; throws if they are text. */
export function readNumbers<T extends Float32Array | Float64Array | Int32Array>(
  file: OgawaFile,
  property: AbcProperty,
  k: number,
  make: new (length: number) => T,
): T {
  const data = sampleData(file, property, k);
  const out = new make(valueCount(property, data));
  readNumbersInto(file, property, data, out);
  return out;
}

/** Reads the values of a sample into an array that has place for them. */
export function readNumbersInto(
  file: OgawaFile,
  property: AbcProperty,
  data: OgawaData,
  out: Float32Array | Float64Array | Int32Array,
): void {
  const { view } = file;
  const { start } = data;
  const count = valueCount(property, data);
  const isSame =
    (property.type === FLOAT32 && out instanceof Float32Array) ||
    (property.type === FLOAT64 && out instanceof Float64Array) ||
    ((property.type === INT32 || property.type === UINT32) && out instanceof Int32Array);
  if (isSame && IS_LITTLE_ENDIAN) {
    // A copy of bytes: blocks are not aligned, so there can be no view of them.
    const byteCount = count * out.BYTES_PER_ELEMENT;
    new Uint8Array(out.buffer, out.byteOffset, byteCount).set(file.bytes.subarray(start, start + byteCount));
    return;
  }
  const read = READERS[property.type];
  if (!read) throw file.fault('syntax', `the property "${property.name}" holds text, not numbers`, start);
  const size = VALUE_SIZES[property.type];
  for (let c = 0; c < count; c++) out[c] = read(view, start + size * c);
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

const READERS: Record<number, ((view: DataView, at: number) => number) | undefined> = {
  [BOOLEAN]: (view, at) => view.getUint8(at),
  [UINT8]: (view, at) => view.getUint8(at),
  [INT8]: (view, at) => view.getInt8(at),
  [UINT16]: (view, at) => view.getUint16(at, true),
  [INT16]: (view, at) => view.getInt16(at, true),
  [UINT32]: (view, at) => view.getUint32(at, true),
  [INT32]: (view, at) => view.getInt32(at, true),
  [UINT64]: (view, at) => Number(view.getBigUint64(at, true)),
  [INT64]: (view, at) => Number(view.getBigInt64(at, true)),
  [FLOAT16]: (view, at) => halfValue(view.getUint16(at, true)),
  [FLOAT32]: (view, at) => view.getFloat32(at, true),
  [FLOAT64]: (view, at) => view.getFloat64(at, true),
  [STRING]: undefined,
};

/** The number that 16 bits of a half-precision float are. */
function halfValue(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
