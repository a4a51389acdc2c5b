// SPDX-License-Identifier: MIT
// Wavefront OBJ as bytes to flat arrays: v, vt, vn, f, o and usemtl; all other statements are ignored (groups,
// smoothing, lines, points, curves, material libraries). One pass, without making strings of the numbers.

import { FormatError, type FormatErrorCode } from '../../core/model/errors.ts';
import { MAX_COORDINATE } from '../../core/model/mesh/coordinate-limit.ts';
import type { Polygons } from '../polygons/index.ts';
import { GrowingFloats, GrowingIndices } from './growing-array.ts';
import { parseDecimal } from './parse-decimal.ts';
import { NOWHERE, repairPolygons } from './repair-polygons.ts';

const [LF, CR, SPACE, HASH, SLASH, BACKSLASH] = [10, 13, 32, 35, 47, 92];

/** Scans an OBJ file. Faces that cannot be drawn are left out, with a note; throws a FormatError with the line number if the text is not OBJ. */
export function scanObj(bytes: Uint8Array, options: { log?: (message: string) => void } = {}): Polygons {
  if (bytes.length === 0) throw new FormatError('obj', 'empty', 'the file is empty');
  return new ObjScanner(bytes).scan(options.log);
}

class ObjScanner {
  private readonly bytes: Uint8Array;
  private at = 0;
  /** The token last found by nextToken. */
  private start = 0;
  private end = 0;
  private readonly numbers = new Float64Array(8);

  private name = '';
  private readonly positions = new GrowingFloats();
  private colors: GrowingFloats | undefined;
  private readonly uvs = new GrowingFloats();
  private readonly normals = new GrowingFloats();
  private readonly faceStart = new GrowingIndices();
  private readonly faceOffsets = new GrowingIndices();
  /** Where the first vertex is whose position cannot be used. */
  private lostVertexAt = 0;
  private readonly cornerPositions = new GrowingIndices();
  private readonly cornerUvs = new GrowingIndices();
  private readonly cornerNormals = new GrowingIndices();
  private readonly faceMaterials = new GrowingIndices();
  private readonly materials = new Map<string, number>();
  private material = '';

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  scan(log?: (message: string) => void): Polygons {
    const { bytes } = this;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3;
    if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
      throw new FormatError('obj', 'syntax', 'the file is UTF-16 text; save it as UTF-8', 0);
    while (this.at < bytes.length) {
      if (this.nextToken()) this.readStatement();
      this.skipLine();
    }
    this.faceStart.push(this.cornerPositions.length);
    if (this.positions.length === 0) throw new FormatError('obj', 'empty', 'the file has no vertices');
    if (this.faceMaterials.length === 0) throw new FormatError('obj', 'empty', 'the file has no faces');
    if (this.colors) while (this.colors.length < this.positions.length) this.colors.push(1);
    const polygons = {
      name: this.name,
      positions: this.positions.toArray(),
      colors: this.colors?.toArray(),
      uvs: this.uvs.toArray(),
      normals: this.normals.toArray(),
      faceStart: Uint32Array.from(this.faceStart.toArray()),
      cornerPositions: this.cornerPositions.toArray(),
      cornerUvs: this.cornerUvs.toArray(),
      cornerNormals: this.cornerNormals.toArray(),
      faceMaterials: this.faceMaterials.toArray(),
      materials: [...this.materials.keys()],
    };
    return repairPolygons(polygons, {
      format: 'obj',
      log,
      placeOfFace: (face) => `line ${this.lineOf(this.faceOffsets.data[face])}`,
      placeOfVertex: () => `line ${this.lineOf(this.lostVertexAt)}`,
    });
  }

  private readStatement(): void {
    const { bytes, start } = this;
    const length = this.end - start;
    const first = bytes[start];
    if (first === 118 && length === 1) this.readPosition();
    else if (first === 118 && length === 2 && bytes[start + 1] === 116) this.readUv();
    else if (first === 118 && length === 2 && bytes[start + 1] === 110) this.readNormal();
    else if (first === 102 && length === 1) this.readFace();
    else if (first === 111 && length === 1) this.name ||= this.restOfLine();
    else if (length === 6 && this.tokenText() === 'usemtl') this.material = this.restOfLine();
  }

  /** v x y z, with an optional weight or colour (r g b, optionally a). */
  private readPosition(): void {
    const lineStart = this.start;
    const count = this.readNumbers();
    if (count < 3) throw this.fault('syntax', 'a vertex needs three numbers', lineStart);
    const { numbers } = this;
    for (let c = 0; c < 3; c++) if (!(Math.abs(numbers[c]) <= MAX_COORDINATE)) this.lostVertexAt ||= lineStart;
    if (count >= 6) {
      this.colors ??= new GrowingFloats();
      while (this.colors.length < this.positions.length) this.colors.push(1);
      for (let c = 3; c < 6; c++) this.colors.push(numbers[c]);
    }
    for (let c = 0; c < 3; c++) this.positions.push(numbers[c]);
  }

  private readUv(): void {
    const lineStart = this.start;
    const count = this.readNumbers();
    if (count < 1) throw this.fault('syntax', 'a texture coordinate needs a number', lineStart);
    this.uvs.push(this.numbers[0]);
    this.uvs.push(count > 1 ? this.numbers[1] : 0);
    this.uvs.push(0);
  }

