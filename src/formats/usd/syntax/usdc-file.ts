// SPDX-License-Identifier: MIT
// The container of binary USD ("crate", OpenUSD pxr/usd/usd/crateFile.cpp): a table of sections with tokens, strings, paths, fields, sets of fields and specs;
// values lie anywhere and are found by 64-bit value references.
import { FormatError } from '../../../core/model/errors.ts';
import { ByteReader } from '../../shared/index.ts';
import { decodeUsdcIntegers, decompressUsdc } from './usdc-compression.ts';

/** Characters that the paths of any file may have together, and how many more per byte. */
const [FREE_CHARACTERS, CHARACTERS_PER_BYTE] = [1 << 24, 64];
/** Entries that any table may have, and how many more per byte: equal ones take few bits. */
const [FREE_ENTRIES, ENTRIES_PER_BYTE] = [1 << 18, 2];

/** A path of the file with the fields of its spec. */
export interface UsdcSpec {
  /** '/', '/Prim', '/Prim.points', '/Prim{set=variant}Child'. */
  path: string;
  /** 1 attribute, 6 prim, 7 the file, 8 relationship, 10 variant. */
  type: number;
  /** Value references by field name. */
  fields: Map<string, bigint>;
}

export interface UsdcFile {
  bytes: Uint8Array;
  /** Minor version: 4 for 0.4.0. */
  version: number;
  tokens: string[];
  /** Token index of each string. */
  strings: Int32Array;
  paths: string[];
  specs: UsdcSpec[];
}

/** Reads the structure of a binary USD file; values are read by UsdcValues. */
export function readUsdcFile(bytes: Uint8Array): UsdcFile {
  const reader = new ByteReader(bytes, 'usd');
  if (reader.text(8) !== 'PXR-USDC') throw new FormatError('usd', 'magic', 'not a binary USD file');
  const [major, version] = [reader.uint8(), reader.uint8()];
  if (major !== 0 || version < 4)
    throw new FormatError(
      'usd',
      'version',
      `binary USD of version ${major}.${version} is not supported; write it again with a current USD`,
    );
  const sections = readSections(reader);
  const open = (name: string): ByteReader => {
    const section = sections.get(name);
    if (!section) throw new FormatError('usd', 'syntax', `the section ${name} is missing`);
    return section;
  };

  const most = FREE_ENTRIES + ENTRIES_PER_BYTE * bytes.length;
  const tokens = readTokens(open('TOKENS'), most);
  const strings = readStrings(open('STRINGS'), tokens.length);
  const paths = readPaths(open('PATHS'), tokens, most, FREE_CHARACTERS + CHARACTERS_PER_BYTE * bytes.length);
  const fields = readFields(open('FIELDS'), tokens, most);
  const fieldSets = readIntegers(open('FIELDSETS'), most);
  const specs = readSpecs(open('SPECS'), paths, fields, fieldSets, most);
  return { bytes, version, tokens, strings, paths, specs };
}

function readSections(reader: ByteReader): Map<string, ByteReader> {
  reader.seek(16);
  reader.seek(reader.uint64());
  const count = reader.count(32);
  const sections = new Map<string, ByteReader>();
  for (let n = 0; n < count; n++) {
    const name = reader.text(16).replace(/\0.*$/s, '');
    const start = reader.uint64();
    sections.set(name, reader.part(start, reader.uint64()));
  }
  return sections;
}

function readTokens(reader: ByteReader, most: number): string[] {
  const count = reader.uint64();
  const size = reader.uint64();
  const data = decompressUsdc(reader.bytes(reader.uint64()), size);
  if (count > Math.min(most, data.length))
    throw new FormatError('usd', 'length', `${count} tokens do not fit ${data.length} bytes`);
  const tokens: string[] = [];
  const decoder = new TextDecoder();
  let start = 0;
  for (let end = 0; end < data.length && tokens.length < count; end++) {
    if (data[end] !== 0) continue;
    tokens.push(decoder.decode(data.subarray(start, end)));
    start = end + 1;
  }
  if (tokens.length < count)
    throw new FormatError('usd', 'truncated', `only ${tokens.length} of ${count} tokens are there`);
  return tokens;
}

