// SPDX-License-Identifier: MIT
// DEFLATE, RFC 1951: repeated strings found through hash chains, blocks with their own Huffman codes. Written here because Node's zlib is not in
// browsers and the browser's CompressionStream is asynchronous and differs between engines: the same picture must give the same bytes.
import { huffmanLengths } from './huffman-lengths.ts';

const WINDOW = 32768;
const MIN_MATCH = 3;
const MAX_MATCH = 258;
const HASH_BITS = 15;
/** Earlier places tried per position: more finds little in pictures and costs time. */
const MAX_CHAIN = 48;
/** A match this long is taken without looking further. */
const GOOD_MATCH = 64;
/** Literals and matches per block. */
const BLOCK_TOKENS = 40000;
const END_OF_BLOCK = 256;
const STORED_MAX = 65535;

// Length codes 257 to 285 and distance codes 0 to 29: first value, and how many bits follow.
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const LENGTH_BASE = firstValues(LENGTH_EXTRA, MIN_MATCH);
LENGTH_BASE[28] = MAX_MATCH; // 258 has its own code, without extra bits
const DISTANCE_EXTRA = Array.from({ length: 30 }, (_, n) => Math.max(0, (n >> 1) - 1));
const DISTANCE_BASE = firstValues(DISTANCE_EXTRA, 1);
/** Order in which the lengths of the code-length codes are sent. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Compresses bytes to a raw DEFLATE stream. */
export function deflate(data: Uint8Array): Uint8Array<ArrayBuffer> {
  const writer = new BitWriter(data.length);
  const head = new Int32Array(1 << HASH_BITS).fill(-1);
  const previous = new Int32Array(WINDOW);
  const tokens = new Uint32Array(BLOCK_TOKENS + 2);
  let position = 0;
  do {
    const start = position;
    let count = 0;
    while (position < data.length && count < BLOCK_TOKENS) {
      const match = findMatch(data, position, head, previous);
      const length = match >>> 16;
      // A token is a literal, or length x 65536 + distance - 1.
      tokens[count++] = length >= MIN_MATCH ? match : data[position];
      const end = position + Math.max(1, length >= MIN_MATCH ? length : 1);
      for (; position < end; position++) insert(data, position, head, previous);
    }
    writeBlock(writer, data.subarray(start, position), tokens.subarray(0, count), position >= data.length);
  } while (position < data.length);
  return writer.finish();
}

function hashOf(data: Uint8Array, position: number): number {
  const bytes = data[position] | (data[position + 1] << 8) | (data[position + 2] << 16);
  return Math.imul(bytes, 0x9e3779b1) >>> (32 - HASH_BITS);
}

function insert(data: Uint8Array, position: number, head: Int32Array, previous: Int32Array): void {
  if (position + MIN_MATCH > data.length) return;
  const hash = hashOf(data, position);
  previous[position & (WINDOW - 1)] = head[hash];
  head[hash] = position;
}

/** The longest earlier string equal to what comes next: length x 65536 + distance - 1, or 0. */
function findMatch(data: Uint8Array, position: number, head: Int32Array, previous: Int32Array): number {
  const limit = Math.min(MAX_MATCH, data.length - position);
  if (limit < MIN_MATCH) return 0;
  let bestLength = 0;
  let bestDistance = 0;
  let candidate = head[hashOf(data, position)];
  for (let n = 0; n < MAX_CHAIN && candidate >= 0 && position - candidate <= WINDOW; n++) {
    if (data[candidate + bestLength] === data[position + bestLength]) {
      let length = 0;
      while (length < limit && data[candidate + length] === data[position + length]) length++;
      if (length > bestLength) {
        bestLength = length;
        bestDistance = position - candidate;
        if (length >= GOOD_MATCH || length === limit) break;
      }
    }
    const next = previous[candidate & (WINDOW - 1)];
    if (next >= candidate) break; // overwritten by a newer position: the chain ends
    candidate = next;
  }
  // Three bytes far away cost more than three literals.
  if (bestLength < MIN_MATCH || (bestLength === MIN_MATCH && bestDistance > 4096)) return 0;
  return bestLength * 65536 + bestDistance - 1;
}

