// SPDX-License-Identifier: MIT
// HDF5, the container of Alembic files before 2014: the superblock, and a cursor over blocks. Read are superblocks 0 to 3 at the start of the file.
import { AbcFile } from '../archive/abc-file.ts';

const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

/** The address of something that a file does not have. */
export const NO_ADDRESS = -1;

/** Blocks of an HDF5 file. Every address and length is checked against the file before it is used. */
export class Hdf5File extends AbcFile {
  /** Bytes of addresses and of lengths. */
  readonly offsetSize: number;
  readonly lengthSize: number;
  /** Address of the header of the root group. */
  readonly root: number;
  #base = 0;

  constructor(bytes: Uint8Array) {
    super(bytes, 2 ** 23);
    if (bytes.length < 48) throw this.fault('truncated', 'the file ends within its header', bytes.length);
    if (SIGNATURE.some((byte, n) => bytes[n] !== byte)) throw this.fault('magic', 'it is not an HDF5 file', 0);
    const version = bytes[8];
    if (version > 3)
      throw this.fault('version', `HDF5 superblock version ${version} is not known; versions 0 to 3 are read`, 8);
    const isOld = version < 2;
    this.offsetSize = bytes[isOld ? 13 : 9];
    this.lengthSize = bytes[isOld ? 14 : 10];
    if (![4, 8].includes(this.offsetSize) || ![4, 8].includes(this.lengthSize))
      throw this.fault('unsupported', `addresses of ${this.offsetSize} bytes are not read; 4 and 8 are`, 8);
    const cursor = this.cursor(isOld ? (version === 0 ? 24 : 28) : 12);
    const base = cursor.address();
    // the superblock's extension or free space, the end of the file, and in old files a driver block and the offset of a name
    cursor.skip(isOld ? 4 * this.offsetSize : 2 * this.offsetSize);
    this.#base = Math.max(0, base);
    this.root = cursor.address();
  }

  /** A cursor over the file from a position; with a length, over no more than that. */
  cursor(start: number, length?: number): Hdf5Cursor {
    if (!(start >= 0 && start + (length ?? 0) <= this.bytes.length))
      throw this.fault('truncated', 'a block is outside of the file; the file is incomplete or damaged', start);
    return new Hdf5Cursor(this, start, length === undefined ? this.bytes.length : start + length);
  }

  /** A cursor after the four letters that begin a block. */
  block(start: number, signature: string): Hdf5Cursor {
    const cursor = this.cursor(start);
    if (start < 8 || cursor.latin(4) !== signature)
      throw this.fault('syntax', `a block "${signature}" is not where the file says; the file is damaged`, start);
    return cursor;
  }

  /** The position of an address of the file. */
  positionOf(address: number): number {
    return address + this.#base;
  }
}

/** Reads little-endian numbers one after the other. Reading past the end is a FormatError. */
export class Hdf5Cursor {
  readonly file: Hdf5File;
  readonly end: number;
  at: number;

  constructor(file: Hdf5File, at: number, end: number) {
    this.file = file;
    this.at = at;
    this.end = end;
  }

  get left(): number {
    return this.end - this.at;
  }

  u8(): number {
    return this.file.view.getUint8(this.skip(1));
  }

  u16(): number {
    return this.file.view.getUint16(this.skip(2), true);
  }

  u32(): number {
    return this.file.view.getUint32(this.skip(4), true);
  }

  /** An unsigned number of 1 to 8 bytes. Those above 2^53 lose digits, but are still too large for any file. */
  number(size: number): number {
    const start = this.skip(size);
    let value = 0;
    for (let n = size - 1; n >= 0; n--) value = value * 256 + this.file.bytes[start + n];
    return value;
  }

  length(): number {
    return this.number(this.file.lengthSize);
  }

  /** A position in the file; NO_ADDRESS if all its bits are set. */
  address(): number {
    const { offsetSize, bytes } = this.file;
    const start = this.skip(offsetSize);
    if (bytes.subarray(start, start + offsetSize).every((byte) => byte === 255)) return NO_ADDRESS;
    this.at = start;
    return this.file.positionOf(this.number(offsetSize));
  }

  /** Text of single bytes: signatures. */
  latin(size: number): string {
    const start = this.skip(size);
    return String.fromCharCode(...this.file.bytes.subarray(start, start + size));
  }

  /** Text of a length, up to its first zero. */
  text(size: number): string {
    const start = this.skip(size);
    const zero = this.file.bytes.subarray(start, start + size).indexOf(0);
    return this.file.text(start, start + (zero < 0 ? size : zero));
  }

  /** The next bytes, which share memory with the file. */
  bytes(size: number): Uint8Array {
    const start = this.skip(size);
    return this.file.bytes.subarray(start, start + size);
  }

  /** Goes on, and returns where it was. */
  skip(size: number): number {
    const start = this.at;
    if (!(size >= 0 && start + size <= this.end))
      throw this.file.fault('truncated', 'a block ends before its last value; the file is damaged', start);
    this.at = start + size;
    return start;
  }
}
