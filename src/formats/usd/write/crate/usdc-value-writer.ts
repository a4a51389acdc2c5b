// SPDX-License-Identifier: MIT
// Values of binary USD as 64-bit references: 48 bits of payload (the value itself, or its offset), 8 of type, and whether it is an array, stored in the
// payload, or compressed.
import { usdTupleSize } from '../../syntax/usd-layer.ts';
import type { UsdEntry } from '../../usd-extras.ts';
import type { UsdDraftSamples, UsdDraftValue } from '../usd-draft.ts';
import { encodeUsdcIntegers } from './encode-usdc-integers.ts';
import { halfOf } from './half-float.ts';
import type { UsdcBytes } from './usdc-bytes.ts';
import type { UsdcTables } from './usdc-tables.ts';

type NumberKind = 'half' | 'float' | 'double' | 'int';

const [BOOL, STRING, TOKEN, ASSET, DICTIONARY] = [1, 10, 11, 12, 31];
const [TOKEN_LIST_OP, PATH_LIST_OP, TOKEN_VECTOR, SPECIFIER, VARIABILITY] = [32, 34, 41, 42, 44];
const [TIME_SAMPLES, DOUBLE_VECTOR] = [46, 48];
const TEXTS: Readonly<Record<string, number>> = { string: STRING, token: TOKEN, asset: ASSET };
/** Types by kind of number and numbers per value. */
const NUMBERS: Readonly<Record<NumberKind, Readonly<Record<number, number>>>> = {
  int: { 1: 3, 2: 22, 3: 26, 4: 30 },
  half: { 1: 7, 2: 21, 3: 25, 4: 29 },
  float: { 1: 8, 2: 20, 3: 24, 4: 28 },
  double: { 1: 9, 2: 19, 3: 23, 4: 27, 16: 15 },
};
const QUATERNIONS: Readonly<Record<string, number>> = { quath: 18, quatf: 17, quatd: 16 };
const IS_ARRAY = 1n << 63n;
const IS_INLINED = 1n << 62n;
const IS_COMPRESSED = 1n << 61n;
/** Arrays with fewer numbers are not compressed. */
const MIN_COMPRESSED = 16;
/** A table of numbers pays if it has at most this many, and a quarter of the array's. */
const MAX_TABLE = 1024;
const PREPENDED = 32;

/** Writes values, and returns their references. */
export class UsdcValueWriter {
  readonly #bytes: UsdcBytes;
  readonly #tables: UsdcTables;

  constructor(bytes: UsdcBytes, tables: UsdcTables) {
    this.#bytes = bytes;
    this.#tables = tables;
  }

  token(text: string): bigint {
    return inline(TOKEN, this.#tables.token(text));
  }

  specifier(index: number): bigint {
    return inline(SPECIFIER, index);
  }

  variability(index: number): bigint {
    return inline(VARIABILITY, index);
  }

  value(value: UsdDraftValue, type: string): bigint {
    const isArray = type.endsWith('[]');
    const base = isArray ? type.slice(0, -2) : type;
    if (typeof value === 'boolean') return inline(BOOL, value ? 1 : 0);
    const text = TEXTS[base];
    if (text !== undefined)
      return isArray ? this.#texts(text, value as readonly string[]) : inline(text, this.#text(text, value as string));
    const size = usdTupleSize(base);
    const kind = kindOf(base);
    const code = QUATERNIONS[base] ?? NUMBERS[kind][size];
    if (code === undefined) throw new RangeError(`UsdcValueWriter: no value type for ${type}`);
    if (typeof value === 'number') return this.#scalar(value, kind, code);
    const numbers = value as ArrayLike<number>;
    if (isArray) return this.#array(numbers, kind, size, code);
    const start = this.#bytes.align();
    this.#bytes.add(encodeNumbers(numbers, kind));
    return reference(code, start);
  }

  samples({ codes, at }: UsdDraftSamples, type: string): bigint {
    const values = Array.from(codes, (_, k) => this.value(at(k), type));
    const times = this.#bytes.align();
    this.#bytes.addUint64(codes.length);
    this.#bytes.add(encodeNumbers(codes, 'double'));
    const start = this.#bytes.length;
    // what is nested comes before: offsets lead over nothing but themselves
    this.#bytes.addUint64(8);
    this.#bytes.addReferences([reference(DOUBLE_VECTOR, times)]);
    this.#bytes.addUint64(8, values.length);
    this.#bytes.addReferences(values);
    return reference(TIME_SAMPLES, start);
  }

  dictionary(entries: readonly UsdEntry[]): bigint {
    const values = entries.map((entry) =>
      entry.type === 'dictionary' ? this.dictionary(entry.value) : this.value(entry.value, entry.type),
    );
    const start = this.#bytes.align();
    this.#bytes.addUint64(entries.length);
    entries.forEach(({ key }, n) => {
      this.#bytes.addUint32(this.#tables.string(key));
      this.#bytes.addUint64(8);
      this.#bytes.addReferences([values[n]]);
    });
    return reference(DICTIONARY, start);
  }

  tokens(list: readonly string[]): bigint {
    const start = this.#bytes.align();
    this.#bytes.addUint64(list.length);
    this.#bytes.addUint32(...list.map((text) => this.#tables.token(text)));
    return reference(TOKEN_VECTOR, start);
  }

  prependedTokens(list: readonly string[]): bigint {
    return this.#listOp(
      TOKEN_LIST_OP,
      PREPENDED,
      list.map((text) => this.#tables.token(text)),
    );
  }

  /** An explicit list of paths, as "rel a = <b>" is. */
  paths(list: readonly string[]): bigint {
    const [isExplicit, hasExplicit] = [1, 2];
    return this.#listOp(
      PATH_LIST_OP,
      isExplicit | hasExplicit,
      list.map((path) => this.#tables.path(path)),
    );
  }

  #listOp(type: number, bits: number, indices: readonly number[]): bigint {
    const start = this.#bytes.align();
    this.#bytes.add(Uint8Array.of(bits));
    this.#bytes.addUint64(indices.length);
    this.#bytes.addUint32(...indices);
    return reference(type, start);
  }

