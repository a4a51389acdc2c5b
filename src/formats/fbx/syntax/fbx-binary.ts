// SPDX-License-Identifier: MIT
// Binary FBX, versions 6.1 to 7.7. A node is: end offset, number of values, bytes of values (32 bits each, 64 from version 7.5), length
// of the name, name, values, children, and an empty record after the last child. Arrays may be compressed by zlib.
import { Unzlib, unzlibSync } from 'fflate';
import { FormatError } from '../../../core/model/errors.ts';
import {
  decodeFbxText,
  type FbxArray,
  type FbxNode,
  type FbxNumbers,
  type FbxTree,
  type FbxValue,
  failFbx,
  MAX_FBX_DEPTH,
} from './fbx-node.ts';

const MAGIC = 'Kaydara FBX Binary  \0';
const HEADER_BYTES = 27;
/** Offset of the byte that is not zero where numbers have their highest byte first. */
const ORDER_OFFSET = 22;
const FIRST_VERSION = 6000;
const LAST_VERSION = 7999;
/** From this version on, offsets have 64 bits. */
const WIDE_VERSION = 7500;

/** Compressed bytes given to the decompressor at once: at most a thousand times as many come out before the length is checked again. */
const PIECE = 1 << 16;

/** Arrays of at most this many bytes are decompressed at once, since a stream takes more time to set up than they do. */
const SMALL = 1 << 15;

/** Bytes by which compressed data may be longer than what it holds. */
const SMALL_SLACK = 64;

/** Modulus of the checksum at the end of compressed data. */
const ADLER = 65521;

/** Bytes that all arrays of a file may take decoded: a base, and a multiple of its size. */
const DECODED_BASE = 16 * 2 ** 20;
const DECODED_RATIO = 64;

const ARRAY_SIZES: Record<string, number> = { f: 4, d: 8, l: 8, i: 4, b: 1, c: 1 };

interface Source {
  bytes: Uint8Array;
  view: DataView;
  isWide: boolean;
  /** Whether numbers have their lowest byte first. */
  isLittle: boolean;
  /** Adds to the decoded bytes; throws beyond the limit. */
  spend(bytes: number): void;
}

/** Whether the first bytes are those of a binary FBX. */
export function isBinaryFbx(bytes: Uint8Array): boolean {
  for (let n = 0; n < MAGIC.length; n++) if (bytes[n] !== MAGIC.charCodeAt(n)) return false;
  return true;
}

