// SPDX-License-Identifier: MIT
import { Color, DataTexture, LinearFilter, SRGBColorSpace } from 'three';

/** Colours behind the model. */
export interface BackdropColors {
  top: string;
  horizon: string;
  bottom: string;
}

const ROWS = 64;
/** Height of the horizon, as a ratio of the view. */
const HORIZON = 0.55;

/** The background: a gradient that is lightest at the horizon, so that the ground has depth and dark shapes have a contour. */
export function makeBackdrop({ top, horizon, bottom }: BackdropColors): DataTexture {
  const [low, middle, high] = [bottom, horizon, top].map((one) => {
    const hex = new Color(one).getHex(SRGBColorSpace);
    return [hex >> 16, (hex >> 8) & 255, hex & 255];
  });
  const data = new Uint8Array(4 * ROWS);
  for (let y = 0; y < ROWS; y++) {
    const height = y / (ROWS - 1);
    const isAbove = height > HORIZON;
    const linear = isAbove ? (height - HORIZON) / (1 - HORIZON) : 1 - height / HORIZON;
    const ratio = linear * linear * (3 - 2 * linear);
    const end = isAbove ? high : low;
    for (let c = 0; c < 3; c++) data[4 * y + c] = Math.round(middle[c] + ratio * (end[c] - middle[c]));
    data[4 * y + 3] = 255;
  }
  const texture = new DataTexture(data, 1, ROWS);
  texture.colorSpace = SRGBColorSpace;
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}