  #text(type: number, text: string): number {
    return type === STRING ? this.#tables.string(text) : this.#tables.token(text);
  }

  #texts(type: number, list: readonly string[]): bigint {
    if (list.length === 0) return reference(type, 0) | IS_ARRAY;
    const start = this.#bytes.align();
    this.#bytes.addUint64(list.length);
    for (const text of list) this.#bytes.addUint32(this.#text(type, text));
    return reference(type, start) | IS_ARRAY;
  }

  #scalar(value: number, kind: NumberKind, code: number): bigint {
    if (kind === 'int') return inline(code, value >>> 0);
    if (kind === 'half') return inline(code, halfOf(value));
    if (kind === 'float' || Math.fround(value) === value) return inline(code, bitsOfFloat(value));
    const start = this.#bytes.align();
    this.#bytes.add(encodeNumbers([value], kind));
    return reference(code, start);
  }

  #array(values: ArrayLike<number>, kind: NumberKind, size: number, code: number): bigint {
    const count = values.length / size;
    if (count === 0) return reference(code, 0) | IS_ARRAY;
    const packed = size === 1 && count >= MIN_COMPRESSED ? packNumbers(values, kind) : undefined;
    const start = this.#bytes.align();
    this.#bytes.addUint64(count);
    if (!packed) {
      this.#bytes.add(encodeNumbers(values, kind));
      return reference(code, start) | IS_ARRAY;
    }
    for (const piece of packed.head) this.#bytes.add(piece);
    this.#bytes.addBlock(packed.integers);
    return reference(code, start) | IS_ARRAY | IS_COMPRESSED;
  }
}

/** Numbers as integers: themselves, or places in a table. undefined if that does not pay. */
function packNumbers(
  values: ArrayLike<number>,
  kind: NumberKind,
): { head: Uint8Array[]; integers: Uint8Array } | undefined {
  if (kind === 'int') return { head: [], integers: encodeUsdcIntegers(values) };
  const letter = (text: string): Uint8Array => Uint8Array.of(text.charCodeAt(0));
  const places = new Map<number, number>();
  const most = Math.min(MAX_TABLE, values.length / 4);
  let isWhole = true;
  for (let n = 0; n < values.length; n++) {
    const x = values[n];
    isWhole &&= (x | 0) === x && !Object.is(x, -0);
    if (places.size <= most && !places.has(x)) places.set(x, places.size);
    if (!isWhole && places.size > most) return undefined;
  }
  if (isWhole) return { head: [letter('i')], integers: encodeUsdcIntegers(values) };
  const table = encodeNumbers([...places.keys()], kind);
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, places.size, true);
  const indices = Int32Array.from(values, (x) => places.get(x) ?? 0);
  return { head: [letter('t'), count, table], integers: encodeUsdcIntegers(indices) };
}

function kindOf(base: string): NumberKind {
  if (/^int/.test(base)) return 'int';
  if (/^half|h$/.test(base)) return 'half';
  return /^(double|timecode)|d$/.test(base) ? 'double' : 'float';
}

function encodeNumbers(values: ArrayLike<number>, kind: NumberKind): Uint8Array {
  const bytesOf = (array: ArrayBufferView): Uint8Array =>
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  // typed arrays are in the order of bytes of the machine, which is that of the file wherever Node or a browser runs
  switch (kind) {
    case 'int':
      return bytesOf(Int32Array.from(values));
    case 'half':
      return bytesOf(Uint16Array.from(values, halfOf));
    case 'float':
      return bytesOf(values instanceof Float32Array ? values.slice() : Float32Array.from(values));
    case 'double':
      return bytesOf(Float64Array.from(values));
  }
}

function bitsOfFloat(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0];
}

function reference(type: number, payload: number): bigint {
  return (BigInt(type) << 48n) | BigInt(payload);
}

function inline(type: number, payload: number): bigint {
  return reference(type, payload) | IS_INLINED;
}
