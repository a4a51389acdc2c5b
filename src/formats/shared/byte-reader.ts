// SPDX-License-Identifier: MIT
import { FormatError } from '../../core/model/errors.ts';

/** Reads little-endian numbers from bytes. Reading past the end is a FormatError. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #format: string;
  #at = 0;

  constructor(bytes: Uint8Array, format: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#format = format;
  }

  get position(): number {
    return this.#at;
  }

  seek(position: number): void {
    if (!(position >= 0 && position <= this.#bytes.length)) this.#fail(`an offset leads to byte ${position}`);
    this.#at = position;
  }

  uint8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  int32(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  float64(): number {
    return this.#view.getFloat64(this.#advance(8), true);
  }

  /** A 64-bit number that must be exact as a double: a size or an offset. */
  uint64(): number {
    const value = Number(this.#view.getBigUint64(this.#advance(8), true));
    if (!Number.isSafeInteger(value)) this.#fail(`a size of ${value} is out of range`);
    return value;
  }

  int64(): number {
    const value = Number(this.#view.getBigInt64(this.#advance(8), true));
    if (!Number.isSafeInteger(value)) this.#fail(`an offset of ${value} is out of range`);
    return value;
  }

  bits64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  /** A 64-bit count of items that take at least `itemBytes` each, checked against what is left. */
  count(itemBytes: number): number {
    return this.checkCount(this.uint64(), itemBytes);
  }

  checkCount(count: number, itemBytes: number): number {
    if (count * itemBytes > this.#bytes.length - this.#at)
      this.#fail(
        `${count} items of ${itemBytes} bytes are announced, and ${this.#bytes.length - this.#at} bytes are left`,
      );
    return count;
  }

  /** A view of the next bytes. */
  bytes(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  text(length: number): string {
    return new TextDecoder('latin1').decode(this.bytes(length));
  }

  /** A reader of a part. */
  part(start: number, length: number): ByteReader {
    this.#check(start, length);
    return new ByteReader(this.#bytes.subarray(start, start + length), this.#format);
  }

  #advance(length: number): number {
    this.#check(this.#at, length);
    const start = this.#at;
    this.#at += length;
    return start;
  }

  #check(start: number, length: number): void {
    if (!(start >= 0 && length >= 0 && start + length <= this.#bytes.length))
      this.#fail(`${length} bytes are expected at byte ${start}, and the data ends at ${this.#bytes.length}`);
  }

  #fail(fault: string): never {
    throw new FormatError(this.#format, 'truncated', fault, this.#at);
  }
}
