// SPDX-License-Identifier: MIT

import { HARMONIC_COUNT } from '../../core/math/spherical-harmonics.ts';
import { lightWidthOf, type SkinLight } from '../../core/model/deformed/skin-light.ts';
import { InputError } from '../../core/model/errors.ts';
import { lightTermsInto, sampleLightInto, unshadowedTransferInto } from '../../deformers/light/index.ts';
import type { LitMotion, TracedLight } from './trace-light.ts';

/**
 * Measures a light against the traced one at its frames: ‖A − L‖ / ‖A‖ in the Frobenius norm over frames, vertices and channels.
 * @param motions the frames that were traced, one per track of the light, with the normals that a player computes
 */
export function measureLight(
  { values, vertexCount, channels }: TracedLight,
  light: SkinLight,
  motions: readonly LitMotion[],
): number {
  const { rank, basis, terms, unshadowed, tracks } = light;
  const width = lightWidthOf(light);
  const size = vertexCount * width;
  if (basis.length !== rank * size) throw new InputError('light', 'it does not fit the traced vertices');
  const coefficients = new Float32Array(rank);
  const sums = new Float64Array(size);
  const [positions, normals] = [new Float32Array(3 * vertexCount), new Float32Array(3 * vertexCount)];
  const [normal, harmonics, open] = [[0, 0, 0], new Float64Array(HARMONIC_COUNT), new Float64Array(channels)];
  const colors = new Float64Array(3 * width);
  let [error, whole, o] = [0, 0, 0];
  for (const [n, { times, frameInto }] of motions.entries())
    for (const [k, time] of times.entries()) {
      sampleLightInto(light, tracks[n], time, coefficients);
      sums.fill(0);
      for (let r = 0; r < rank; r++)
        for (let i = 0, b = r * size; i < size; i++, b++) sums[i] += coefficients[r] * basis[b];
      if (terms || unshadowed) frameInto(k, positions, normals);
      for (let i = 0; i < vertexCount; i++) {
        for (let a = 0; a < 3; a++) normal[a] = normals[3 * i + a];
        if (terms) lightTermsInto(terms, normal, colors, harmonics);
        if (unshadowed) unshadowedTransferInto(unshadowed, normal, open, harmonics);
        for (let c = 0; c < channels; c++, o++) {
          let found = open[c];
          if (terms) for (let t = 0; t < width; t++) found += colors[3 * t + c] * sums[i * width + t];
          else found += sums[i * width + c];
          error += (values[o] - found) ** 2;
          whole += values[o] ** 2;
        }
      }
    }
  return whole > 0 ? Math.sqrt(error / whole) : 0;
}
