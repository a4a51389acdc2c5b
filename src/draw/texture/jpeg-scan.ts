// SPDX-License-Identifier: MIT
// Scans of JPEG files (ITU T.81): a sequential scan has all coefficients of blocks; a progressive file has scans of their first (DC) or other (AC) coefficients, first their higher bits, then one more bit each.
import type { HuffmanTable, JpegBits } from './jpeg-huffman.ts';

/** The order of coefficients: from the lowest frequency along diagonals. */
export const ZIGZAG = Uint8Array.from([
  ...[0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21],
  ...[28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61],
  ...[54, 47, 55, 62, 63],
]);

export interface JpegComponent {
  id: number;
  /** Blocks across and down in each unit of the picture. */
  h: number;
  v: number;
  /** Number of its table of quantization. */
  quantization: number;
  /** Blocks that hold pixels. */
  columns: number;
  rows: number;
  /** Blocks per row, those that fill up the last unit included. */
  stride: number;
  /** 64 per block */
  coefficients: Int16Array;
  /** Of the present scan. */
  dc?: HuffmanTable;
  ac?: HuffmanTable;
  previous: number;
}

export interface JpegScan {
  components: readonly JpegComponent[];
  /** Units across and down in the picture. */
  unitsAcross: number;
  unitsDown: number;
  /** Units between restarts; 0 for none. */
  restartInterval: number;
  isProgressive: boolean;
  /** First and last coefficient; bits that came before; the lowest bit of this scan. */
  first: number;
  last: number;
  high: number;
  low: number;
}

type DecodeBlock = (component: JpegComponent, at: number) => void;

/** Decodes a scan into the coefficients of its components. A scan that ends early leaves the others as they are. */
export function decodeJpegScan(bits: JpegBits, scan: JpegScan): void {
  const { components, unitsAcross, unitsDown, restartInterval } = scan;
  const state = { run: 0 };
  const decode = makeBlockDecoder(bits, scan, state);
  const [only] = components;
  const isSingle = components.length === 1;
  const across = isSingle ? only.columns : unitsAcross;
  const count = isSingle ? only.columns * only.rows : unitsAcross * unitsDown;
  for (const component of components) component.previous = 0;
  for (let unit = 0; unit < count && !bits.isOver; unit++) {
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) {
      bits.restart();
      state.run = 0;
      for (const component of components) component.previous = 0;
    }
    const row = Math.floor(unit / across);
    const column = unit % across;
    if (isSingle) {
      decode(only, 64 * (row * only.stride + column));
      continue;
    }
    for (const component of components)
      for (let y = 0; y < component.v; y++)
        for (let x = 0; x < component.h; x++)
          decode(component, 64 * ((row * component.v + y) * component.stride + column * component.h + x));
  }
}

function makeBlockDecoder(bits: JpegBits, scan: JpegScan, state: { run: number }): DecodeBlock {
  const { isProgressive, first, high } = scan;
  if (!isProgressive) return (component, at) => decodeWhole(bits, component, at);
  if (first === 0) {
    if (high === 0)
      return (component, at) => {
        component.coefficients[at] = nextDc(bits, component) << scan.low;
      };
    return ({ coefficients }, at) => {
      coefficients[at] |= bits.bit() << scan.low;
    };
  }
  if (high === 0) return (component, at) => decodeFirst(bits, scan, state, component, at);
  return (component, at) => refine(bits, scan, state, component, at);
}

function nextDc(bits: JpegBits, component: JpegComponent): number {
  const size = component.dc ? Math.min(15, bits.decode(component.dc)) : 0;
  component.previous += bits.receiveSigned(size);
  return component.previous;
}

function decodeWhole(bits: JpegBits, component: JpegComponent, at: number): void {
  const { coefficients, ac } = component;
  coefficients[at] = nextDc(bits, component);
  for (let k = 1; ac && k < 64; k++) {
    const symbol = bits.decode(ac);
    const size = symbol & 15;
    const skip = symbol >> 4;
    if (size === 0 && skip < 15) return;
    k += skip;
    if (size > 0 && k < 64) coefficients[at + ZIGZAG[k]] = bits.receiveSigned(size);
  }
}

/** The higher bits of coefficients; a run of blocks may have none. */
function decodeFirst(
  bits: JpegBits,
  { first, last, low }: JpegScan,
  state: { run: number },
  { coefficients, ac }: JpegComponent,
  at: number,
): void {
  if (state.run > 0) {
    state.run--;
    return;
  }
  for (let k = first; ac && k <= last; k++) {
    const symbol = bits.decode(ac);
    const size = symbol & 15;
    const skip = symbol >> 4;
    if (size === 0 && skip < 15) {
      state.run = (1 << skip) - 1 + bits.receive(skip);
      return;
    }
    k += skip;
    if (size > 0 && k <= last) coefficients[at + ZIGZAG[k]] = bits.receiveSigned(size) * (1 << low);
  }
}

/** One more bit of coefficients that are known, and new ones among those that were zero. */
function refine(
  bits: JpegBits,
  { first, last, low }: JpegScan,
  state: { run: number },
  { coefficients, ac }: JpegComponent,
  at: number,
): void {
  const step = 1 << low;
  const addBit = (place: number): void => {
    const value = coefficients[place];
    if (bits.bit() && (value & step) === 0) coefficients[place] += value > 0 ? step : -step;
  };
  let k = first;
  while (ac && state.run === 0 && k <= last) {
    const symbol = bits.decode(ac);
    let skip = symbol >> 4;
    let value = 0;
    if (symbol & 15) value = bits.bit() ? step : -step;
    else if (skip < 15) {
      state.run = (1 << skip) + bits.receive(skip);
      break;
    }
    for (; k <= last; k++) {
      const place = at + ZIGZAG[k];
      if (coefficients[place] !== 0) addBit(place);
      else if (skip-- === 0) {
        coefficients[place] = value;
        break;
      }
    }
    k++;
  }
  if (state.run === 0) return;
  for (; k <= last; k++) if (coefficients[at + ZIGZAG[k]] !== 0) addBit(at + ZIGZAG[k]);
  state.run--;
}
