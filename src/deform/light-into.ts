// SPDX-License-Identifier: MIT
import { InputError } from '../model/errors.ts';
import { LIGHT_CHANNELS, lightColorsOf, type SkinLight } from '../model/skin-light.ts';

/**
 * Fills the colours of lit vertices: vertex colours times the light of the coefficients. Colours are linear, not negative, and may exceed one.
 * @param coefficients rank numbers, from sampleLightInto
 * @param out vertexCount x 3
 * @param environment 9 x 3: other light for transfer vectors than that of the file
 * @example
 * ```ts
 * import { lightInto } from 'ossify/deform';
 *
 * const { light } = asset;
 * const colors = new Float32Array(asset.mesh.positions.length);
 * if (light) lightInto(light, light.tracks[0].values.subarray(0, light.rank), colors); // the first frame
 * ```
 */
export function lightInto(
  light: SkinLight,
  coefficients: ArrayLike<number>,
  out: Float32Array,
  environment?: Float32Array,
): void {
  const { kind, rank, basis, colors } = light;
  const channels = LIGHT_CHANNELS[kind];
  const vertexCount = out.length / 3;
  if (coefficients.length !== rank || basis.length !== rank * vertexCount * channels)
    throw new InputError(
      'light',
      `${coefficients.length} coefficients and ${vertexCount} colours do not fit rank ${rank}`,
    );
  const tints = lightColorsOf(environment ? { kind, environment } : light);
  for (let i = 0; i < vertexCount; i++) {
    let [red, green, blue] = [0, 0, 0];
    for (let c = 0; c < channels; c++) {
      let sum = 0;
      for (let r = 0; r < rank; r++) sum += coefficients[r] * basis[(r * vertexCount + i) * channels + c];
      red += sum * tints[3 * c];
      green += sum * tints[3 * c + 1];
      blue += sum * tints[3 * c + 2];
    }
    out[3 * i] = Math.max(0, red) * (colors ? colors[3 * i] : 1);
    out[3 * i + 1] = Math.max(0, green) * (colors ? colors[3 * i + 1] : 1);
    out[3 * i + 2] = Math.max(0, blue) * (colors ? colors[3 * i + 2] : 1);
  }
}
