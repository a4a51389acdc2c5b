// SPDX-License-Identifier: MIT
// Ogawa, the container of Alembic files, little-endian. Header: "Ogawa", 0xff (0x00 while the file is being written), uint16
// big-endian version (1), uint64 position of the root group. A group is a uint64 number of children and a uint64 per child: a position,
// with the highest bit set for data. Data is a uint64 length and its bytes. Position 0 is an empty group or empty data.
import { AbcFile } from './abc-file.ts';

const HEADER_LENGTH = 16;

/** Where the bytes of a data block are. */
export interface OgawaData {
  start: number;
  length: number;
}

/** A group: its children are read when needed. */
export interface OgawaGroup {
  position: number;
  childCount: number;
}

export const EMPTY_DATA: OgawaData = { start: 0, length: 0 };

/** The blocks of an Ogawa file. Every position and length is checked against the file before it is used. */
export class OgawaFile extends AbcFile {
  constructor(bytes: Uint8Array) {
    super(bytes, 2 ** 20);
    if (bytes.length < HEADER_LENGTH) throw this.fault('truncated', 'the file ends within its header', bytes.length);
    const isOgawa = [...'Ogawa'].every((letter, n) => bytes[n] === letter.charCodeAt(0));
    if (!isOgawa) throw this.fault('magic', 'it is not an Ogawa file', 0);
    if (bytes[5] !== 0xff)
      throw this.fault('truncated', 'the file was not closed by the program that wrote it; export it again', 5);
    const version = this.view.getUint16(6, false);
    if (version !== 1) throw this.fault('version', `Ogawa version ${version} is not known; version 1 is read`, 6);
  }

  get root(): OgawaGroup {
    return this.#groupAt(this.#position(8));
  }

  /** A child group; undefined if the child is missing or is data. */
  group(parent: OgawaGroup, index: number): OgawaGroup | undefined {
    if (index >= parent.childCount || this.isData(parent, index)) return undefined;
    return this.#groupAt(this.#position(parent.position + 8 + 8 * index));
  }

  /** A child data block; undefined if the child is missing or is a group. */
  data(parent: OgawaGroup, index: number): OgawaData | undefined {
    if (!this.isData(parent, index)) return undefined;
    const position = this.#position(parent.position + 8 + 8 * index);
    if (position === 0) return EMPTY_DATA;
    this.#check(position, 8);
    const length = this.#position(position);
    this.#check(position + 8, length);
    return { start: position + 8, length };
  }

  isData(parent: OgawaGroup, index: number): boolean {
    return index < parent.childCount && this.view.getUint8(parent.position + 8 + 8 * index + 7) >= 0x80;
  }

  #groupAt(position: number): OgawaGroup {
    if (position === 0) return { position, childCount: 0 };
    this.#check(position, 8);
    const childCount = this.#position(position);
    this.#check(position + 8, 8 * childCount);
    return { position, childCount };
  }

  /** A uint64 without its highest bit. Numbers above 2^53 lose digits, but are still too large for any file. */
  #position(offset: number): number {
    return (this.view.getUint32(offset + 4, true) & 0x7fffffff) * 2 ** 32 + this.view.getUint32(offset, true);
  }

  #check(start: number, length: number): void {
    if (start >= HEADER_LENGTH && start + length <= this.bytes.length) return;
    throw this.fault('truncated', 'a block is outside of the file; the file is incomplete or damaged', start);
  }
}
