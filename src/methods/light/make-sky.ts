// SPDX-License-Identifier: MIT
import { cosineOf, sineOf } from '../../core/math/sine.ts';
import type { UpAxis } from '../../core/model/asset.ts';

/** Direction to the sun in degrees: azimuth from the front (+z of a model whose up axis is y) to the left (+x), elevation above the horizon. */
export interface SunDirection {
  /** Degrees from the front to the left. */
  azimuth: number;
  /** Degrees above the horizon. */
  elevation: number;
}

/** A sky: light from every direction, and a sun. Light of one gives a white surface that faces it the colour one. */
export interface Sky {
  /** Unit vector that points up. */
  up: readonly number[];
  /** Light from a direction, without the sun: red green blue, linear. */
  radianceInto(x: number, y: number, z: number, out: Float64Array): void;
  /** The sun, if there is one: unit vector to it, and the colour of a white surface that faces it. */
  sun?: { direction: readonly number[]; color: readonly number[] };
}

// A clear sky in the afternoon, scaled so that the brightest white surface is about one.
const ZENITH = [0.22, 0.32, 0.5] as const;
const HORIZON = [0.4, 0.44, 0.48] as const;
const NADIR = [0.12, 0.11, 0.1] as const;
const SUN = [0.72, 0.65, 0.54] as const;

/** Right, front and up of a model, by up axis. */
const FRAMES: Readonly<Record<UpAxis, readonly (readonly number[])[]>> = {
  x: [
    [0, -1, 0],
    [0, 0, 1],
    [1, 0, 0],
  ],
  y: [
    [1, 0, 0],
    [0, 0, 1],
    [0, 1, 0],
  ],
  z: [
    [1, 0, 0],
    [0, -1, 0],
    [0, 0, 1],
  ],
};

/** Makes a sky with a gradient from the horizon to the zenith. */
export function makeSky(upAxis: UpAxis, sun?: SunDirection): Sky {
  const [right, front, up] = FRAMES[upAxis];
  const radianceInto: Sky['radianceInto'] = (x, y, z, out) => {
    const height = x * up[0] + y * up[1] + z * up[2];
    const end = height >= 0 ? ZENITH : NADIR;
    for (let c = 0; c < 3; c++) out[c] = HORIZON[c] + Math.abs(height) * (end[c] - HORIZON[c]);
  };
  if (!sun) return { up, radianceInto };
  const [turn, rise] = [(sun.azimuth * Math.PI) / 180, (sun.elevation * Math.PI) / 180];
  const flat = cosineOf(rise);
  const parts = [flat * sineOf(turn), flat * cosineOf(turn), sineOf(rise)];
  const direction = [0, 1, 2].map((a) => parts[0] * right[a] + parts[1] * front[a] + parts[2] * up[a]);
  return { up, radianceInto, sun: { direction, color: SUN } };
}
