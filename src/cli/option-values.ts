// SPDX-License-Identifier: MIT
// Readers of option values for commander. A wrong value is a usage error before any file is opened.
import { InvalidArgumentError } from 'commander';
import type { UpAxis } from '../model/asset.ts';
import { UsageError } from './exit-status.ts';
import { METRES } from './parse-length.ts';

/** Turns a parser's usage error into commander's, which names the option. */
export function readValue<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof UsageError) throw new InvalidArgumentError(`${error.message}.`);
      throw error;
    }
  };
}

/** A whole number in a range. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      const upper = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`;
      throw new InvalidArgumentError(`Give a whole number, ${upper}.`);
    }
    return value;
  };
}

/** A finite number above zero. */
export function positiveNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('Give a number above zero.');
  return value;
}

/** A finite number, zero or above. */
export function notNegative(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= 0 && Number.isFinite(value))) throw new InvalidArgumentError('Give a number, zero or above.');
  return value;
}

/** A number from zero to below one. */
export function belowOne(text: string): number {
  const value = notNegative(text);
  if (value >= 1) throw new InvalidArgumentError('Give a number below one.');
  return value;
}

/** Metres per file unit: a unit's name, or a number. */
export function unitInMetres(text: string): number {
  const known = METRES[text.trim().toLowerCase()];
  if (known !== undefined) return known;
  const value = Number(text);
  if (text.trim() === '' || !(value > 0 && Number.isFinite(value))) {
    throw new InvalidArgumentError(`Give ${Object.keys(METRES).join(', ')}, or the metres in one file unit.`);
  }
  return value;
}

export function upAxis(text: string): UpAxis {
  const axis = text.trim().toLowerCase();
  if (axis !== 'x' && axis !== 'y' && axis !== 'z') throw new InvalidArgumentError('Give x, y or z.');
  return axis;
}

/** Width and height in pixels: 640x480. */
export function pictureSize(text: string): { width: number; height: number } {
  const match = /^(\d{1,5})x(\d{1,5})$/i.exec(text.trim());
  const [width, height] = match ? [Number(match[1]), Number(match[2])] : [0, 0];
  if (!(width >= 16 && height >= 16 && width <= 8192 && height <= 8192 && width * height <= 2 ** 24)) {
    throw new InvalidArgumentError(
      'Give WIDTHxHEIGHT in pixels, from 16 to 8192 each and no more than 4096x4096 in all, such as 640x480.',
    );
  }
  return { width, height };
}
