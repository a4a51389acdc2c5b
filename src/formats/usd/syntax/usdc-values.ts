// SPDX-License-Identifier: MIT
// Values of binary USD. A value reference has 64 bits: 48 of payload (the value itself, or its offset), 8 of type, and whether it is an array, stored in
// the payload, or compressed.
import { FormatError } from '../../../core/model/errors.ts';
import { ByteReader } from '../../shared/index.ts';
import type { UsdReference, UsdSamples, UsdValue } from './usd-layer.ts';
import { decodeUsdcIntegers, decodeUsdcLongIntegers } from './usdc-compression.ts';
import { checkIndex, type UsdcFile } from './usdc-file.ts';

type NumberKind = 'bool' | 'uint8' | 'int32' | 'uint32' | 'int64' | 'uint64' | 'half' | 'float' | 'double';

/** Numeric types: kind of number, and numbers per value. */
const NUMBERS: Record<number, readonly [kind: NumberKind, size: number]> = {
  1: ['bool', 1],
  2: ['uint8', 1],
  3: ['int32', 1],
  4: ['uint32', 1],
  5: ['int64', 1],
  6: ['uint64', 1],
  7: ['half', 1],
  8: ['float', 1],
  9: ['double', 1],
  13: ['double', 4],
  14: ['double', 9],
  15: ['double', 16],
  16: ['double', 4],
  17: ['float', 4],
  18: ['half', 4],
  19: ['double', 2],
  20: ['float', 2],
  21: ['half', 2],
  22: ['int32', 2],
  23: ['double', 3],
  24: ['float', 3],
  25: ['half', 3],
  26: ['int32', 3],
  27: ['double', 4],
  28: ['float', 4],
  29: ['half', 4],
  30: ['int32', 4],
  56: ['double', 1],
};

const BYTES: Record<NumberKind, number> = {
  bool: 1,
  uint8: 1,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  half: 2,
  float: 4,
  double: 8,
};

const [STRING, TOKEN, ASSET_PATH] = [10, 11, 12];
const [DICTIONARY, TOKEN_LIST_OP, PATH_LIST_OP, REFERENCE_LIST_OP] = [31, 32, 34, 35];
const [PATH_VECTOR, TOKEN_VECTOR, SPECIFIER, SELECTION_MAP, TIME_SAMPLES, PAYLOAD] = [40, 41, 42, 45, 46, 47];
const [DOUBLE_VECTOR, STRING_VECTOR, BLOCK, VALUE, PAYLOAD_LIST_OP] = [48, 50, 51, 52, 55];

/** Arrays with fewer elements are never compressed. */
const MIN_COMPRESSED = 16;
const MAX_DEPTH = 64;

/** Numbers that any file may hold compressed, and how many more per byte: constant ones take no bytes of their own. */
const [FREE_NUMBERS, NUMBERS_PER_BYTE] = [8e6, 24];

/** Reads values of a file by their references. */
export class UsdcValues {
  readonly #file: UsdcFile;
  /** Arrays that were decoded: files share equal ones. */
  readonly #arrays = new Map<bigint, UsdValue>();
  /** Compressed numbers that may still be decoded and kept. */
  #left: number;

  constructor(file: UsdcFile) {
    this.#file = file;
    this.#left = FREE_NUMBERS + NUMBERS_PER_BYTE * file.bytes.length;
  }

