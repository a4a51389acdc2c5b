// SPDX-License-Identifier: MIT
// Single fields of a stream: counts, floats and names. Each function returns the value, which a decoder reads and an encoder is given.
import { FormatError } from '../../../core/model/errors.ts';
import { IntegerModel } from './integer-model.ts';
import { type BitCoder, BitModels, RangeDecoder } from './range-coder.ts';

/**
 * Maximum memory of decoded data: a constant, plus a multiple of the stored size. Real skins grow by 40 to 120 times.
 */
const DECODED_BASE = 16 * 2 ** 20;
const DECODED_RATIO = 1024;
const MAX_NAME = 1024;

export class FieldCoder {
  readonly coder: BitCoder;
  readonly isDecoder: boolean;
  readonly #counts = new IntegerModel();
  readonly #integers = new IntegerModel();
  readonly #flags = new BitModels(16);
  readonly #bytes = new BitModels(256);
  readonly #storedBytes: number;
  #decodedBytes = 0;
  #lastName: number[] = [];

  /** @param storedBytes size of the stream of a decoder */
  constructor(coder: BitCoder, storedBytes: number) {
    this.coder = coder;
    this.isDecoder = coder instanceof RangeDecoder;
    this.#storedBytes = storedBytes;
  }

  /** Counts memory before it is allocated; throws if all of it is beyond what a stream of this size may need. */
  reserve(bytes: number): void {
    this.#decodedBytes += bytes;
    if (!this.isDecoder) return;
    if (!isWithinLimit(this.#decodedBytes, this.#storedBytes))
      throw new FormatError(
        'gltf',
        'limit',
        `a stream of ${this.#storedBytes} bytes claims data of ${this.#decodedBytes} bytes; its counts cannot be true`,
      );
  }

  get decodedBytes(): number {
    return this.#decodedBytes;
  }

  /** @param most larger numbers are an error of the file */
  count(value: number, most = 2 ** 28): number {
    const coded = this.#counts.codeCount(this.coder, value);
    if (coded > most)
      throw new FormatError('gltf', 'value', `a compressed stream has a count of ${coded}; at most ${most} fit`);
    return coded;
  }

  integer(value: number): number {
    return this.#integers.code(this.coder, value);
  }

  flag(value: boolean, context = 0): boolean {
    return this.coder.code(value ? 1 : 0, this.#flags, context) === 1;
  }

  /** A 32-bit float. */
  float(value: number): number {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, value);
    for (const at of [0, 2]) view.setUint16(at, this.coder.codeRaw(view.getUint16(at), 16));
    const coded = view.getFloat32(0);
    if (!Number.isFinite(coded))
      throw new FormatError('gltf', 'value', 'a compressed stream has a number that is not finite');
    return coded;
  }

  /** A 64-bit float. */
  double(value: number): number {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value);
    for (const at of [0, 2, 4, 6]) view.setUint16(at, this.coder.codeRaw(view.getUint16(at), 16));
    const coded = view.getFloat64(0);
    if (!Number.isFinite(coded))
      throw new FormatError('gltf', 'value', 'a compressed stream has a number that is not finite');
    return coded;
  }

  /** A text: its common beginning with the text before, and the rest byte by byte. */
  name(value: string): string {
    const given = [...new TextEncoder().encode(value)].slice(0, MAX_NAME);
    let common = 0;
    while (common < given.length && given[common] === this.#lastName[common]) common++;
    common = this.count(common, this.#lastName.length);
    const length = this.count(given.length - common, MAX_NAME);
    const bytes = this.#lastName.slice(0, common);
    for (let n = 0; n < length; n++) bytes.push(this.#byte(given[common + n] ?? 0));
    this.#lastName = bytes;
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }

  #byte(value: number): number {
    let node = 1;
    for (let b = 7; b >= 0; b--) node = 2 * node + this.coder.code((value >>> b) & 1, this.#bytes, node);
    return node & 0xff;
  }
}

/** Whether a reader accepts data of this size from a stream of this size. */
export function isWithinLimit(decodedBytes: number, storedBytes: number): boolean {
  return decodedBytes <= DECODED_BASE + DECODED_RATIO * storedBytes;
}
