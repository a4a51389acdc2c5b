// SPDX-License-Identifier: MIT
// The integers of animated values, predicted from earlier keys: by nothing, the last key, the last two, or the key one period before, the best of these for each number of a track. Some captured clips
// repeat a cycle exactly, so the period is worth a search.
import { IntegerModel } from './integer-model.ts';
import { RangeEncoder } from './range-coder.ts';
import type { SmallTrack } from './read-small-glb.ts';
import { ScaledIntegerModel } from './scaled-integer-model.ts';

const MANTISSA = 24;
const PLACES = 4;
/** Part of the expected magnitude that is kept from key to key. */
const KEPT = 0.7;
const ORDERS = [0, 1, 2, 3];
/** A period is used if it lowers the bits to this part. */
const PERIODIC = 0.9;

interface Columns {
  kind: SmallTrack['kind'];
  /** A number of each key. */
  columns: Int32Array[];
  /** By key: the component that a quaternion leaves out; its other numbers are related only to keys that leave out the same one. */
  left: Uint8Array;
  /** What all keys share: the number of bits, or the exponent. */
  scale: number;
}

/** Bytes of all tracks. */
export function codeTracks(tracks: readonly SmallTrack[]): number {
  const all = tracks.map(listColumns);
  const period = findPeriod(all);
  const encoder = new RangeEncoder();
  const models = { rotation: new ScaledIntegerModel(), numbers: new ScaledIntegerModel() };
  const startModels = { rotation: new IntegerModel(), numbers: new IntegerModel() };
  const scaleModel = new IntegerModel(2);
  const leftModel = new IntegerModel(2);
  new IntegerModel().codeCount(encoder, period);
  for (const one of all) {
    const { kind, columns, left, scale } = one;
    scaleModel.code(encoder, scale, kind === 'rotation' ? 0 : 1);
    if (kind === 'rotation')
      left.forEach((place, k) => {
        const isPeriodic = period > 0 && k >= period;
        const expected = isPeriodic ? left[k - period] : k > 0 ? left[k - 1] : 0;
        leftModel.codeCount(encoder, (place - expected + PLACES) % PLACES, isPeriodic ? 1 : 0);
      });
    for (const column of columns) {
      const order = chooseOrder(column, left, period);
      encoder.codeRaw(order, 2);
      // magnitudes in the first cycle, and in later ones
      const expected = [0, 0];
      for (let k = 0; k < column.length; k++) {
        const predicted = predictKey(column, left, k, order, period);
        const residual = column[k] - (predicted ?? 0);
        if (predicted === undefined) startModels[kind].code(encoder, residual);
        else {
          const cycle = order === 3 && k >= period ? 1 : 0;
          models[kind].code(encoder, residual, expected[cycle]);
          expected[cycle] = KEPT * expected[cycle] + (1 - KEPT) * Math.abs(residual);
        }
      }
    }
  }
  return encoder.finish().length;
}

function listColumns({ kind, size, values }: SmallTrack): Columns {
  const keyCount = values.length / size;
  const isRotation = kind === 'rotation';
  const read = (k: number, c: number) =>
    isRotation ? values[size * k + c] : (values[size * k + c] << (32 - MANTISSA)) >> (32 - MANTISSA);
  const columns = Array.from({ length: isRotation ? 3 : size }, (_, c) =>
    Int32Array.from({ length: keyCount }, (_, k) => read(k, c)),
  );
  const left = Uint8Array.from({ length: keyCount }, (_, k) => (isRotation ? values[4 * k + 3] & 3 : 0));
  const scale = isRotation ? Math.round(Math.log2(1 + (values[3] | 3))) : values[0] >> MANTISSA;
  return { kind, columns, left, scale };
}

/** The number of keys of a cycle; 0 if there is none. */
function findPeriod(all: readonly Columns[]): number {
  const longest = all.reduce((most, { left }) => Math.max(most, left.length), 0);
  let best = 0;
  let least = PERIODIC * costOf(all, 1, 0);
  for (let period = 2; period <= longest / 2; period++) {
    const cost = costOf(all, 3, period);
    if (cost < least) [best, least] = [period, cost];
  }
  return best;
}

function costOf(all: readonly Columns[], order: number, period: number): number {
  let cost = 0;
  for (const { columns, left } of all) for (const column of columns) cost += costOfColumn(column, left, order, period);
  return cost;
}

function costOfColumn(column: Int32Array, left: Uint8Array, order: number, period: number): number {
  let cost = 0;
  for (let k = 0; k < column.length; k++)
    cost += Math.log2(1 + Math.abs(column[k] - (predictKey(column, left, k, order, period) ?? 0)));
  return cost;
}

function chooseOrder(column: Int32Array, left: Uint8Array, period: number): number {
  const orders = period > 0 ? ORDERS : ORDERS.slice(0, 3);
  const costs = orders.map((order) => costOfColumn(column, left, order, period));
  return costs.indexOf(Math.min(...costs));
}

/** Undefined if no earlier key is related. */
function predictKey(
  column: Int32Array,
  left: Uint8Array,
  k: number,
  order: number,
  period: number,
): number | undefined {
  const isSame = (n: number) => k >= n && left[k - n] === left[k];
  if (order === 0) return 0;
  if (order === 3 && isSame(period)) return column[k - period];
  if (!isSame(1)) return undefined;
  return order === 2 && isSame(2) ? 2 * column[k - 1] - column[k - 2] : column[k - 1];
}
