// SPDX-License-Identifier: MIT
// The transform of UVs: glTF measures v from the top, USD from the bottom.
//   glTF: uv' = offset + R(rotation) scale uv, with R counter-clockwise on a picture whose v goes down; USD: st' = translation + R(rotation) scale st, v up.
import type { SurfaceMap } from '../../core/model/surface-look.ts';

type UvTransform = Pick<SurfaceMap, 'offset' | 'rotation' | 'scale'>;

/** Inputs of UsdTransform2d. */
export interface UsdTransform2d {
  translation: readonly [number, number];
  /** Degrees. */
  rotation: number;
  scale: readonly [number, number];
}

const DEGREES = 180 / Math.PI;

/** Whether a map is laid on as it is. */
export function isPlainUv({ offset, rotation, scale }: UvTransform): boolean {
  return [...offset, rotation].every((x) => x === 0) && scale.every((x) => x === 1);
}

/** The transform of USD that does what one of glTF does. */
export function usdTransformOf({ offset, rotation, scale }: UvTransform): UsdTransform2d {
  // with u = s, v = 1 - t: the matrix ((c, s), (-s, c)) of glTF becomes ((c, -s), (s, c))
  const [c, s] = [Math.cos(rotation), Math.sin(rotation)];
  return {
    translation: [offset[0] + s * scale[1], 1 - offset[1] - c * scale[1]],
    rotation: rotation * DEGREES,
    scale,
  };
}

/** The transform of glTF that does what one of USD does. */
export function gltfTransformOf({ translation, rotation, scale }: UsdTransform2d): UvTransform {
  const radians = rotation / DEGREES;
  const [c, s] = [Math.cos(radians), Math.sin(radians)];
  return {
    offset: [translation[0] - s * scale[1], 1 - translation[1] - c * scale[1]],
    rotation: radians,
    scale,
  };
}
