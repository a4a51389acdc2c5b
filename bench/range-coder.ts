// SPDX-License-Identifier: MIT
// An adaptive binary range coder (G. N. N. Martin, Range encoding, 1979; carries as in LZMA: the last byte and the 0xff bytes after it wait until it is known whether
// they grow by one). Encoder, decoder and a counter of ideal code lengths share one interface: code(bit) returns the bit, which the decoder reads and the others are given, so that a
// format is written once and both sides have the same contexts.

/** Probabilities of a zero are coded in 15 bits and stay this far from 0 and 1. */
const ONE = 1 << 15;
const LEAST = 12;
/** Number of bits after which a model adapts at a constant rate. */
const MEMORY = 160;
/** The first bit changes a probability by one over this. */
const FIRST = 1.6;
const TOP = 2 ** 24;

/** Adaptive probabilities of bits: the mean of what was coded, and of about the last 160 bits once there are as many. */
export class BitModels {
  readonly #zero: Float64Array;
  readonly #counts: Uint8Array;

  constructor(count: number) {
    this.#zero = new Float64Array(count).fill(ONE / 2);
    this.#counts = new Uint8Array(count);
  }

  /** Probability of a zero in 15 bits. */
  probability(index: number): number {
    return Math.min(ONE - LEAST, Math.max(LEAST, Math.round(this.#zero[index])));
  }

  update(index: number, bit: number): void {
    const count = this.#counts[index];
    const target = bit === 0 ? ONE : 0;
    this.#zero[index] += (target - this.#zero[index]) / (count + FIRST);
    if (count < MEMORY) this.#counts[index] = count + 1;
  }
}

export interface BitCoder {
  /** Codes a bit and adapts its model. */
  code(bit: number, models: BitModels, index: number): number;
  /** Codes the lowest bits of a number without a model. */
  codeRaw(value: number, bits: number): number;
}

export class RangeEncoder implements BitCoder {
  #low = 0;
  #range = 2 ** 32 - 1;
  #cache = 0;
  /** Bytes that wait; the first one is always zero and is left out. */
  #waiting = 1;
  #isFirst = true;
  readonly #bytes: number[] = [];

  code(bit: number, models: BitModels, index: number): number {
    const bound = (this.#range >>> 15) * models.probability(index);
    this.#put(bit, bound);
    models.update(index, bit);
    return bit;
  }

  codeRaw(value: number, bits: number): number {
    for (let b = bits - 1; b >= 0; b--) this.#put((value >>> b) & 1, this.#range >>> 1);
    return value;
  }

  finish(): Uint8Array {
    for (let n = 0; n < 5; n++) this.#shift();
    // the decoder reads zeros after the end
    let length = this.#bytes.length;
    while (length > 0 && this.#bytes[length - 1] === 0) length--;
    return Uint8Array.from(this.#bytes.slice(0, length));
  }

  #put(bit: number, bound: number): void {
    if (bit === 0) this.#range = bound;
    else {
      this.#low += bound;
      this.#range -= bound;
    }
    while (this.#range < TOP) {
      this.#range = (this.#range * 256) >>> 0;
      this.#shift();
    }
  }

  #shift(): void {
    const carry = this.#low >= 2 ** 32 ? 1 : 0;
    if (carry === 1 || this.#low < 0xff000000) {
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
  #code = 0;
  #range = 2 ** 32 - 1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    for (let n = 0; n < 4; n++) this.#code = ((this.#code << 8) | this.#next()) >>> 0;
  }

  code(_bit: number, models: BitModels, index: number): number {
    const bit = this.#take((this.#range >>> 15) * models.probability(index));
    models.update(index, bit);
    return bit;
  }

  codeRaw(_value: number, bits: number): number {
    let value = 0;
    for (let b = 0; b < bits; b++) value = (value << 1) | this.#take(this.#range >>> 1);
    return value >>> 0;
  }

  #take(bound: number): number {
    const bit = this.#code < bound ? 0 : 1;
    if (bit === 0) this.#range = bound;
    else {
      this.#code -= bound;
      this.#range -= bound;
    }
    while (this.#range < TOP) {
      this.#range = (this.#range * 256) >>> 0;
      this.#code = ((this.#code << 8) | this.#next()) >>> 0;
    }
    return bit;
  }

  #next(): number {
    return this.#at < this.#bytes.length ? this.#bytes[this.#at++] : 0;
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
