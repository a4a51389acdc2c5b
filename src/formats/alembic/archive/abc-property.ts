// SPDX-License-Identifier: MIT
// Properties of Alembic objects, in either container. Samples equal to the first at the start, and to the last changed one at the end, are not stored again.
import type { AbcFile } from './abc-file.ts';

export interface AbcProperty {
  name: string;
  kind: 'compound' | 'scalar' | 'array';
  metadata: string;
  /** Index into VALUE_SIZES. */
  type: number;
  /** Values per element: 3 for positions. */
  extent: number;
  sampleCount: number;
  firstChanged: number;
  lastChanged: number;
  /** Index into the time samplings of the archive. */
  sampling: number;
  /** The values of a stored sample (storedSample); undefined if they are missing. Equal samples may share memory. */
  read(stored: number): Uint8Array | undefined;
  /** The properties of a compound, by name. */
  list(): ReadonlyMap<string, AbcProperty>;
}

const [BOOLEAN, UINT8, INT8, UINT16, INT16, UINT32, INT32, UINT64, INT64, FLOAT16, FLOAT32, FLOAT64, STRING] =
  Array(14).keys();

/** Bytes of a value, by type; 0 for text. */
export const VALUE_SIZES = [1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 0, 0];

export function isConstant({ sampleCount, firstChanged }: AbcProperty): boolean {
  return sampleCount < 2 || firstChanged === 0;
}

/** The stored sample that sample k is. Equal numbers are equal values. */
export function storedSample({ sampleCount, firstChanged, lastChanged }: AbcProperty, k: number): number {
  const index = Math.min(k, sampleCount - 1);
  if (index < firstChanged || lastChanged === 0) return 0;
  return Math.min(index, lastChanged) - firstChanged + 1;
}

/** The values of sample k. */
export function sampleData(file: AbcFile, property: AbcProperty, k: number): Uint8Array {
  const data = property.read(storedSample(property, k));
  if (!data) throw file.fault('truncated', `sample ${k} of the property "${property.name}" is missing`);
  return data;
}

/** Number of values in a sample. */
export function valueCount(property: AbcProperty, data: Uint8Array): number {
  const size = VALUE_SIZES[property.type];
  return size === 0 ? 0 : Math.floor(data.length / size);
}

/** Reads all values of a sample as numbers; throws if they are text. */
export function readNumbers<T extends Float32Array | Float64Array | Int32Array>(
  file: AbcFile,
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
  file: AbcFile,
  property: AbcProperty,
  data: Uint8Array,
  out: Float32Array | Float64Array | Int32Array,
): void {
  const count = valueCount(property, data);
  const isSame =
    (property.type === FLOAT32 && out instanceof Float32Array) ||
    (property.type === FLOAT64 && out instanceof Float64Array) ||
    ((property.type === INT32 || property.type === UINT32) && out instanceof Int32Array);
  if (isSame && IS_LITTLE_ENDIAN) {
    // A copy of bytes: blocks are not aligned, so there can be no view of them.
    const byteCount = count * out.BYTES_PER_ELEMENT;
    new Uint8Array(out.buffer, out.byteOffset, byteCount).set(data.subarray(0, byteCount));
    return;
  }
  const read = READERS[property.type];
  if (!read) throw file.fault('syntax', `the property "${property.name}" holds text, not numbers`);
  const size = VALUE_SIZES[property.type];
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let c = 0; c < count; c++) out[c] = read(view, size * c);
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
