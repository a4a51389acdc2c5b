// SPDX-License-Identifier: MIT
// What a surface receives if nothing is in its way, as a function of its normal: the light of a sky convolved with the clamped cosine, whose spherical
// harmonics of degree 0 to 2 are π, 2π/3 and π/4 (R. Ramamoorthi and P. Hanrahan, "An efficient representation for irradiance environment maps", SIGGRAPH 2001,
// Eq. 8). The sun is a cosine of its own: three degrees would blur the edge of its shade.
import { HARMONIC_COUNT, harmonicsInto } from '../../core/math/spherical-harmonics.ts';
import { type LightKind, type SkinLight, TERM_SIZE } from '../../core/model/deformed/skin-light.ts';
import { type LightSampleOptions, makeLightSamples } from './make-light-samples.ts';

/** Directions of the integrals: their error is below that of three degrees. */
const RAYS = 2048;
const COSINE = [0, 1, 1, 1, 2, 2, 2, 2, 2].map((degree) => [Math.PI, (2 * Math.PI) / 3, Math.PI / 4][degree]);

/** Makes what the light of a kind is stored relative to: unshadowed transfer vectors, or terms of the sky and the sun. */
export function makeUnshadowedLight(
  kind: LightKind,
  options: Omit<LightSampleOptions, 'rays' | 'seed'>,
): Pick<SkinLight, 'terms' | 'unshadowed'> {
  const { directions, values, count, skyCount, channels } = makeLightSamples(kind, { ...options, rays: RAYS, seed: 0 });
  const harmonics = new Float64Array(HARMONIC_COUNT);
  const table = new Float64Array(channels * HARMONIC_COUNT);
  for (let s = 0; s < skyCount; s++) {
    harmonicsInto(directions[3 * s], directions[3 * s + 1], directions[3 * s + 2], harmonics);
    for (let c = 0; c < channels; c++)
      for (let h = 0; h < HARMONIC_COUNT; h++)
        table[c * HARMONIC_COUNT + h] += COSINE[h] * values[s * channels + c] * harmonics[h];
  }
  if (kind === 'transfer') return { unshadowed: Float32Array.from(table) };
  const sun = [0, 0, 0];
  for (let s = skyCount; s < count; s++) for (let c = 0; c < channels; c++) sun[c] += values[s * channels + c];
  const direction = sun.some((x) => x > 0) ? options.sky.sun?.direction : undefined;
  const terms = new Float32Array((direction ? 2 : 1) * TERM_SIZE);
  for (let h = 0; h < HARMONIC_COUNT; h++)
    for (let c = 0; c < 3; c++) terms[3 * h + c] = table[(c % channels) * HARMONIC_COUNT + h];
  if (direction) terms.set([...direction, ...sun], TERM_SIZE + 3 * HARMONIC_COUNT);
  return { terms };
}