function readStrings(reader: ByteReader, tokenCount: number): Int32Array {
  const strings = new Int32Array(reader.count(4));
  for (let n = 0; n < strings.length; n++) strings[n] = checkIndex(reader.uint32(), tokenCount, 'token');
  return strings;
}

/** A count, and as many compressed integers. */
function readIntegers(reader: ByteReader, most: number, known?: number): Int32Array {
  const count = known ?? reader.uint64();
  if (count > most) throw new FormatError('usd', 'length', `a table of ${count} entries does not fit the file`);
  return decodeUsdcIntegers(reader.bytes(reader.uint64()), count);
}

interface Field {
  name: string;
  value: bigint;
}

function readFields(reader: ByteReader, tokens: string[], most: number): Field[] {
  const names = readIntegers(reader, most);
  const data = decompressUsdc(reader.bytes(reader.uint64()), 8 * names.length);
  if (data.length < 8 * names.length) throw new FormatError('usd', 'truncated', 'fields end before the last');
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return Array.from(names, (token, n) => ({
    name: tokens[checkIndex(token, tokens.length, 'token')],
    value: view.getBigUint64(8 * n, true),
  }));
}

function readSpecs(
  reader: ByteReader,
  paths: string[],
  fields: Field[],
  fieldSets: Int32Array,
  most: number,
): UsdcSpec[] {
  const count = reader.uint64();
  const [pathIndices, setIndices, types] = [0, 1, 2].map(() => readIntegers(reader, most, count));
  // specs with equal fields share their set
  const known = new Map<number, Map<string, bigint>>();
  let left = most;
  const readSet = (start: number): Map<string, bigint> => {
    const own = new Map<string, bigint>();
    let f = checkIndex(start, fieldSets.length, 'field set');
    // -1 ends a set
    for (; f < fieldSets.length && fieldSets[f] !== -1; f++) {
      const { name, value } = fields[checkIndex(fieldSets[f], fields.length, 'field')];
      if (own.has(name)) break;
      if (--left < 0) throw new FormatError('usd', 'limit', 'the sets of fields overlap; the file is damaged');
      own.set(name, value);
    }
    known.set(start, own);
    return own;
  };
  return Array.from(types, (type, n) => ({
    path: paths[checkIndex(pathIndices[n], paths.length, 'path')],
    type,
    fields: known.get(setIndices[n]) ?? readSet(setIndices[n]),
  }));
}

/** Paths are stored as a tree, depth first: the last element of each, and where its next sibling is. */
function readPaths(reader: ByteReader, tokens: string[], most: number, mostCharacters: number): string[] {
  const total = reader.uint64();
  const count = reader.uint64();
  const [indices, elements, jumps] = [0, 1, 2].map(() => readIntegers(reader, most, count));
  if (total > count) throw new FormatError('usd', 'length', `${total} paths are announced, and ${count} are there`);
  const paths: string[] = new Array(total).fill('');
  const stack: { at: number; parent: string }[] = [{ at: 0, parent: '' }];
  let left = count;
  let characters = 0;
  for (let next = stack.pop(); next; next = stack.pop()) {
    let { at, parent } = next;
    for (;;) {
      if (at >= count || left-- <= 0) throw new FormatError('usd', 'hierarchy', 'the tree of paths is damaged');
      const path = parent === '' ? '/' : joinPath(parent, elements[at], tokens);
      characters += path.length;
      if (characters > mostCharacters) throw new FormatError('usd', 'limit', 'the paths are too long');
      paths[checkIndex(indices[at], total, 'path')] = path;
      const jump = jumps[at];
      if (jump > 0) stack.push({ at: at + jump, parent });
      if (jump > 0 || jump === -1) parent = path;
      else if (jump !== 0) break;
      at++;
    }
  }
  return paths;
}

/** A negative token is the name of a property. */
function joinPath(parent: string, element: number, tokens: string[]): string {
  const token = tokens[checkIndex(Math.abs(element), tokens.length, 'token')];
  if (element < 0) return `${parent}.${token}`;
  return token.startsWith('{') || token.startsWith('[') || parent.endsWith('/') || parent.endsWith('}')
    ? parent + token
    : `${parent}/${token}`;
}

export function checkIndex(index: number, count: number, what: string): number {
  if (!(index >= 0 && index < count))
    throw new FormatError('usd', 'index', `${what} ${index} is used, and there are ${count}`);
  return index;
}
