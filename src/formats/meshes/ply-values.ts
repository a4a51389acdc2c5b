// SPDX-License-Identifier: MIT
import { FormatError } from '../../core/model/errors.ts';
import { parseDecimal } from './parse-decimal.ts';
import type { PlyHeader, PlyList, PlyProperty } from './ply-header.ts';

/** Reads the values after the header of a PLY file, one after the other. */
export interface PlyCursor {
  next(property: PlyProperty): number;
  /** Length of a list; checked against the rest of the file. */
  nextCount(property: PlyList): number;
  /** Ends an element. In text it is a line; what a line has beyond the announced properties is passed over. */
  endRow(): void;
  /** Byte offset of the next value. */
  at(): number;
}

export function makePlyCursor(bytes: Uint8Array, header: PlyHeader): PlyCursor {
  return header.encoding === 'ascii'
    ? new TextCursor(bytes, header.end)
    : new BinaryCursor(bytes, header.end, header.encoding === 'binary_little_endian');
}

function checkLength(count: number, leastSize: number, left: number, at: number): number {
  if (Number.isInteger(count) && count >= 0 && count * leastSize <= left + 1) return count;
  throw new FormatError('ply', 'length', `a list has ${count} values, but only ${left} bytes are left`, at);
}

function endFault(at: number): FormatError {
  return new FormatError('ply', 'truncated', 'the file ends before its last element', at);
}

class TextCursor implements PlyCursor {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  next(): number {
    const bytes = this.#bytes;
    let start = this.#at;
    while (start < bytes.length && bytes[start] <= 32) start++;
    let end = start;
    while (end < bytes.length && bytes[end] > 32) end++;
    if (start === end) throw endFault(start);
    this.#at = end;
    const value = parseDecimal(bytes, start, end);
    if (Number.isNaN(value)) {
      const text = String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 40)));
      // Written by some programs for values that they do not have.
      if (/^[+-]?(nan|inf)/i.test(text)) return Number.NaN;
      throw new FormatError('ply', 'syntax', `"${text}" is not a number`, start);
    }
    return value;
  }

  nextCount(): number {
    return checkLength(this.next(), 2, this.#bytes.length - this.#at, this.#at);
  }

  endRow(): void {
    const bytes = this.#bytes;
    while (this.#at < bytes.length && bytes[this.#at] !== 10 && bytes[this.#at] !== 13) this.#at++;
  }

  at(): number {
    return this.#at;
  }
}

class BinaryCursor implements PlyCursor {
  readonly #view: DataView;
  readonly #isLittle: boolean;
  #at: number;

  constructor(bytes: Uint8Array, start: number, isLittle: boolean) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#isLittle = isLittle;
    this.#at = start;
  }

  next({ type, size }: PlyProperty): number {
    return this.#read(type, size);
  }

  nextCount({ countType, countSize, size }: PlyList): number {
    const count = this.#read(countType, countSize);
    return checkLength(count, size, this.#view.byteLength - this.#at, this.#at);
  }

  endRow(): void {}

  at(): number {
    return this.#at;
  }

  #read(type: string, size: number): number {
    const at = this.#at;
    if (at + size > this.#view.byteLength) throw endFault(at);
    this.#at += size;
    const isLittle = this.#isLittle;
    switch (type) {
      case 'float32':
        return this.#view.getFloat32(at, isLittle);
      case 'int32':
        return this.#view.getInt32(at, isLittle);
      case 'uint8':
        return this.#view.getUint8(at);
      case 'uint32':
        return this.#view.getUint32(at, isLittle);
      case 'float64':
        return this.#view.getFloat64(at, isLittle);
      case 'int8':
        return this.#view.getInt8(at);
      case 'int16':
        return this.#view.getInt16(at, isLittle);
      default:
        return this.#view.getUint16(at, isLittle);
    }
  }
}
