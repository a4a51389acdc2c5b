// SPDX-License-Identifier: MIT
// STL: triangles without shared vertices. Binary, little-endian: 80 bytes of any text, uint32 number of triangles, then for each a normal and
// three vertices as float32 and two bytes. Text: "solid name", then "facet normal … outer loop vertex x y z (three times) endloop endfacet".

import { FormatError } from '../../core/model/errors.ts';
import type { Polygons } from '../polygons/index.ts';
import { GrowingFloats } from './growing-array.ts';
import { parseDecimal } from './parse-decimal.ts';
import { repairPolygons } from './repair-polygons.ts';

const HEADER_LENGTH = 84;
const TRIANGLE_LENGTH = 50;

/**
 * Reads an STL file. Every triangle has its own three points; normals follow from the triangles and are not read. Triangles without a finite
 * position are left out, with a note.
 */
export function scanStl(bytes: Uint8Array, options: { log?: (message: string) => void } = {}): Polygons {
  if (bytes.length === 0) throw new FormatError('stl', 'empty', 'the file is empty');
  const { name, positions } = isBinary(bytes) ? readBinary(bytes) : readText(bytes);
  const count = positions.length / 3;
  if (count === 0) throw new FormatError('stl', 'empty', 'the file has no triangles');
  const none = new Int32Array(count).fill(-1);
  const polygons = {
    name,
    positions,
    uvs: new Float32Array(),
    normals: new Float32Array(),
    faceStart: Uint32Array.from({ length: count / 3 + 1 }, (_, f) => 3 * f),
    cornerPositions: Int32Array.from({ length: count }, (_, c) => c),
    cornerUvs: none,
    cornerNormals: none,
    faceMaterials: new Int32Array(count / 3),
    materials: [''],
  };
  return repairPolygons(polygons, { format: 'stl', log: options.log, placeOfFace: (face) => `triangle ${face}` });
}

/** Binary files may begin with "solid" too: then their length decides. */
function isBinary(bytes: Uint8Array): boolean {
  const isSolid = /^\s*solid\b/i.test(String.fromCharCode(...bytes.subarray(0, 64)));
  if (!isSolid) return true;
  if (bytes.length < HEADER_LENGTH) return false;
  const count = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(80, true);
  return bytes.length === HEADER_LENGTH + TRIANGLE_LENGTH * count;
}

function readBinary(bytes: Uint8Array): { name: string; positions: Float32Array } {
  if (bytes.length < HEADER_LENGTH)
    throw new FormatError('stl', 'truncated', 'the file ends within its header', bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(80, true);
  const needed = HEADER_LENGTH + TRIANGLE_LENGTH * count;
  if (bytes.length < needed)
    throw new FormatError(
      'stl',
      'truncated',
      `its header announces ${count} triangles, which take ${needed} bytes, but the file has ${bytes.length}`,
      bytes.length,
    );
  const positions = new Float32Array(9 * count);
  for (let t = 0; t < count; t++) {
    const at = HEADER_LENGTH + TRIANGLE_LENGTH * t + 12;
    for (let c = 0; c < 9; c++) positions[9 * t + c] = view.getFloat32(at + 4 * c, true);
  }
  return { name: '', positions };
}

/** Numbers after each word "vertex"; all other words are passed over. */
function readText(bytes: Uint8Array): { name: string; positions: Float32Array } {
  const positions = new GrowingFloats();
  const word = { start: 0, end: 0 };
  while (nextWord(bytes, word)) {
    if (!isVertex(bytes, word)) continue;
    for (let c = 0; c < 3; c++) {
      const value = nextWord(bytes, word) ? parseDecimal(bytes, word.start, word.end) : Number.NaN;
      if (Number.isNaN(value) && !isNotFinite(bytes, word))
        throw new FormatError(
          'stl',
          'syntax',
          `vertex ${Math.floor(positions.length / 3)} needs three numbers`,
          word.start,
        );
      positions.push(value);
    }
  }
  if (positions.length % 9 !== 0)
    throw new FormatError('stl', 'truncated', 'its last triangle has fewer than three vertices', bytes.length);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they end the name
  const name = /^\s*solid[ \t]+([^\u0000-\u001f]*)/i.exec(new TextDecoder().decode(bytes.slice(0, 256)))?.[1] ?? '';
  return { name: name.trim(), positions: positions.toArray() };
}

function nextWord(bytes: Uint8Array, word: { start: number; end: number }): boolean {
  let start = word.end;
  while (start < bytes.length && bytes[start] <= 32) start++;
  let end = start;
  while (end < bytes.length && bytes[end] > 32) end++;
  word.start = start;
  word.end = end;
  return end > start;
}

/** Whether a word is what programs print for numbers that are not finite: nan, -inf, 1.#IND. */
function isNotFinite(bytes: Uint8Array, { start, end }: { start: number; end: number }): boolean {
  return /^[+-]?(nan|inf|\d+\.#)/i.test(String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 16))));
}

/** Whether a word is "vertex", in letters of any case. */
function isVertex(bytes: Uint8Array, { start, end }: { start: number; end: number }): boolean {
  if (end - start !== 6) return false;
  for (let n = 0; n < 6; n++) if ((bytes[start + n] | 32) !== 'vertex'.charCodeAt(n)) return false;
  return true;
}
