// SPDX-License-Identifier: MIT
import { FormatError } from '../../core/model/errors.ts';

export interface PlyProperty {
  name: string;
  /** One of the canonical types: int8 … float64. */
  type: string;
  /** Bytes of a value. */
  size: number;
  /** Largest whole number of the type; absent for floats. */
  maximum?: number;
  /** Of a list: type and bytes of its length. */
  countType?: string;
  countSize?: number;
}

/** A property with a number of values in each row. */
export interface PlyList extends PlyProperty {
  countType: string;
  countSize: number;
}

export function isPlyList(property: PlyProperty): property is PlyList {
  return property.countType !== undefined && property.countSize !== undefined;
}

export interface PlyElement {
  name: string;
  count: number;
  properties: PlyProperty[];
}

export interface PlyHeader {
  encoding: 'ascii' | 'binary_little_endian' | 'binary_big_endian';
  elements: PlyElement[];
  /** Offset of the first byte after the header. */
  end: number;
}

const TYPES: Record<string, [type: string, size: number, maximum?: number]> = {
  char: ['int8', 1, 127],
  uchar: ['uint8', 1, 255],
  short: ['int16', 2, 32767],
  ushort: ['uint16', 2, 65535],
  int: ['int32', 4, 2 ** 31 - 1],
  uint: ['uint32', 4, 2 ** 32 - 1],
  float: ['float32', 4],
  double: ['float64', 8],
};

/** The canonical types by both of their names: int8 and char. */
const BY_NAME = new Map(
  Object.entries(TYPES).flatMap(([old, entry]) => [[old, entry] as const, [entry[0], entry] as const]),
);

/** Longer headers are not PLY. */
const MAX_HEADER = 2 ** 20;

export function readPlyHeader(bytes: Uint8Array): PlyHeader {
  const fault = (message: string, at: number): FormatError => new FormatError('ply', 'syntax', message, at);
  const elements: PlyElement[] = [];
  let encoding: PlyHeader['encoding'] | undefined;
  let at = 0;
  for (let line = 0; ; line++) {
    const start = at;
    while (at < bytes.length && at - start < MAX_HEADER && bytes[at] !== 10 && bytes[at] !== 13) at++;
    if (at >= bytes.length || at > MAX_HEADER)
      throw new FormatError('ply', 'truncated', 'its header has no end', start);
    const text = String.fromCharCode(...bytes.subarray(start, Math.min(at, start + 1024)));
    at += bytes[at] === 13 && bytes[at + 1] === 10 ? 2 : 1;
    const words = text.trim().split(/\s+/);
    if (line === 0) {
      if (words[0] !== 'ply') throw new FormatError('ply', 'magic', 'it is not a PLY file', 0);
    } else if (words[0] === 'format') {
      if (!/^(ascii|binary_little_endian|binary_big_endian)$/.test(words[1] ?? ''))
        throw fault(`its format "${words[1]}" is not known`, start);
      encoding = words[1] as PlyHeader['encoding'];
    } else if (words[0] === 'element') {
      const count = Number(words[2]);
      if (!Number.isInteger(count) || count < 0) throw fault(`"${text}" is not an element`, start);
      elements.push({ name: words[1], count, properties: [] });
    } else if (words[0] === 'property') {
      const property = readProperty(words);
      const element = elements.at(-1);
      if (!property || !element) throw fault(`"${text}" is not a property`, start);
      element.properties.push(property);
    } else if (words[0] === 'end_header') break;
  }
  if (!encoding) throw fault('its header names no format', 0);
  return { encoding, elements, end: at };
}

function readProperty(words: string[]): PlyProperty | undefined {
  const isList = words[1] === 'list';
  const counts = isList ? BY_NAME.get(words[2]) : undefined;
  const values = BY_NAME.get(words[isList ? 3 : 1]);
  const name = words[isList ? 4 : 2];
  if (!values || !name || (isList && !counts)) return undefined;
  const [type, size, maximum] = values;
  return { name, type, size, maximum, ...(counts ? { countType: counts[0], countSize: counts[1] } : {}) };
}
