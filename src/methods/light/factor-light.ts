// SPDX-License-Identifier: MIT

import { HARMONIC_COUNT } from '../../core/math/spherical-harmonics.ts';
import { type LightKind, type SkinLight, TERM_SIZE } from '../../core/model/deformed/skin-light.ts';
import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { lightTermsInto, unshadowedTransferInto } from '../../deformers/light/index.ts';
import { type LowRank, squareOf } from './low-rank.ts';
import { nonnegativeFactors } from './nonnegative-factors.ts';
import { type RelativeLight, relativeFactors } from './relative-factors.ts';
import type { TracedLight } from './trace-light.ts';
import { truncatedSvd } from './truncated-svd.ts';

/**
 * Factors a traced light, relative to what unshadowed surfaces with its normals receive, if that is given. Errors are relative to the whole light in any case:
 * ‖A − L‖ / ‖A‖ for the light L of the factors.
 */
export async function factorLight(
  kind: LightKind,
  traced: TracedLight,
  { terms, unshadowed }: Pick<SkinLight, 'terms' | 'unshadowed'>,
  rank: number,
  monitor: SolveMonitor,
): Promise<LowRank> {
  const { values, frameCount, vertexCount, channels } = traced;
  if (terms) return relativeFactors(makeQuadratic(traced, terms), rank, monitor);
  const size = vertexCount * channels;
  if (kind !== 'transfer') return nonnegativeFactors({ values, frameCount, size }, rank, monitor);
  if (!unshadowed) return truncatedSvd({ values, frameCount, size }, rank, monitor);
  const residual = subtractUnshadowed(traced, unshadowed);
  const whole = squareOf(values);
  const ratio = whole > 0 ? Math.sqrt(squareOf(residual) / whole) : 0;
  const found = await truncatedSvd({ values: residual, frameCount, size }, rank, monitor);
  return { ...found, errors: found.errors.map((error) => ratio * error) };
}

/** Transfer vectors less those of unshadowed surfaces. */
function subtractUnshadowed({ values, normals }: TracedLight, unshadowed: Float32Array): Float32Array {
  const out = new Float32Array(values.length);
  const [open, harmonics] = [new Float64Array(HARMONIC_COUNT), new Float64Array(HARMONIC_COUNT)];
  const normal = [0, 0, 0];
  for (let o = 0; HARMONIC_COUNT * o < values.length; o++) {
    for (let a = 0; a < 3; a++) normal[a] = normals[3 * o + a];
    unshadowedTransferInto(unshadowed, normal, open, harmonics);
    for (let c = HARMONIC_COUNT * o, h = 0; h < HARMONIC_COUNT; h++, c++) out[c] = values[c] - open[h];
  }
  return out;
}

/** The squared error of light as a quadratic of the factors on its terms, per frame and vertex. */
function makeQuadratic(traced: TracedLight, terms: Float32Array): RelativeLight {
  const { values, normals, frameCount, vertexCount, channels } = traced;
  const count = frameCount * vertexCount;
  const termCount = terms.length / TERM_SIZE;
  const pairs =
    termCount === 1
      ? [[0, 0]]
      : [
          [0, 0],
          [0, 1],
          [1, 1],
        ];
  const squares = pairs.map(() => new Float32Array(count));
  const products = Array.from({ length: termCount }, () => new Float64Array(count));
  const [colors, harmonics] = [new Float64Array(3 * termCount), new Float64Array(HARMONIC_COUNT)];
  const normal = [0, 0, 0];
  for (let o = 0; o < count; o++) {
    for (let a = 0; a < 3; a++) normal[a] = normals[3 * o + a];
    lightTermsInto(terms, normal, colors, harmonics);
    for (let c = 0; c < channels; c++) {
      for (const [n, [s, t]] of pairs.entries()) squares[n][o] += colors[3 * s + c] * colors[3 * t + c];
      for (let t = 0; t < termCount; t++) products[t][o] += colors[3 * t + c] * values[o * channels + c];
    }
  }
  return { frameCount, vertexCount, squares, products, whole: squareOf(values) };
}