function writeBlock(writer: BitWriter, bytes: Uint8Array, tokens: Uint32Array, isLast: boolean): void {
  const literalCounts = new Uint32Array(286);
  const distanceCounts = new Uint32Array(30);
  let extraBits = 0;
  for (const token of tokens) {
    if (token < 65536) literalCounts[token]++;
    else {
      const code = codeOf(LENGTH_BASE, token >>> 16);
      const distanceCode = codeOf(DISTANCE_BASE, (token & 65535) + 1);
      literalCounts[257 + code]++;
      distanceCounts[distanceCode]++;
      extraBits += LENGTH_EXTRA[code] + DISTANCE_EXTRA[distanceCode];
    }
  }
  literalCounts[END_OF_BLOCK] = 1;
  const literalLengths = huffmanLengths(literalCounts, 15);
  const distanceLengths = huffmanLengths(distanceCounts, 15);
  const header = packLengths(literalLengths, distanceLengths);
  const bits = header.bits + extraBits + weigh(literalCounts, literalLengths) + weigh(distanceCounts, distanceLengths);
  if (bits > 8 * bytes.length + 40 * Math.ceil((bytes.length + 1) / STORED_MAX)) {
    writeStored(writer, bytes, isLast);
    return;
  }
  writer.write(isLast ? 1 : 0, 1);
  writer.write(2, 2);
  header.write(writer);
  const literalCodes = makeCodes(literalLengths);
  const distanceCodes = makeCodes(distanceLengths);
  for (const token of tokens) {
    if (token < 65536) {
      writer.write(literalCodes[token], literalLengths[token]);
      continue;
    }
    const length = token >>> 16;
    const distance = (token & 65535) + 1;
    const code = codeOf(LENGTH_BASE, length);
    const distanceCode = codeOf(DISTANCE_BASE, distance);
    writer.write(literalCodes[257 + code], literalLengths[257 + code]);
    writer.write(length - LENGTH_BASE[code], LENGTH_EXTRA[code]);
    writer.write(distanceCodes[distanceCode], distanceLengths[distanceCode]);
    writer.write(distance - DISTANCE_BASE[distanceCode], DISTANCE_EXTRA[distanceCode]);
  }
  writer.write(literalCodes[END_OF_BLOCK], literalLengths[END_OF_BLOCK]);
}

/** Bytes as they are, for noise. */
function writeStored(writer: BitWriter, bytes: Uint8Array, isLast: boolean): void {
  let start = 0;
  do {
    const end = Math.min(bytes.length, start + STORED_MAX);
    writer.write(isLast && end === bytes.length ? 1 : 0, 1);
    writer.write(0, 2);
    writer.align();
    writer.write(end - start, 16);
    writer.write(~(end - start) & 0xffff, 16);
    for (let n = start; n < end; n++) writer.write(bytes[n], 8);
    start = end;
  } while (start < bytes.length);
}

