// SPDX-License-Identifier: MIT
import { type Rgb, rgbFromHex } from './color.ts';

/**
 * ember: pale to dark red, lightness falls steadily, so that small errors leave the shape visible;
 * marine: dark blue over green to yellow, lightness rises steadily; spectrum: blue, green, yellow, red.
 */
export type ColorMapName = 'ember' | 'marine' | 'spectrum';

const list = (text: string): Rgb[] => text.split(' ').map(rgbFromHex);

/** Control points at equal steps, chosen in OKLab (equal steps of lightness for ember and marine). */
export const COLOR_MAPS: Record<ColorMapName, readonly Rgb[]> = {
  ember: list('dbebf3 e1e8d2 e8e5af f3cd7e fcb442 fc942a f87103 e8511b d72824 b61833 95033a 720d3b 510d3a'),
  marine: list('241a54 262f67 26437a 225888 186e97 078596 079a94 36ac8c 57bc80 85c96f add658 d2e053 f6ea4d'),
  spectrum: list(
    '383da2 325dbb 1d7cd5 1c9cd4 24bcd1 49ccaf 66da85 a4e06a d5e43f e9c933 f9ad26 f68614 f05c04 d7411a be2323 9b1e25 791824',
  ),
};

/** Colour of values that are not numbers, on every map. */
export const NOT_A_NUMBER_COLOR: Rgb = [0.55, 0.55, 0.6];

/** Writes the colour at ratio (clamped to 0..1; grey when it is not a number) into out[offset..offset + 2]. */
export function sampleColorMapInto(
  map: ColorMapName,
  ratio: number,
  out: Float32Array | Float64Array | number[],
  offset = 0,
): void {
  const stops = COLOR_MAPS[map];
  let low = NOT_A_NUMBER_COLOR;
  let high = NOT_A_NUMBER_COLOR;
  let t = 0;
  if (!Number.isNaN(ratio)) {
    const position = Math.min(1, Math.max(0, ratio)) * (stops.length - 1);
    const n = Math.min(stops.length - 2, Math.floor(position));
    t = position - n;
    low = stops[n];
    high = stops[n + 1];
  }
  for (let c = 0; c < 3; c++) out[offset + c] = low[c] + (high[c] - low[c]) * t;
}

/** The colour at ratio, as sampleColorMapInto. */
export function sampleColorMap(map: ColorMapName, ratio: number): Rgb {
  const out: [number, number, number] = [0, 0, 0];
  sampleColorMapInto(map, ratio, out);
  return out;
}