  /** A value of any type that readers of scenes use; undefined for other types. */
  value(rep: bigint, depth = 0): UsdValue | undefined {
    if (depth > MAX_DEPTH) throw new FormatError('usd', 'hierarchy', 'values are nested too deeply');
    const { type, isArray, isInlined, payload } = parts(rep);
    const numbers = NUMBERS[type];
    if (numbers) {
      if (isArray) return this.#keep(rep, numbers);
      return isInlined ? inlined(rep, numbers, type) : this.#single(payload, numbers);
    }
    switch (type) {
      case STRING:
      case TOKEN:
      case ASSET_PATH:
        return isArray ? this.#texts(type, payload) : this.#text(type, payload);
      case TOKEN_VECTOR:
      case STRING_VECTOR: {
        const reader = this.#reader(payload);
        const count = reader.count(4);
        return Array.from({ length: count }, () => this.#text(type === TOKEN_VECTOR ? TOKEN : STRING, reader.uint32()));
      }
      case DOUBLE_VECTOR: {
        const reader = this.#reader(payload);
        return Float64Array.from({ length: reader.count(8) }, () => reader.float64());
      }
      case SPECIFIER:
        return payload;
      case BLOCK:
        return null;
      case VALUE:
        return this.value(this.#reader(payload).bits64(), depth + 1);
      case DICTIONARY:
        return this.#dictionary(payload, depth);
      default:
        return undefined;
    }
  }

  /** Samples of an attribute. */
  samples(rep: bigint): UsdSamples | undefined {
    const { type, payload } = parts(rep);
    if (type !== TIME_SAMPLES) return undefined;
    const reader = this.#reader(payload);
    follow(reader);
    const times = this.value(reader.bits64());
    follow(reader);
    const count = reader.count(8);
    const values = Array.from({ length: count }, () => reader.bits64());
    if (!(times instanceof Float64Array) || times.length !== count)
      throw new FormatError(
        'usd',
        'mismatch',
        `${count} samples have ${times instanceof Float64Array ? times.length : 'no'} times`,
      );
    checkTimes(times);
    return { times, at: (index) => this.#sample(values[index]) ?? null };
  }

  /** A sample is decoded for each use, and not kept. */
  #sample(rep: bigint): UsdValue | undefined {
    const { type, isArray } = parts(rep);
    const numbers = NUMBERS[type];
    if (!numbers || !isArray) return this.value(rep);
    const left = this.#left;
    const value = this.#array(rep, numbers);
    this.#left = left;
    return value;
  }

  /** An array, decoded once. */
  #keep(rep: bigint, numbers: readonly [NumberKind, number]): UsdValue {
    const known = this.#arrays.get(rep);
    if (known !== undefined) return known;
    const value = this.#array(rep, numbers);
    this.#arrays.set(rep, value);
    return value;
  }

  /** Items of a list operation on paths or tokens, in order: explicit, prepended, added, appended. */
  list(rep: bigint): string[] {
    const { type, payload } = parts(rep);
    if (type === PATH_VECTOR) {
      const reader = this.#reader(payload);
      return Array.from({ length: reader.count(4) }, () => this.#path(reader.uint32()));
    }
    if (type === PATH_LIST_OP) return this.#listOp(payload, 4, (reader) => this.#path(reader.uint32()));
    if (type === TOKEN_LIST_OP) return this.#listOp(payload, 4, (reader) => this.#text(TOKEN, reader.uint32()));
    const value = this.value(rep);
    return Array.isArray(value) ? [...value] : [];
  }

  /** References or payloads. */
  references(rep: bigint): UsdReference[] {
    const { type, payload } = parts(rep);
    if (type === REFERENCE_LIST_OP) return this.#listOp(payload, 32, (reader) => this.#reference(reader));
    if (type === PAYLOAD_LIST_OP) return this.#listOp(payload, 8, (reader) => this.#payload(reader));
    if (type === PAYLOAD) return [this.#payload(this.#reader(payload))];
    return [];
  }

  /** Variants by their set. */
  selections(rep: bigint): Map<string, string> {
    const { type, payload } = parts(rep);
    const out = new Map<string, string>();
    if (type !== SELECTION_MAP) return out;
    const reader = this.#reader(payload);
    for (let left = reader.count(8); left > 0; left--) {
      const set = this.#text(STRING, reader.uint32());
      out.set(set, this.#text(STRING, reader.uint32()));
    }
    return out;
  }

  #reader(position: number): ByteReader {
    const reader = new ByteReader(this.#file.bytes, 'usd');
    reader.seek(position);
    return reader;
  }

  #text(type: number, index: number): string {
    const { tokens, strings } = this.#file;
    const token = type === STRING ? strings[checkIndex(index, strings.length, 'string')] : index;
    return tokens[checkIndex(token, tokens.length, 'token')];
  }

  #path(index: number): string {
    const { paths } = this.#file;
    return paths[checkIndex(index, paths.length, 'path')];
  }

  #texts(type: number, payload: number): string[] {
    if (payload === 0) return [];
    const reader = this.#reader(payload);
    const count = this.#arrayLength(reader, 4);
    return Array.from({ length: count }, () => this.#text(type, reader.uint32()));
  }

  #arrayLength(reader: ByteReader, itemBytes: number): number {
    // before 0.5 arrays have a rank, which is always one
    if (this.#file.version < 5) reader.uint32();
    const count = this.#file.version < 7 ? reader.uint32() : reader.uint64();
    return itemBytes === 0 ? count : reader.checkCount(count, itemBytes);
  }

  #single(payload: number, [kind, size]: readonly [NumberKind, number]): UsdValue {
    const values = readNumbers(this.#reader(payload), kind, size);
    if (size > 1) return values;
    return kind === 'bool' ? values[0] !== 0 : values[0];
  }

  #array(rep: bigint, [kind, size]: readonly [NumberKind, number]): UsdValue {
    const { payload, isCompressed } = parts(rep);
    if (payload === 0) return readNumbers(this.#reader(0), kind, 0);
    const reader = this.#reader(payload);
    if (!isCompressed) return readNumbers(reader, kind, size * this.#arrayLength(reader, size * BYTES[kind]));
    const count = this.#arrayLength(reader, 0);
    if (count < MIN_COMPRESSED) return readNumbers(reader, kind, count);
    this.#left -= count;
    if (this.#left < 0)
      throw new FormatError(
        'usd',
        'length',
        `compressed arrays of ${count} numbers and more do not fit a file of ${this.#file.bytes.length} bytes`,
      );
    if (kind === 'int32' || kind === 'uint32') return decodeUsdcIntegers(reader.bytes(reader.uint64()), count);
    if (kind === 'int64' || kind === 'uint64') return decodeUsdcLongIntegers(reader.bytes(reader.uint64()), count);
    const code = String.fromCharCode(reader.uint8());
    const out = kind === 'double' ? new Float64Array(count) : new Float32Array(count);
    if (code === 'i') {
      out.set(decodeUsdcIntegers(reader.bytes(reader.uint64()), count));
      return out;
    }
    if (code !== 't') throw new FormatError('usd', 'syntax', 'a compressed array has an unknown coding');
    const table = readNumbers(reader, kind, reader.checkCount(reader.uint32(), BYTES[kind]));
    const indices = decodeUsdcIntegers(reader.bytes(reader.uint64()), count);
    for (let n = 0; n < count; n++) out[n] = table[checkIndex(indices[n], table.length, 'entry')];
    return out;
  }

  #dictionary(payload: number, depth: number): UsdValue {
    const reader = this.#reader(payload);
    const out: Record<string, UsdValue> = Object.create(null);
    for (let left = reader.count(12); left > 0; left--) {
      const key = this.#text(STRING, reader.uint32());
      follow(reader);
      const value = this.value(reader.bits64(), depth + 1);
      if (value !== undefined) out[key] = value;
    }
    return out;
  }

  #listOp<T>(payload: number, itemBytes: number, read: (reader: ByteReader) => T): T[] {
    const reader = this.#reader(payload);
    const bits = reader.uint8();
    const lists: Record<number, T[]> = {};
    // in the order of the file: explicit, added, prepended, appended, deleted, ordered
    for (const bit of [2, 4, 32, 64, 8, 16]) {
      if ((bits & bit) === 0) continue;
      lists[bit] = [];
      for (let left = reader.count(itemBytes); left > 0; left--) lists[bit].push(read(reader));
    }
    return [2, 32, 4, 64].flatMap((bit) => lists[bit] ?? []);
  }

  #reference(reader: ByteReader): UsdReference {
    const reference = this.#target(reader);
    reference.offset = reader.float64();
    reference.scale = reader.float64();
    // custom data: values follow their keys, each after its offset
    for (let left = reader.count(12); left > 0; left--) {
      reader.uint32();
      follow(reader);
      reader.bits64();
    }
    return reference;
  }

  #payload(reader: ByteReader): UsdReference {
    const payload = this.#target(reader);
    if (this.#file.version < 8) return payload;
    payload.offset = reader.float64();
    payload.scale = reader.float64();
    return payload;
  }

  #target(reader: ByteReader): UsdReference {
    const asset = this.#text(STRING, reader.uint32());
    const index = reader.uint32();
    // paths may be empty, which is written as an index that no path has, or as that of an empty path
    const prim = index < this.#file.paths.length ? this.#path(index) : '';
    return { asset, prim: prim === '/' ? '' : prim, offset: 0, scale: 1 };
  }
}

