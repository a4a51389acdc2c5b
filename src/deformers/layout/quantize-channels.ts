// SPDX-License-Identifier: MIT

const STEPS = 65535;

/** 16-bit integers and the range that they stand for, by channel. */
export interface QuantizedChannels {
  texels: Uint16Array<ArrayBuffer>;
  min: Float64Array;
  max: Float64Array;
}

/** Quantizes values whose channels repeat after `size` numbers, each to its own range. A constant channel has an empty range. */
export function quantizeChannels(values: Float64Array, size: number): QuantizedChannels {
  const min = new Float64Array(size).fill(Infinity);
  const max = new Float64Array(size).fill(-Infinity);
  for (let c = 0; c < values.length; c++) {
    min[c % size] = Math.min(min[c % size], values[c]);
    max[c % size] = Math.max(max[c % size], values[c]);
  }
  const texels = new Uint16Array(values.length);
  for (let c = 0; c < values.length; c++) {
    const span = max[c % size] - min[c % size];
    texels[c] = span > 0 ? Math.round((STEPS * (values[c] - min[c % size])) / span) : 0;
  }
  return { texels, min, max };
}

/** The values that quantized channels stand for. */
export function restoreChannels({ texels, min, max }: QuantizedChannels): Float64Array {
  const size = min.length;
  return Float64Array.from(texels, (x, c) => min[c % size] + ((max[c % size] - min[c % size]) * x) / STEPS);
}
