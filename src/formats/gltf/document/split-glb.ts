// SPDX-License-Identifier: MIT
import { fail } from '../../../deformers/layout/index.ts';

export interface GlbParts {
  /** The JSON chunk, or a whole .gltf file, parsed but not checked. */
  json: unknown;
  /** The binary chunk: a view, not a copy. */
  binary?: Uint8Array;
}

const MAGIC = 0x46546c67; // 'glTF'
const CHUNK_JSON = 0x4e4f534a;
const CHUNK_BIN = 0x004e4942;

/** Limit for damaged or hostile files. */
const MAX_DEPTH = 256;

/** Whether the first bytes are those of a GLB. */
function isGlb(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && viewOf(bytes).getUint32(0, true) === MAGIC;
}

/** Splits a GLB into its JSON and its binary chunk, or parses a .gltf text. Only the lengths of chunks are checked. */
export function splitGlb(bytes: Uint8Array, log?: (message: string) => void): GlbParts {
  if (bytes.length === 0) fail('empty', 'the file is empty');
  if (!isGlb(bytes)) {
    const first = bytes.findIndex((b) => b !== 0x20 && b !== 0x09 && b !== 0x0a && b !== 0x0d);
    const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    if (!bom && bytes[first] !== 0x7b) fail('magic', 'the file is neither a GLB nor a glTF text', 0);
    return { json: parseText(bytes, 0) };
  }
  if (bytes.length < 20) fail('truncated', `a GLB has at least 20 bytes, this file has ${bytes.length}`, bytes.length);
  const view = viewOf(bytes);
  const version = view.getUint32(4, true);
  if (version !== 2) fail('version', `the file is GLB version ${version}; only version 2 is read`, 4);
  const length = view.getUint32(8, true);
  if (length > bytes.length)
    fail('truncated', `the header of the GLB states ${length} bytes, but the file has ${bytes.length}`, 8);
  if (length < bytes.length) log?.(`${bytes.length - length} bytes after the end of the GLB were ignored`);

  let json: unknown;
  let binary: Uint8Array | undefined;
  let offset = 12;
  for (let chunk = 0; offset + 8 <= length; chunk++) {
    const chunkLength = view.getUint32(offset, true);
    const type = view.getUint32(offset + 4, true);
    if (chunkLength > length - offset - 8)
      fail(
        'truncated',
        `chunk ${chunk} of the GLB states ${chunkLength} bytes, but only ${length - offset - 8} follow`,
        offset,
      );
    const data = bytes.subarray(offset + 8, offset + 8 + chunkLength);
    if (chunk === 0) {
      if (type !== CHUNK_JSON) fail('syntax', 'the first chunk of the GLB is not JSON', offset);
      json = parseText(data, offset + 8);
    } else if (type === CHUNK_BIN && chunk === 1) binary = data;
    offset += 8 + chunkLength;
  }
  if (json === undefined) fail('truncated', 'the GLB has no JSON chunk', 12);
  return { json, binary };
}

function parseText(bytes: Uint8Array, byteOffset: number): unknown {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return fail('syntax', 'the JSON of the glTF does not parse; the file is damaged', byteOffset);
  }
  checkDepth(json, byteOffset);
  return json;
}

/** Walks level by level: what copies JSON later calls itself for each. */
function checkDepth(json: unknown, byteOffset: number): void {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      fail('hierarchy', `values of its JSON are nested more than ${MAX_DEPTH} levels deep`, byteOffset);
    const below: unknown[] = [];
    for (const value of level)
      if (typeof value === 'object' && value !== null)
        for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) below.push(child);
    level = below;
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
