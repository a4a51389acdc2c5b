// SPDX-License-Identifier: MIT
// Numbers for people.

export function formatNumber(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 10 ** digits && size < 1e9) return String(Math.round(value));
  if (size < 1e-4 || size >= 1e9) return value.toExponential(digits - 1).replace(/\.?0+e/, 'e');
  return String(Number(value.toPrecision(digits)));
}

/** Metres in a unit, its name, and the metres from which on it is used. */
const LENGTHS: [number, string, number][] = [
  [1, 'm', 1],
  [1e-2, 'cm', 1e-2],
  [1e-3, 'mm', 1e-4],
  [1e-6, 'µm', 0],
];

/** The unit that a length reads best in: metres and their parts where the file has units. */
export function unitFor(size: number, metresPerUnit: number | undefined): { name: string; perUnit: number } {
  if (!metresPerUnit) return { name: 'units', perUnit: 1 };
  const metres = Math.abs(size) * metresPerUnit;
  if (metres === 0) return { name: 'mm', perUnit: metresPerUnit / 1e-3 };
  const [scale, name] = LENGTHS.find(([, , least]) => metres >= least) ?? LENGTHS[2];
  return { name, perUnit: metresPerUnit / scale };
}

export function formatLength(value: number, metresPerUnit: number | undefined): string {
  const { name, perUnit } = unitFor(value, metresPerUnit);
  return `${formatNumber(value * perUnit)} ${name}`;
}

export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  let unit = 0;
  let value = bytes;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${formatNumber(value)} ${units[unit]}`;
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