/** The header of a dynamic block: both sets of code lengths, run-length coded and Huffman coded in turn. */
function packLengths(
  literalLengths: Uint8Array,
  distanceLengths: Uint8Array,
): { bits: number; write: (writer: BitWriter) => void } {
  const literalCount = Math.max(257, lastUsed(literalLengths) + 1);
  const distanceCount = Math.max(1, lastUsed(distanceLengths) + 1);
  const all = [...literalLengths.subarray(0, literalCount), ...distanceLengths.subarray(0, distanceCount)];
  const runs: { symbol: number; extra: number; extraBits: number }[] = [];
  for (let n = 0; n < all.length; ) {
    let run = 1;
    while (n + run < all.length && all[n + run] === all[n]) run++;
    if (all[n] === 0 && run >= 3) {
      run = Math.min(run, 138);
      runs.push(
        run < 11 ? { symbol: 17, extra: run - 3, extraBits: 3 } : { symbol: 18, extra: run - 11, extraBits: 7 },
      );
    } else {
      runs.push({ symbol: all[n], extra: 0, extraBits: 0 });
      const repeat = Math.min(run - 1, 6);
      if (repeat >= 3) runs.push({ symbol: 16, extra: repeat - 3, extraBits: 2 });
      run = repeat >= 3 ? repeat + 1 : 1;
    }
    n += run;
  }
  const counts = new Uint32Array(19);
  let bits = 17;
  for (const run of runs) {
    counts[run.symbol]++;
    bits += run.extraBits;
  }
  const lengths = huffmanLengths(counts, 7);
  const codes = makeCodes(lengths);
  let orderCount = 19;
  while (orderCount > 4 && lengths[LENGTH_ORDER[orderCount - 1]] === 0) orderCount--;
  bits += 3 * orderCount + weigh(counts, lengths);
  const write = (writer: BitWriter) => {
    writer.write(literalCount - 257, 5);
    writer.write(distanceCount - 1, 5);
    writer.write(orderCount - 4, 4);
    for (let n = 0; n < orderCount; n++) writer.write(lengths[LENGTH_ORDER[n]], 3);
    for (const run of runs) {
      writer.write(codes[run.symbol], lengths[run.symbol]);
      writer.write(run.extra, run.extraBits);
    }
  };
  return { bits, write };
}

/** Canonical codes from their lengths, bits reversed since Huffman codes are sent from their top bit. */
function makeCodes(lengths: Uint8Array): Uint16Array {
  const codes = new Uint16Array(lengths.length);
  let code = 0;
  for (let length = 1; length <= 15; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      let reversed = 0;
      for (let bit = 0; bit < length; bit++) reversed |= ((code >> bit) & 1) << (length - 1 - bit);
      codes[symbol] = reversed;
      code++;
    }
    code <<= 1;
  }
  return codes;
}

function weigh(counts: Uint32Array, lengths: Uint8Array): number {
  let bits = 0;
  for (let n = 0; n < counts.length; n++) bits += counts[n] * lengths[n];
  return bits;
}

function lastUsed(lengths: Uint8Array): number {
  let last = lengths.length - 1;
  while (last > 0 && lengths[last] === 0) last--;
  return last;
}

function firstValues(extraBits: number[], first: number): number[] {
  const out: number[] = [];
  let value = first;
  for (const bits of extraBits) {
    out.push(value);
    value += 1 << bits;
  }
  return out;
}

/** The last code whose first value is not above the value. */
function codeOf(bases: number[], value: number): number {
  let low = 0;
  let high = bases.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (bases[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Bits, lowest first, into bytes. */
class BitWriter {
  private bytes: Uint8Array<ArrayBuffer>;
  private length = 0;
  private bits = 0;
  private bitCount = 0;

  constructor(expected: number) {
    this.bytes = new Uint8Array(Math.max(64, expected >> 2));
  }

  /** Writes count (0 to 16) bits. */
  write(value: number, count: number): void {
    this.bits |= value << this.bitCount;
    this.bitCount += count;
    while (this.bitCount >= 8) this.push();
  }

  align(): void {
    if (this.bitCount > 0) this.push();
  }

  finish(): Uint8Array<ArrayBuffer> {
    this.align();
    return this.bytes.slice(0, this.length);
  }

  private push(): void {
    if (this.length === this.bytes.length) {
      const grown = new Uint8Array(this.bytes.length * 2);
      grown.set(this.bytes);
      this.bytes = grown;
    }
    this.bytes[this.length++] = this.bits & 255;
    this.bits >>>= 8;
    this.bitCount = Math.max(0, this.bitCount - 8);
  }
}
