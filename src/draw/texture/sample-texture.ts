// SPDX-License-Identifier: MIT
import type { SurfaceMap, SurfaceWrap } from '../../core/model/surface-look.ts';
import type { TextureImage } from './texture.ts';

/**
 * Reads the colour of an image at a UV into out: red, green, blue, opacity, 0 to 1, as shown. The UV is transformed as in KHR_texture_transform: scale, rotation,
 * offset. A UV that is not finite gives white.
 */
export function sampleTextureInto(
  image: TextureImage,
  map: Pick<SurfaceMap, 'wrap' | 'isNearest' | 'offset' | 'rotation' | 'scale'>,
  u: number,
  v: number,
  out: Float64Array,
): void {
  const { wrap, isNearest, offset, rotation, scale } = map;
  const cos = rotation === 0 ? 1 : Math.cos(rotation);
  const sin = rotation === 0 ? 0 : Math.sin(rotation);
  const su = u * scale[0];
  const sv = v * scale[1];
  const x = (cos * su + sin * sv + offset[0]) * image.width - 0.5;
  const y = (cos * sv - sin * su + offset[1]) * image.height - 0.5;
  if (!(Math.abs(x) < 2 ** 30 && Math.abs(y) < 2 ** 30)) {
    out.fill(1);
    return;
  }
  out.fill(0);
  const left = isNearest ? Math.round(x) : Math.floor(x);
  const top = isNearest ? Math.round(y) : Math.floor(y);
  const fx = isNearest ? 0 : x - left;
  const fy = isNearest ? 0 : y - top;
  for (let n = 0; n < (isNearest ? 1 : 4); n++) {
    const column = wrapped(left + (n & 1), image.width, wrap[0]);
    const row = wrapped(top + (n >> 1), image.height, wrap[1]);
    const share = ((n & 1 ? fx : 1 - fx) * (n >> 1 ? fy : 1 - fy)) / 255;
    const at = 4 * (row * image.width + column);
    for (let c = 0; c < 4; c++) out[c] += share * image.pixels[at + c];
  }
}

/** The pixel that stands for one outside of the picture. */
function wrapped(index: number, count: number, wrap: SurfaceWrap): number {
  if (index >= 0 && index < count) return index;
  if (wrap === 'clamp') return index < 0 ? 0 : count - 1;
  const turn = Math.floor(index / count);
  const within = index - turn * count;
  return wrap === 'mirror' && turn % 2 !== 0 ? count - 1 - within : within;
}
