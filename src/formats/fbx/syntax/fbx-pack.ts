// SPDX-License-Identifier: MIT
// Nodes to binary FBX 7.4: the layout that fbx-binary.ts reads.
import { zlibSync } from 'fflate';

/** A value with its type in the file. */
export type PackedValue =
  | { type: 'C' | 'I' | 'D'; value: number }
  | { type: 'L'; value: bigint }
  | { type: 'S'; value: string }
  | { type: 'R'; value: Uint8Array }
  | { type: 'd'; value: Float64Array }
  | { type: 'f'; value: Float32Array }
  | { type: 'i'; value: Int32Array }
  | { type: 'l'; value: BigInt64Array };

/** A node to write. */
export interface PackedNode {
  name: string;
  values: PackedValue[];
  children: PackedNode[];
}

export const FBX_VERSION = 7400;

/** Identifiers of a file with this creation time: readers of the vendor check that the three belong together. */
export const FBX_CREATION_TIME = '1970-01-01 10:00:00:000';
export const FBX_FILE_ID = Uint8Array.from([
  0x28, 0xb3, 0x2a, 0xeb, 0xb6, 0x24, 0xcc, 0xc2, 0xbf, 0xc8, 0xb0, 0x2a, 0xa9, 0x2b, 0xfc, 0xf1,
]);
const FOOTER_ID = [0xfa, 0xbc, 0xab, 0x09, 0xd0, 0xc8, 0xd4, 0x66, 0xb1, 0x76, 0xfb, 0x83, 0x1c, 0xf7, 0x26, 0x7e];
const FOOTER_END = [0xf8, 0x5a, 0x8c, 0x6a, 0xde, 0xf5, 0xd9, 0x7e, 0xec, 0xe9, 0x0c, 0xe3, 0x75, 0x8f, 0x29, 0x0b];

const HEADER = 'Kaydara FBX Binary  \0\x1a\0';
const HEAD_BYTES = 13;
/** Arrays of fewer bytes are not compressed. */
const MIN_COMPRESSED = 128;

/** Makes a node. Numbers are 32-bit integers, or doubles where they are not whole; texts and arrays have the type of their class. */
export function fbxNode(
  name: string,
  values: readonly (PackedValue | number | string)[] = [],
  children: PackedNode[] = [],
): PackedNode {
  return { name, values: values.map(packedOf), children };
}

/** A double, also where the number is whole. */
export function fbxDouble(value: number): PackedValue {
  return { type: 'D', value };
}

/** A 64-bit integer. */
export function fbxLong(value: number): PackedValue {
  return { type: 'L', value: BigInt(Math.round(value)) };
}

export function fbxArray(value: Float64Array | Float32Array | Int32Array | BigInt64Array): PackedValue {
  if (value instanceof Float64Array) return { type: 'd', value };
  if (value instanceof Float32Array) return { type: 'f', value };
  return value instanceof Int32Array ? { type: 'i', value } : { type: 'l', value };
}

function packedOf(value: PackedValue | number | string): PackedValue {
  if (typeof value === 'string') return { type: 'S', value };
  if (typeof value !== 'number') return value;
  return Number.isInteger(value) ? { type: 'I', value } : { type: 'D', value };
}

/** Writes nodes as a binary FBX file. */
export function packFbx(nodes: readonly PackedNode[]): Uint8Array<ArrayBuffer> {
  const sized = nodes.map(measure);
  const body = sized.reduce((sum, { bytes }) => sum + bytes, HEADER.length + 4) + HEAD_BYTES;
  // the footer: an identifier, zeros up to a multiple of 16, the version, zeros, an end mark
  const padding = 16 - ((body + 16) % 16);
  const out = new Uint8Array(body + 16 + padding + 4 + 4 + 120 + 16);
  const view = new DataView(out.buffer);
  for (let n = 0; n < HEADER.length; n++) out[n] = HEADER.charCodeAt(n);
  view.setUint32(HEADER.length, FBX_VERSION, true);
  let at = HEADER.length + 4;
  for (const node of sized) at = write(node, out, view, at);
  at += HEAD_BYTES;
  out.set(FOOTER_ID, at);
  view.setUint32(at + 16 + padding + 4, FBX_VERSION, true);
  out.set(FOOTER_END, out.length - 16);
  return out;
}

interface SizedNode {
  name: string;
  values: { type: string; data: Uint8Array; count: number; isPacked: boolean }[];
  valueBytes: number;
  children: SizedNode[];
  bytes: number;
}

const encoder = new TextEncoder();

function measure({ name, values, children }: PackedNode): SizedNode {
  const encoded = values.map(encode);
  const valueBytes = encoded.reduce((sum, { type, data }) => sum + data.length + headOf(type), 0);
  const below = children.map(measure);
  // nodes with children end in an empty record
  const childBytes = below.length === 0 ? 0 : below.reduce((sum, { bytes }) => sum + bytes, HEAD_BYTES);
  return {
    name,
    values: encoded,
    valueBytes,
    children: below,
    bytes: HEAD_BYTES + name.length + valueBytes + childBytes,
  };
}

/** Bytes of a value before its data: the type, and lengths. */
function headOf(type: string): number {
  return 'dfil'.includes(type) ? 13 : type === 'S' || type === 'R' ? 5 : 1;
}

function encode(packed: PackedValue): SizedNode['values'][number] {
  const { type, value } = packed;
  const plain = (data: Uint8Array, count = 1) => ({ type, data, count, isPacked: false });
  switch (type) {
    case 'S':
      return plain(encoder.encode(value));
    case 'R':
      return plain(value);
    case 'C':
      return plain(Uint8Array.of(value));
    case 'I':
      return plain(new Uint8Array(Int32Array.of(value).buffer));
    case 'D':
      return plain(new Uint8Array(Float64Array.of(value).buffer));
    case 'L':
      return plain(new Uint8Array(BigInt64Array.of(value).buffer));
  }
  const data = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (data.length < MIN_COMPRESSED) return plain(data, value.length);
  return { type, data: zlibSync(data, { level: 6 }), count: value.length, isPacked: true };
}

function write(node: SizedNode, out: Uint8Array, view: DataView, start: number): number {
  const end = start + node.bytes;
  view.setUint32(start, end, true);
  view.setUint32(start + 4, node.values.length, true);
  view.setUint32(start + 8, node.valueBytes, true);
  view.setUint8(start + 12, node.name.length);
  let at = start + HEAD_BYTES;
  for (let n = 0; n < node.name.length; n++) out[at++] = node.name.charCodeAt(n);
  for (const { type, data, count, isPacked } of node.values) {
    out[at] = type.charCodeAt(0);
    const head = headOf(type);
    if (head === 5) view.setUint32(at + 1, data.length, true);
    if (head === 13) {
      view.setUint32(at + 1, count, true);
      view.setUint32(at + 5, isPacked ? 1 : 0, true);
      view.setUint32(at + 9, data.length, true);
    }
    out.set(data, at + head);
    at += head + data.length;
  }
  for (const child of node.children) at = write(child, out, view, at);
  return end;
}
