// SPDX-License-Identifier: MIT
// JPEG (ITU T.81): markers of two bytes, 0xff and a number, most of them with a uint16 length and data, big-endian. Read are sequential and progressive files with Huffman codes and eight bits.
import { InputError } from '../../core/model/errors.ts';
import { type HuffmanTable, JpegBits, makeHuffmanTable } from './jpeg-huffman.ts';
import { joinJpegPlanes, transformJpegBlocks } from './jpeg-pixels.ts';
import { decodeJpegScan, type JpegComponent, ZIGZAG } from './jpeg-scan.ts';
import { MAX_TEXTURE_PIXELS, type TextureImage } from './texture.ts';

/** Maximum number of pixels per byte of a JPEG file: a block of 64 takes at least two bits of each of its components. */
const PIXELS_PER_BYTE = 1024;
const MIN_PIXELS = 65_536;
/** More scans than this are a damaged file: each goes over the whole picture. */
const MAX_SCANS = 64;

/** Decodes a JPEG picture. What is missing at the end is grey. */
export function decodeJpeg(bytes: Uint8Array): TextureImage {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) fail('it is not JPEG');
  return new JpegDecoder(bytes).decode();
}

class JpegDecoder {
  readonly #bytes: Uint8Array;
  readonly #quantizations: Uint16Array[] = [];
  readonly #dc: HuffmanTable[] = [];
  readonly #ac: HuffmanTable[] = [];
  #components: JpegComponent[] = [];
  #width = 0;
  #height = 0;
  #unitsAcross = 0;
  #unitsDown = 0;
  #isProgressive = false;
  #restartInterval = 0;
  #scanCount = 0;
  /** Of Adobe's marker: 0 for red, green and blue. */
  #transform = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  decode(): TextureImage {
    const bytes = this.#bytes;
    for (let at = 2; at + 4 <= bytes.length; ) {
      if (bytes[at] !== 0xff || bytes[at + 1] === 0 || bytes[at + 1] === 0xff) {
        at++;
        continue;
      }
      const marker = bytes[at + 1];
      if (marker === 0xd9) break;
      // restarts have no data
      const length = marker >= 0xd0 && marker <= 0xd7 ? 0 : (bytes[at + 2] << 8) | bytes[at + 3];
      const data = bytes.subarray(at + 4, Math.min(bytes.length, at + 2 + length));
      at = this.#read(marker, data, at + 2 + length);
    }
    if (this.#scanCount === 0) fail('it has no picture');
    const [first] = this.#components;
    const planes = this.#components.map((component) => ({
      values: transformJpegBlocks(component, this.#quantizations[component.quantization] ?? fail('it is incomplete')),
      width: 8 * component.stride,
      shareX: this.#maxOf('h') / component.h,
      shareY: this.#maxOf('v') / component.v,
    }));
    const isNamedRgb = first.id === 82 && this.#components[1]?.id === 71;
    const isRgb = this.#transform === 0 || (this.#transform < 0 && isNamedRgb);
    const [width, height] = [this.#width, this.#height];
    return { width, height, pixels: joinJpegPlanes(planes, { width, height, isRgb }) };
  }

  /** Reads a marker's data, and returns where the next one is looked for. */
  #read(marker: number, data: Uint8Array, next: number): number {
    if (marker === 0xdb) this.#readQuantizations(data);
    else if (marker === 0xc4) this.#readTables(data);
    else if (marker >= 0xc0 && marker <= 0xc2) this.#readFrame(data, marker === 0xc2);
    else if (marker >= 0xc3 && marker <= 0xcf && marker !== 0xc8 && marker !== 0xcc)
      fail('it is lossless, hierarchical or coded arithmetically, which is not drawn');
    else if (marker === 0xdd && data.length >= 2) this.#restartInterval = (data[0] << 8) | data[1];
    else if (marker === 0xee && data.length >= 12 && data[0] === 0x41) this.#transform = data[11];
    else if (marker === 0xda) return this.#readScan(data, next);
    return next;
  }

  #readQuantizations(data: Uint8Array): void {
    for (let at = 0; at < data.length; ) {
      const [number, isWide] = [data[at] & 15, data[at] >> 4 !== 0];
      at++;
      const table = new Uint16Array(64);
      for (let k = 0; k < 64; k++, at += isWide ? 2 : 1)
        table[ZIGZAG[k]] = isWide ? ((data[at] ?? 0) << 8) | (data[at + 1] ?? 0) : (data[at] ?? 0);
      this.#quantizations[number] = table;
    }
  }

  #readTables(data: Uint8Array): void {
    for (let at = 0; at + 17 <= data.length; ) {
      const [kind, number] = [data[at] >> 4, data[at] & 15];
      const counts = data.subarray(at + 1, at + 17);
      const total = counts.reduce((sum, count) => sum + count, 0);
      const symbols = data.subarray(at + 17, at + 17 + total);
      (kind === 0 ? this.#dc : this.#ac)[number] = makeHuffmanTable(counts, symbols);
      at += 17 + total;
    }
  }

  #readFrame(data: Uint8Array, isProgressive: boolean): void {
    if (this.#components.length > 0) fail('it has two pictures');
    const [precision, h1, h0, w1, w0, count] = data;
    const [width, height] = [(w1 << 8) | w0, (h1 << 8) | h0];
    if (precision !== 8) fail(`it has ${precision} bits per colour; eight are drawn`);
    if ((count !== 1 && count !== 3) || data.length < 6 + 3 * count)
      fail(`it has ${count} components; one and three are drawn`);
    const pixels = width * height;
    if (pixels < 1 || pixels > MAX_TEXTURE_PIXELS)
      fail(`it has ${width} x ${height} pixels; at most ${MAX_TEXTURE_PIXELS} are drawn`);
    if (pixels > PIXELS_PER_BYTE * this.#bytes.length + MIN_PIXELS)
      fail('it claims more pixels than its bytes can hold');
    const listed = Array.from({ length: count }, (_, n) => {
      const [id, factors, quantization] = data.subarray(6 + 3 * n);
      return { id, h: factors >> 4, v: factors & 15, quantization: quantization & 15 };
    });
    if (listed.some(({ h, v }) => h < 1 || h > 4 || v < 1 || v > 4)) fail('its components have no size');
    const [maxH, maxV] = [Math.max(...listed.map(({ h }) => h)), Math.max(...listed.map(({ v }) => v))];
    this.#unitsAcross = Math.ceil(width / 8 / maxH);
    this.#unitsDown = Math.ceil(height / 8 / maxV);
    this.#components = listed.map((one) => {
      const stride = this.#unitsAcross * one.h;
      const allRows = this.#unitsDown * one.v;
      const columns = Math.ceil((Math.ceil(width / 8) * one.h) / maxH);
      const rows = Math.ceil((Math.ceil(height / 8) * one.v) / maxV);
      return { ...one, columns, rows, stride, coefficients: new Int16Array(64 * stride * allRows), previous: 0 };
    });
    [this.#width, this.#height, this.#isProgressive] = [width, height, isProgressive];
  }

  #readScan(data: Uint8Array, start: number): number {
    if (this.#components.length === 0) fail('it has a scan before its size');
    if (++this.#scanCount > MAX_SCANS) fail(`it has more than ${MAX_SCANS} scans`);
    const count = data[0] ?? 0;
    const components: JpegComponent[] = [];
    for (let n = 0; n < count; n++) {
      const component = this.#components.find(({ id }) => id === data[1 + 2 * n]);
      const tables = data[2 + 2 * n] ?? 0;
      if (!component || components.includes(component)) fail('a scan names a component that it does not have');
      component.dc = this.#dc[tables >> 4];
      component.ac = this.#ac[tables & 15];
      components.push(component);
    }
    if (components.length === 0) fail('a scan has no components');
    const [first = 0, last = 63, bits = 0] = data.subarray(1 + 2 * count);
    const reader = new JpegBits(this.#bytes, start);
    decodeJpegScan(reader, {
      ...{ components, unitsAcross: this.#unitsAcross, unitsDown: this.#unitsDown },
      ...{ restartInterval: this.#restartInterval, isProgressive: this.#isProgressive },
      ...{ first: Math.min(63, first), last: Math.min(63, last), high: bits >> 4, low: Math.min(13, bits & 15) },
    });
    return reader.position;
  }

  #maxOf(key: 'h' | 'v'): number {
    return this.#components.reduce((most, component) => Math.max(most, component[key]), 1);
  }
}

function fail(fault: string): never {
  throw new InputError('image', fault);
}
