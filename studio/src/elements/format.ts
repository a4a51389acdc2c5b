// SPDX-License-Identifier: MIT
// Formats numbers for the page.
import { formatNumber as formatDigits, lengthUnit } from '../../../src/entry/index.ts';

export { formatBytes, lengthUnit as unitFor } from '../../../src/entry/index.ts';

export function formatNumber(value: number, digits = 3): string {
  return Number.isFinite(value) ? formatDigits(value, digits) : '–';
}

export function formatLength(value: number, metresPerUnit: number | undefined): string {
  const { name, perUnit } = lengthUnit(value, metresPerUnit);
  return `${formatNumber(value * perUnit)} ${name}`;
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