  private readNormal(): void {
    const lineStart = this.start;
    if (this.readNumbers() < 3) throw this.fault('syntax', 'a normal needs three numbers', lineStart);
    for (let c = 0; c < 3; c++) this.normals.push(this.numbers[c]);
  }

  /** Reads the numbers of the line and returns their count; only the first eight are kept. */
  private readNumbers(): number {
    let count = 0;
    for (; this.nextToken(); count++) {
      const value = parseDecimal(this.bytes, this.start, this.end);
      if (Number.isNaN(value) && !/^[+-]?(nan|inf|\d+\.#)/i.test(this.tokenText()))
        throw this.fault('syntax', `"${this.tokenText()}" is not a number`, this.start);
      if (count < 8) this.numbers[count] = value;
    }
    return count;
  }

  private readFace(): void {
    const lineStart = this.start;
    const first = this.cornerPositions.length;
    while (this.nextToken()) {
      this.cornerPositions.push(this.readIndex(this.positions.length / 3));
      this.cornerUvs.push(this.start < this.end ? this.readIndex(this.uvs.length / 3) : -1);
      this.cornerNormals.push(this.start < this.end ? this.readIndex(this.normals.length / 3) : -1);
      if (this.start < this.end) throw this.fault('syntax', 'a face corner has more than three indices', this.start);
    }
    this.faceStart.push(first);
    this.faceOffsets.push(lineStart);
    let material = this.materials.get(this.material);
    if (material === undefined) {
      material = this.materials.size;
      this.materials.set(this.material, material);
    }
    this.faceMaterials.push(material);
  }

  /**
   * Reads one index of a corner and the slash after it, moving the token's start past both. Counted from 0; -1 if it
   * is omitted; NOWHERE if it cannot name anything. Forward references are checked after the last line.
   */
  private readIndex(count: number): number {
    const { bytes, end } = this;
    const start = this.start;
    let at = start;
    const isNegative = bytes[at] === 45;
    if (isNegative || bytes[at] === 43) at++;
    const digitsStart = at;
    let value = 0;
    for (; at < end && bytes[at] !== SLASH; at++) {
      const digit = bytes[at] - 48;
      if (digit < 0 || digit > 9) throw this.fault('syntax', `"${this.tokenText()}" is not a face corner`, start);
      value = Math.min(value * 10 + digit, 0x7fffffff);
    }
    if (at === digitsStart) {
      // Omitted: allowed for all but the vertex, whose index is the first of the token.
      if (isNegative || at >= end || start === 0 || bytes[start - 1] !== SLASH)
        throw this.fault('syntax', `"${this.tokenText()}" is not a face corner`, start);
      this.start = at + 1;
      return -1;
    }
    this.start = Math.min(at + 1, end);
    if (value === 0 || (isNegative && value > count)) return NOWHERE;
    return isNegative ? count - value : value - 1;
  }

  /** Finds the next token of the line, across blanks and line continuations; false at the end of the line or at a comment. */
  private nextToken(): boolean {
    const { bytes } = this;
    let at = this.at;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === BACKSLASH && isLineEnd(bytes[at + 1])) {
        at += bytes[at + 1] === CR && bytes[at + 2] === LF ? 2 : 1;
        continue;
      }
      if (!isBlank(byte)) break;
    }
    this.start = at;
    if (bytes[at] !== HASH) {
      for (; at < bytes.length; at++) {
        const byte = bytes[at];
        if (byte <= SPACE && (isBlank(byte) || isLineEnd(byte))) break;
        if (byte === BACKSLASH && isLineEnd(bytes[at + 1])) break;
      }
    }
    this.end = at;
    this.at = at;
    return this.end > this.start;
  }

  /** Goes to the start of the next line. A comment ends with its line; other statements may be continued. */
  private skipLine(): void {
    while (this.nextToken());
    const { bytes } = this;
    while (this.at < bytes.length && !isLineEnd(bytes[this.at])) this.at++;
    this.at++;
  }

  private restOfLine(): string {
    if (!this.nextToken()) return '';
    const start = this.start;
    let end = this.end;
    while (this.nextToken()) end = this.end;
    return decode(this.bytes, start, end);
  }

  /** The token for a message, truncated if it is long. */
  private tokenText(): string {
    return decode(this.bytes, this.start, Math.min(this.end, this.start + 40));
  }

  private fault(code: FormatErrorCode, message: string, offset: number): FormatError {
    return new FormatError('obj', code, `line ${this.lineOf(offset)}: ${message}`, offset);
  }

  private lineOf(offset: number): number {
    let line = 1;
    for (let n = 0; n < offset; n++) {
      const byte = this.bytes[n];
      if (byte === LF || (byte === CR && this.bytes[n + 1] !== LF)) line++;
    }
    return line;
  }
}

function isLineEnd(byte: number): boolean {
  return byte === LF || byte === CR;
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === 9 || byte === 11 || byte === 12;
}

/** Replaces control characters by spaces: names and tokens are used in messages and other files. */
function decode(bytes: Uint8Array, start: number, end: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return new TextDecoder().decode(bytes.slice(start, end)).replace(/[\u0000-\u001f\u007f]/g, ' ');
}