/** Throws unless times are finite and ascending. */
function checkTimes(times: Float64Array): void {
  for (let n = 0; n < times.length; n++)
    if (!Number.isFinite(times[n]) || (n > 0 && times[n] <= times[n - 1]))
      throw new FormatError('usd', 'value', `the times of samples must ascend, sample ${n} is at ${times[n]}`);
}

function parts(rep: bigint) {
  return {
    type: Number((rep >> 48n) & 0xffn),
    isArray: ((rep >> 63n) & 1n) === 1n,
    isInlined: ((rep >> 62n) & 1n) === 1n,
    isCompressed: ((rep >> 61n) & 1n) === 1n,
    payload: Number(rep & 0xffff_ffff_ffffn),
  };
}

/** Jumps over nested data: an offset from here to what follows it. */
function follow(reader: ByteReader): void {
  const start = reader.position;
  reader.seek(start + reader.int64());
}

function inlined(rep: bigint, [kind, size]: readonly [NumberKind, number], type: number): UsdValue {
  const low = Number(rep & 0xffff_ffffn);
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setUint32(0, low, true);
  bytes.setUint32(4, Number((rep >> 32n) & 0xffffn), true);
  if (size > 1) {
    // vectors as signed bytes, matrices as their diagonal
    if (kind === 'half' && size === 2) return Float64Array.of(halfToNumber(low & 0xffff), halfToNumber(low >>> 16));
    const side = Math.sqrt(size);
    const isMatrix = type >= 13 && type <= 15;
    return Float64Array.from({ length: size }, (_, n) => {
      if (!isMatrix) return bytes.getInt8(n);
      return n % (side + 1) === 0 ? bytes.getInt8(n / (side + 1)) : 0;
    });
  }
  switch (kind) {
    case 'bool':
      return low !== 0;
    case 'half':
      return halfToNumber(low & 0xffff);
    case 'float':
    case 'double':
      return bytes.getFloat32(0, true);
    case 'int32':
    case 'int64':
      return bytes.getInt32(0, true);
    default:
      return low;
  }
}

/** Halves and floats become floats, other numbers of up to 32 bits integers, the others doubles. */
function readNumbers(reader: ByteReader, kind: NumberKind, count: number): Float32Array | Float64Array | Int32Array {
  const data = reader.bytes(count * BYTES[kind]);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  switch (kind) {
    case 'float':
      return new Float32Array(new Uint8Array(data).buffer);
    case 'double':
      return new Float64Array(new Uint8Array(data).buffer);
    case 'half':
      return Float32Array.from({ length: count }, (_, n) => halfToNumber(view.getUint16(2 * n, true)));
    case 'int64':
      return Float64Array.from({ length: count }, (_, n) => Number(view.getBigInt64(8 * n, true)));
    case 'uint64':
      return Float64Array.from({ length: count }, (_, n) => Number(view.getBigUint64(8 * n, true)));
    case 'int32':
    case 'uint32':
      return new Int32Array(new Uint8Array(data).buffer);
    default:
      return Int32Array.from(data);
  }
}

function halfToNumber(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}
