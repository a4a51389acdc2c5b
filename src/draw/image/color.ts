// SPDX-License-Identifier: MIT
// Colours are red, green, blue from 0 to 1 as shown on a screen. Light is computed on their squares: a display curve
// of exponent 2 is close to sRGB's and needs only multiplication and square root, which are exact on every machine.
import { InputError } from '../../core/model/errors.ts';

/** Red, green, blue, 0 to 1, as shown. */
export type Rgb = readonly [number, number, number];

/** '#rrggbb' or 'rrggbb' to numbers. */
export function rgbFromHex(hex: string): Rgb {
  const match = /^#?([0-9a-f]{6})$/i.exec(hex);
  if (!match) throw new InputError('color', `expected six hexadecimal digits such as #3986e4, got "${hex}"`);
  const n = Number.parseInt(match[1], 16);
  return [(n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}

/** Name of a color theme. */
export type ThemeName = 'light' | 'dark';

/** The few colours that a picture is made of. */
export interface Theme {
  background: Rgb;
  /** Text, axes. */
  ink: Rgb;
  /** Captions, ticks. */
  muted: Rgb;
  /** A mesh without colours. */
  clay: Rgb;
  /** How much a shadow on the ground darkens, 0 to 1. */
  shadow: number;
}

export const THEMES: Record<ThemeName, Theme> = {
  light: {
    background: rgbFromHex('f3f3f1'),
    ink: rgbFromHex('22262b'),
    muted: rgbFromHex('6b7078'),
    clay: rgbFromHex('cfc4b8'),
    shadow: 0.62,
  },
  dark: {
    background: rgbFromHex('1c1f24'),
    ink: rgbFromHex('e9ebee'),
    muted: rgbFromHex('9aa1ab'),
    clay: rgbFromHex('c9bfb4'),
    shadow: 0.85,
  },
};
