// SPDX-License-Identifier: MIT
import type { SurfaceMap } from '../../core/model/surface-look.ts';

/** A decoded picture: red, green, blue, opacity of each pixel, rows from the top. */
export interface TextureImage {
  width: number;
  height: number;
  /** height x width x 4, 0 to 255 */
  pixels: Uint8ClampedArray;
}

/** A picture at full size, at half of it, at a quarter … */
export type TextureLevels = readonly TextureImage[];

/** How a material looks in a picture. */
export interface SceneLook {
  /** Red, green, blue in linear light: a factor on the texture. */
  color: readonly [number, number, number];
  texture?: {
    levels: TextureLevels;
    map: Pick<SurfaceMap, 'wrap' | 'isNearest' | 'offset' | 'rotation' | 'scale'>;
    /** vertexCount x 2, v from the top */
    uvs: ArrayLike<number>;
  };
}

/** The materials of a scene. */
export interface SceneLooks {
  looks: readonly SceneLook[];
  /** triangleCount: index into looks; -1 for none */
  lookOfTriangle: ArrayLike<number>;
}

/** Largest picture that is decoded. */
export const MAX_TEXTURE_PIXELS = 2 ** 24;
