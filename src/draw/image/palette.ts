// SPDX-License-Identifier: MIT
import { type Rgb, rgbFromHex } from './color.ts';

// Eight colours picked by hand, then always the one farthest from those before it in OKLab (lightness 0.42 to 0.90):
// any two of the 40 are at least 0.10 apart, so that bones, clusters and parts stay distinguishable.
const COLORS =
  '3986e4 ef852e 3fac4a e23439 8e57d8 e9c944 42c3c9 f072b3 544e25 280adc ' +
  '870168 2dfe46 ecd3fc 927a77 86f8cf 165695 cc0e9e aaa1f6 a20a01 1c7b24 ' +
  'e747f6 c7b3a6 6f00c2 0b7d87 29d885 71516e 3f55f7 b8a704 88851c cdf118 ' +
  'a05b11 b0416b 89a580 f1dbb1 b16dac 8ed5fd f2a3de b410da 95369f cd8486';

/** 40 colours for things that are told apart by colour. */
export const PALETTE: readonly Rgb[] = COLORS.split(' ').map(rgbFromHex);

const NO_COLOR: Rgb = [0.6, 0.6, 0.6];

/** Colour of thing number index; past 40 the palette repeats, each round darker. Grey for what is no index. */
export function paletteColor(index: number): Rgb {
  if (!(Number.isInteger(index) && index >= 0)) return NO_COLOR;
  const color = PALETTE[index % PALETTE.length];
  const cycle = Math.min(3, Math.floor(index / PALETTE.length));
  if (cycle === 0) return color;
  const shade = 1 - 0.22 * cycle;
  return [color[0] * shade, color[1] * shade, color[2] * shade];
}
