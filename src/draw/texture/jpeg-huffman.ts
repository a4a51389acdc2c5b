// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';

/** By the next 16 bits: the symbol in the lower byte, the bits of its code above; 0 if no code fits. */
export type HuffmanTable = Uint16Array;

/** @param counts codes of 1 to 16 bits @param symbols in the order of their codes */
export function makeHuffmanTable(counts: Uint8Array, symbols: Uint8Array): HuffmanTable {
  const table = new Uint16Array(65_536);
  let code = 0;
  let next = 0;
  for (let length = 1; length <= 16; length++) {
    for (let n = 0; n < counts[length - 1]; n++, code++) {
      const first = code << (16 - length);
      const end = first + 2 ** (16 - length);
      if (end > 65_536) throw new InputError('image', 'a table of codes is damaged');
      table.fill((length << 8) | symbols[next++], first, end);
    }
    code <<= 1;
  }
  return table;
}

/** The bits of a scan of a JPEG file. After its end they are zeros. */
export class JpegBits {
  readonly #bytes: Uint8Array;
  #at: number;
  #buffer = 0;
  #count = 0;
  /** Zeros that were added after the end. */
  #missing = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Where the scan ends: at its marker. */
  get position(): number {
    return this.#at;
  }

  /** Whether more bits were read than there are, by far. */
  get isOver(): boolean {
    return this.#missing > 64;
  }

  decode(table: HuffmanTable): number {
    this.#fill();
    const entry = table[(this.#buffer >>> (this.#count - 16)) & 0xffff];
    // no code fits in a damaged file: a bit is passed over
    this.#count -= entry >> 8 || 1;
    return entry & 255;
  }

  bit(): number {
    return this.receive(1);
  }

  /** A number of up to 15 bits. */
  receive(count: number): number {
    if (count === 0) return 0;
    this.#fill();
    this.#count -= count;
    return (this.#buffer >>> this.#count) & ((1 << count) - 1);
  }

  /** A signed number: half of its values are negative. */
  receiveSigned(count: number): number {
    const value = this.receive(count);
    return count > 0 && value < 1 << (count - 1) ? value - (1 << count) + 1 : value;
  }

  /** Goes on after the next restart marker, if it is next. */
  restart(): void {
    this.#count = 0;
    this.#buffer = 0;
    this.#missing = 0;
    const { length } = this.#bytes;
    let at = this.#at;
    while (at + 1 < length && !(this.#bytes[at] === 0xff && this.#bytes[at + 1] !== 0)) at++;
    if (this.#bytes[at + 1] >= 0xd0 && this.#bytes[at + 1] <= 0xd7) this.#at = at + 2;
  }

  /** At least 16 bits. */
  #fill(): void {
    while (this.#count <= 16) {
      let byte = 0;
      if (this.#at >= this.#bytes.length) this.#missing++;
      else if (this.#bytes[this.#at] !== 0xff) byte = this.#bytes[this.#at++];
      else if (this.#bytes[this.#at + 1] === 0) {
        byte = 0xff;
        this.#at += 2;
      } else this.#missing++;
      this.#buffer = ((this.#buffer << 8) | byte) & 0xffffffff;
      this.#count += 8;
    }
  }
}
