// SPDX-License-Identifier: MIT
import { type LightTrack, meanLightOf, type SkinLight } from '../../core/model/deformed/skin-light.ts';
import { sampleCorrectionInto } from '../corrections/index.ts';

const NONE = new Float32Array(0);

/**
 * Coefficients of a light at a time of a track, linear between frames and clamped outside them. Without a track, or with one that has no keys: the mean.
 * @param out rank numbers from outOffset on
 * @example
 * ```ts
 * import { lightInto, sampleLightInto } from 'ossify/deform';
 *
 * const { light } = asset;
 * if (!light) throw new Error('the file has no light');
 * const coefficients = new Float32Array(light.rank);
 * sampleLightInto(light, light.tracks[0], 0.5, coefficients);
 * const colors = new Float32Array(asset.mesh.positions.length);
 * const normals = new Float32Array(colors.length); // those of the pose, from a deformer
 * lightInto(light, coefficients, colors, { normals });
 * ```
 */
export function sampleLightInto(
  light: SkinLight,
  track: LightTrack | undefined,
  time: number,
  out: Float32Array,
  outOffset = 0,
): void {
  if (!track || track.times.length === 0) out.set(meanLightOf(light), outOffset);
  else sampleCorrectionInto({ ...track, normalValues: NONE }, time, out, outOffset);
}