/** Reads the nodes of a binary FBX. Every length is checked before memory is allocated; arrays are decoded when they are read. */
export function parseFbxBinary(bytes: Uint8Array): FbxTree {
  if (bytes.length < HEADER_BYTES)
    failFbx('truncated', `a binary FBX has at least ${HEADER_BYTES} bytes`, bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isLittle = bytes[ORDER_OFFSET] === 0;
  const version = view.getUint32(23, isLittle);
  if (version < FIRST_VERSION || version > LAST_VERSION)
    failFbx('version', `the file is FBX version ${version}; versions 6000 to 7700 are read`, 23);
  const limit = DECODED_BASE + DECODED_RATIO * bytes.length;
  let decoded = 0;
  const spend = (count: number): void => {
    decoded += count;
    if (decoded > limit)
      failFbx(
        'limit',
        `the file has ${bytes.length} bytes but its arrays claim over ${limit}; its counts cannot be true`,
      );
  };
  const source: Source = { bytes, view, isWide: version >= WIDE_VERSION, isLittle, spend };
  const nodes: FbxNode[] = [];
  readChildren(source, HEADER_BYTES, bytes.length, nodes, 0);
  return { version, nodes };
}

/** Reads nodes up to an empty record or the end, and returns the offset after them. */
function readChildren(source: Source, start: number, end: number, out: FbxNode[], depth: number): number {
  if (depth > MAX_FBX_DEPTH) failFbx('limit', `nodes are nested deeper than ${MAX_FBX_DEPTH} levels`, start);
  const { view, isWide, isLittle } = source;
  const headBytes = isWide ? 25 : 13;
  const wordAt = (offset: number): number =>
    isWide ? readOffset(view, offset, isLittle) : view.getUint32(offset, isLittle);
  const word = isWide ? 8 : 4;
  let at = start;
  while (at + headBytes <= end) {
    const nodeEnd = wordAt(at);
    const valueCount = wordAt(at + word);
    const valueBytes = wordAt(at + 2 * word);
    if (nodeEnd === 0) return at + headBytes;
    const nameStart = at + headBytes;
    const valueStart = nameStart + view.getUint8(nameStart - 1);
    if (nodeEnd > end || valueStart + valueBytes > nodeEnd)
      failFbx('truncated', 'a node ends beyond the end of the one around it', at);
    if (valueCount > valueBytes) failFbx('length', `a node states ${valueCount} values in ${valueBytes} bytes`, at);
    const node: FbxNode = { name: readText(source.bytes, nameStart, valueStart), values: [], children: [] };
    let value = valueStart;
    for (let n = 0; n < valueCount; n++) value = readValue(source, value, valueStart + valueBytes, node.values);
    readChildren(source, valueStart + valueBytes, nodeEnd, node.children, depth + 1);
    out.push(node);
    at = nodeEnd;
  }
  return at;
}

/** Values of a fixed size, by their type. */
const SCALARS: Readonly<
  Record<string, { size: number; read(view: DataView, at: number, isLittle: boolean): FbxValue }>
> = {
  C: { size: 1, read: (view, at) => view.getUint8(at) },
  B: { size: 1, read: (view, at) => view.getUint8(at) },
  Z: { size: 1, read: (view, at) => view.getUint8(at) },
  Y: { size: 2, read: (view, at, isLittle) => view.getInt16(at, isLittle) },
  I: { size: 4, read: (view, at, isLittle) => view.getInt32(at, isLittle) },
  F: { size: 4, read: (view, at, isLittle) => view.getFloat32(at, isLittle) },
  D: { size: 8, read: (view, at, isLittle) => view.getFloat64(at, isLittle) },
  L: { size: 8, read: readLong },
};

/** A 64-bit integer; a number if it is exact. */
function readLong(view: DataView, at: number, isLittle: boolean): number | bigint {
  const value = view.getBigInt64(at, isLittle);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Reads one value into out, and returns the offset after it. */
function readValue(source: Source, at: number, end: number, out: FbxValue[]): number {
  const { bytes, view, isLittle } = source;
  if (at >= end) failFbx('truncated', 'a node has fewer values than it states', at);
  const type = String.fromCharCode(bytes[at]);
  const scalar = SCALARS[type];
  if (scalar) {
    const next = endOfValue(at, scalar.size, end);
    out.push(scalar.read(view, at + 1, isLittle));
    return next;
  }
  if (type !== 'S' && type !== 'R') return readArray(source, type, at, end, out);
  endOfValue(at, 4, end);
  const next = endOfValue(at, 4 + view.getUint32(at + 1, isLittle), end);
  out.push(type === 'S' ? readText(bytes, at + 5, next) : bytes.subarray(at + 5, next));
  return next;
}

/** The offset after a value of some bytes after its type. */
function endOfValue(at: number, count: number, end: number): number {
  if (at + 1 + count > end) failFbx('truncated', 'a value ends beyond the end of its node', at);
  return at + 1 + count;
}

/** Reads an array, which is decompressed when it is used. */
function readArray(source: Source, type: string, at: number, end: number, out: FbxValue[]): number {
  const { bytes, view, isLittle, spend } = source;
  const size = ARRAY_SIZES[type];
  if (size === undefined) failFbx('syntax', `a value has the unknown type ${bytes[at]}`, at);
  endOfValue(at, 12, end);
  const length = view.getUint32(at + 1, isLittle);
  const isPacked = view.getUint32(at + 5, isLittle) === 1;
  const stored = isPacked ? view.getUint32(at + 9, isLittle) : length * size;
  const next = endOfValue(at, 12 + stored, end);
  const data = bytes.subarray(at + 13, next);
  const array: FbxArray = {
    length,
    read() {
      spend(length * size);
      const plain = isPacked ? inflate(data, length * size, at) : data;
      return decodeArray(type, isLittle ? plain : swapBytes(plain, size), length);
    },
  };
  out.push(array);
  return next;
}

/** Decompresses to exactly the stated number of bytes, and stops where more come out. */
function inflate(data: Uint8Array, length: number, offset: number): Uint8Array {
  try {
    return (length <= SMALL && inflateSmall(data, length)) || inflateStream(data, length, offset);
  } catch (error) {
    if (error instanceof FormatError) throw error;
    failFbx('syntax', 'a compressed array does not decompress; the file is damaged', offset);
  }
}

/** Decompresses at once; undefined where the checksum shows that more or less came out, or the data is too long for its size. */
function inflateSmall(data: Uint8Array, length: number): Uint8Array | undefined {
  if (data.length > length + SMALL_SLACK || data.length < 6) return undefined;
  const out = unzlibSync(data, { out: new Uint8Array(length) });
  let [a, b] = [1, 0];
  for (let n = 0; n < out.length; n++) {
    a = (a + out[n]) % ADLER;
    b = (b + a) % ADLER;
  }
  const end = data.length;
  const stated = [b >> 8, b & 255, a >> 8, a & 255];
  return out.length === length && stated.every((byte, n) => data[end - 4 + n] === byte) ? out : undefined;
}

function inflateStream(data: Uint8Array, length: number, offset: number): Uint8Array {
  const out = new Uint8Array(length);
  let filled = 0;
  const stream = new Unzlib((chunk) => {
    if (filled + chunk.length > length) failFbx('length', 'a compressed array is longer than it states', offset);
    out.set(chunk, filled);
    filled += chunk.length;
  });
  for (let at = 0; at < data.length; at += PIECE) stream.push(data.subarray(at, at + PIECE), at + PIECE >= data.length);
  if (filled !== length) failFbx('length', `a compressed array of ${length} bytes has ${filled}`, offset);
  return out;
}

/** Numbers with their lowest byte first. */
function swapBytes(data: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at++) out[at] = data[at - (at % size) + size - 1 - (at % size)];
  return out;
}

function decodeArray(type: string, data: Uint8Array, length: number): FbxNumbers {
  if (type === 'b' || type === 'c') return data;
  // typed arrays need an aligned start; slice() of Node's buffers does not copy
  const { buffer, byteOffset } = data.byteOffset % 8 === 0 ? data : new Uint8Array(data);
  switch (type) {
    case 'f':
      return new Float32Array(buffer, byteOffset, length);
    case 'd':
      return new Float64Array(buffer, byteOffset, length);
    case 'i':
      return new Int32Array(buffer, byteOffset, length);
  }
  // 64-bit integers, as times; exact up to 2^53
  const low = new Uint32Array(buffer, byteOffset, 2 * length);
  const high = new Int32Array(buffer, byteOffset, 2 * length);
  const out = new Float64Array(length);
  for (let n = 0; n < length; n++) out[n] = high[2 * n + 1] * 2 ** 32 + low[2 * n];
  return out;
}

/** A 64-bit offset; what a number cannot hold exactly is beyond any file. */
function readOffset(view: DataView, at: number, isLittle: boolean): number {
  const [low, high] = isLittle ? [at, at + 4] : [at + 4, at];
  return view.getUint32(high, isLittle) * 2 ** 32 + view.getUint32(low, isLittle);
}

function readText(bytes: Uint8Array, start: number, end: number): string {
  // short names are most of a file's texts, and a decoder is slow to call
  if (end - start > 24) return decodeFbxText(bytes.subarray(start, end));
  let text = '';
  for (let at = start; at < end; at++) {
    if (bytes[at] > 127) return decodeFbxText(bytes.subarray(start, end));
    text += String.fromCharCode(bytes[at]);
  }
  return text;
}
