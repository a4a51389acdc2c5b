// SPDX-License-Identifier: MIT

/** A unit of lengths for people. */
export interface LengthUnit {
  name: string;
  /** Number of these in one file unit. */
  perUnit: number;
}

/** Metres in a unit, its name, and the minimum length in metres for which it is used. */
const LENGTHS: [number, string, number][] = [
  [1, 'm', 1],
  [1e-2, 'cm', 1e-2],
  [1e-3, 'mm', 1e-4],
  [1e-6, 'µm', 0],
];

/**
 * The unit that suits a length: metric if the file has units, otherwise file units. The studio and the pages of reports use it.
 * @param size a length in file units
 * @example
 * ```ts
 * import { lengthUnit } from 'ossify';
 *
 * const { name, perUnit } = lengthUnit(0.0021, 1);
 * console.log(`${0.0021 * perUnit} ${name}`); // 2.1 mm
 * ```
 */
export function lengthUnit(size: number, metresPerUnit: number | undefined): LengthUnit {
  if (!metresPerUnit) return { name: 'file units', perUnit: 1 };
  const metres = Math.abs(size) * metresPerUnit;
  if (metres === 0) return { name: 'mm', perUnit: metresPerUnit / 1e-3 };
  const [scale, name] = LENGTHS.find(([, , min]) => metres >= min) ?? LENGTHS[2];
  return { name, perUnit: metresPerUnit / scale };
}
