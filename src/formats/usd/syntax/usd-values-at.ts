// SPDX-License-Identifier: MIT
// Values of attributes at a time: linear between samples if they are numbers with a fraction, held otherwise; the first or last sample outside of them.
import type { UsdPrim, UsdProperty, UsdValue } from './usd-layer.ts';

export type UsdNumbers = Float32Array | Float64Array | Int32Array;

/** The value at a time code; without a time, the default, or the first sample. */
export function usdValueAt(property: UsdProperty | undefined, time?: number): UsdValue | undefined {
  if (!property) return undefined;
  const { samples, value } = property;
  if (!samples || samples.times.length === 0 || (time === undefined && value !== undefined)) return value;
  const { times } = samples;
  const after = time === undefined ? 0 : findAfter(times, time);
  if (after === 0) return samples.at(0);
  const before = samples.at(after - 1);
  if (after === times.length || time === undefined || time === times[after - 1]) return before;
  return mix(
    before,
    samples.at(after),
    (time - times[after - 1]) / (times[after] - times[after - 1]),
    property.typeName,
  );
}

/** Index of the first time after this one. */
function findAfter(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function mix(a: UsdValue, b: UsdValue, t: number, typeName: string): UsdValue {
  if (typeof a === 'number' && typeof b === 'number') return /^u?int|uchar/.test(typeName) ? a : a + t * (b - a);
  const isMixed = isNumbers(a) && isNumbers(b) && !(a instanceof Int32Array) && a.length === b.length;
  if (!isMixed) return a;
  const out = a instanceof Float64Array ? new Float64Array(a.length) : new Float32Array(a.length);
  for (let c = 0; c < a.length; c++) out[c] = a[c] + t * (b[c] - a[c]);
  if (!typeName.startsWith('quat')) return out;
  // along the shorter way, normalized by whoever uses it
  for (let o = 0; o < a.length; o += 4) {
    let dot = 0;
    for (let c = o; c < o + 4; c++) dot += a[c] * b[c];
    if (dot < 0) for (let c = o; c < o + 4; c++) out[c] = a[c] - t * (b[c] + a[c]);
  }
  return out;
}

export function isNumbers(value: UsdValue | undefined): value is UsdNumbers {
  return value instanceof Float32Array || value instanceof Float64Array || value instanceof Int32Array;
}

/** Numbers of an attribute; undefined if it has none. */
export function numbersOf(prim: UsdPrim, name: string, time?: number): UsdNumbers | undefined {
  const value = usdValueAt(prim.properties.get(name), time);
  if (typeof value === 'number') return Float64Array.of(value);
  return isNumbers(value) ? value : undefined;
}

/** Text of an attribute; undefined if it has none. */
export function textOf(prim: UsdPrim, name: string): string | undefined {
  const value = usdValueAt(prim.properties.get(name));
  return typeof value === 'string' ? value : undefined;
}

/** A list of text of an attribute; empty if it has none. */
export function textsOf(prim: UsdPrim, name: string): readonly string[] {
  const value = usdValueAt(prim.properties.get(name));
  return Array.isArray(value) ? value : [];
}

/** Whether an attribute has more than one sample. */
export function isSampled(property: UsdProperty | undefined): boolean {
  return (property?.samples?.times.length ?? 0) > 1;
}
