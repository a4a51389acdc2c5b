// SPDX-License-Identifier: MIT
// Numbers as the page shows them.
import { formatNumber as formatDigits } from '../../src/index.ts';

export { formatBytes } from '../../src/index.ts';

export function formatNumber(value: number, digits = 3): string {
  return Number.isFinite(value) ? formatDigits(value, digits) : '–';
}

/** Metres in a unit, its name, and the minimum length in metres for which it is used. */
const LENGTHS: [number, string, number][] = [
  [1, 'm', 1],
  [1e-2, 'cm', 1e-2],
  [1e-3, 'mm', 1e-4],
  [1e-6, 'µm', 0],
];

/** The unit for a length: metres and their parts if the file has units. */
export function unitFor(size: number, metresPerUnit: number | undefined): { name: string; perUnit: number } {
  if (!metresPerUnit) return { name: 'units', perUnit: 1 };
  const metres = Math.abs(size) * metresPerUnit;
  if (metres === 0) return { name: 'mm', perUnit: metresPerUnit / 1e-3 };
  const [scale, name] = LENGTHS.find(([, , min]) => metres >= min) ?? LENGTHS[2];
  return { name, perUnit: metresPerUnit / scale };
}

export function formatLength(value: number, metresPerUnit: number | undefined): string {
  const { name, perUnit } = unitFor(value, metresPerUnit);
  return `${formatNumber(value * perUnit)} ${name}`;
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
