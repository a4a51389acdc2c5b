// SPDX-License-Identifier: MIT
// An adaptive binary range coder (G. N. N. Martin, Range encoding, 1979; carries as in LZMA: the last byte and the 0xff bytes after it wait until it is known whether
// they grow by one). Encoder, decoder and a counter of ideal code lengths share one interface: code(bit) returns the bit, which the decoder reads and the others are given, so that a
// format is written once and both sides have the same contexts. All numbers of the decoder fit in 31 bits, so that engines keep them in integer registers.
import { FormatError } from '../../../core/model/errors.ts';

/** Probabilities of a zero are coded in 15 bits and stay this far from 0 and 1. */
const ONE = 1 << 15;
const LEAST = 12;
/** Probabilities are stored with one more bit. */
const STORED = 2 * ONE - 1;
/** Number of bits after which a model adapts at a constant rate. */
const MEMORY = 160;
/** The first bit changes a probability by one over this. */
const FIRST = 1.6;
/** Rates of change by the number of bits before, in 15 bits. */
const RATES = Int32Array.from({ length: MEMORY + 1 }, (_, n) => Math.round(ONE / (n + FIRST)));
/** Number of bits of the range, and the lowest range before a byte is shifted out. */
const RANGE_BITS = 31;
const TOP = 2 ** (RANGE_BITS - 8);
const FULL = 2 ** RANGE_BITS - 1;
/** Bytes that a decoder may read after the end: the encoder leaves out zeros there. */
const AFTER_END = 8;

/** Adaptive probabilities of bits: the mean of what was coded, and of about the last 160 bits once there are as many. */
export class BitModels {
  /** 16 bits of the probability of a zero, and 8 of the number of bits before. */
  readonly #states: Int32Array;

  constructor(count: number) {
    this.#states = new Int32Array(count).fill(ONE << 8);
  }

  /** Probability of a zero in 15 bits. */
  probability(index: number): number {
    const zero = this.#states[index] >> 9;
    return zero < LEAST ? LEAST : zero > ONE - LEAST ? ONE - LEAST : zero;
  }

  update(index: number, bit: number): void {
    const state = this.#states[index];
    const count = state & 0xff;
    const zero = state >> 8;
    const rate = RATES[count];
    const changed = bit === 0 ? zero + (((STORED - zero) * rate) >> 15) : zero - ((zero * rate) >> 15);
    this.#states[index] = (changed << 8) | (count < MEMORY ? count + 1 : count);
  }
}

export interface BitCoder {
  /** Codes a bit and adapts its model. */
  code(bit: number, models: BitModels, index: number): number;
  /** Codes the lowest bits of a number without a model; at most 30 bits. */
  codeRaw(value: number, bits: number): number;
}

export class RangeEncoder implements BitCoder {
  #low = 0;
  #range = FULL;
  #cache = 0;
  /** Bytes that wait; the first one is always zero and is left out. */
  #waiting = 1;
  #isFirst = true;
  readonly #bytes: number[] = [];

  code(bit: number, models: BitModels, index: number): number {
    this.#put(bit, (this.#range >>> 15) * models.probability(index));
    models.update(index, bit);
    return bit;
  }

  codeRaw(value: number, bits: number): number {
    for (let b = bits - 1; b >= 0; b--) this.#put((value >>> b) & 1, this.#range >>> 1);
    return value;
  }

  /** Bytes so far, about. */
  get byteLength(): number {
    return this.#bytes.length;
  }

  finish(): Uint8Array<ArrayBuffer> {
    for (let n = 0; n < 5; n++) this.#shift();
    let length = this.#bytes.length;
    while (length > 0 && this.#bytes[length - 1] === 0) length--;
    // the decoder reads zeros after the end
    return Uint8Array.from(this.#bytes.slice(0, length));
  }

  #put(bit: number, bound: number): void {
    if (bit === 0) this.#range = bound;
    else {
      this.#low += bound;
      this.#range -= bound;
    }
    while (this.#range < TOP) {
      this.#range *= 256;
      this.#shift();
    }
  }

  #shift(): void {
    const carry = this.#low > FULL ? 1 : 0;
    if (carry === 1 || this.#low < 0xff * TOP) {
      for (let byte = this.#cache; this.#waiting > 0; this.#waiting--, byte = 0xff) {
        if (!this.#isFirst) this.#bytes.push((byte + carry) & 0xff);
        this.#isFirst = false;
      }
      this.#cache = Math.floor(this.#low / TOP) & 0xff;
    }
    this.#waiting++;
    this.#low = (this.#low % TOP) * 256;
  }
}

export class RangeDecoder implements BitCoder {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** The last bit of the last byte, which belongs to the next number. */
  #left = 0;
  #code = 0;
  #range = FULL;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    for (let n = 0; n < 3; n++) this.#code = (this.#code << 8) | this.#read();
    const last = this.#read();
    this.#code = (this.#code << 7) | (last >>> 1);
    this.#left = last & 1;
  }

  code(_bit: number, models: BitModels, index: number): number {
    const bound = (this.#range >>> 15) * models.probability(index);
    let bit = 0;
    if (this.#code < bound) this.#range = bound;
    else {
      this.#code -= bound;
      this.#range -= bound;
      bit = 1;
    }
    while (this.#range < TOP) this.#shift();
    models.update(index, bit);
    return bit;
  }

  codeRaw(_value: number, bits: number): number {
    let value = 0;
    for (let b = 0; b < bits; b++) {
      const bound = this.#range >>> 1;
      if (this.#code < bound) {
        this.#range = bound;
        value <<= 1;
      } else {
        this.#code -= bound;
        this.#range -= bound;
        value = (value << 1) | 1;
      }
      while (this.#range < TOP) this.#shift();
    }
    return value;
  }

  #shift(): void {
    const byte = this.#read();
    this.#range <<= 8;
    this.#code = (this.#code << 8) | (this.#left << 7) | (byte >>> 1);
    this.#left = byte & 1;
  }

  #read(): number {
    const at = this.#at++;
    if (at < this.#bytes.length) return this.#bytes[at];
    if (at >= this.#bytes.length + AFTER_END)
      throw new FormatError('gltf', 'truncated', 'a compressed stream ends before its data is complete', at);
    return 0;
  }
}

/** Sums code lengths without coding. */
export class BitCounter implements BitCoder {
  bits = 0;

  code(bit: number, models: BitModels, index: number): number {
    const zero = models.probability(index) / ONE;
    this.bits -= Math.log2(bit === 0 ? zero : 1 - zero);
    models.update(index, bit);
    return bit;
  }

  codeRaw(value: number, bits: number): number {
    this.bits += bits;
    return value;
  }
}
