// SPDX-License-Identifier: MIT
import { sampleLightInto } from '../deform/sample-light.ts';
import { InputError } from '../model/errors.ts';
import type { SkinLight } from '../model/skin-light.ts';
import type { LitMotion, TracedLight } from './trace-light.ts';

/**
 * Measures a light against the traced one at its frames: ‖A − BC‖ / ‖A‖ in the Frobenius norm over frames, vertices and channels.
 * @param motions the frames that were traced, one per track of the light
 */
export function measureLight(
  { values, vertexCount, channels }: TracedLight,
  light: SkinLight,
  motions: readonly Pick<LitMotion, 'times'>[],
): number {
  const { rank, basis, tracks } = light;
  const size = vertexCount * channels;
  if (basis.length !== rank * size) throw new InputError('light', 'it does not fit the traced vertices');
  const coefficients = new Float32Array(rank);
  const sums = new Float64Array(size);
  let [error, whole, frame] = [0, 0, 0];
  for (const [n, { times }] of motions.entries())
    for (const time of times) {
      sampleLightInto(light, tracks[n], time, coefficients);
      sums.fill(0);
      for (let r = 0; r < rank; r++)
        for (let i = 0, o = r * size; i < size; i++, o++) sums[i] += coefficients[r] * basis[o];
      for (let i = 0, o = frame++ * size; i < size; i++, o++) {
        error += (values[o] - sums[i]) ** 2;
        whole += values[o] ** 2;
      }
    }
  return whole > 0 ? Math.sqrt(error / whole) : 0;
}
