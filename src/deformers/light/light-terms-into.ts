// SPDX-License-Identifier: MIT
import { HARMONIC_COUNT, harmonicsInto } from '../../core/math/spherical-harmonics.ts';
import { TERM_SIZE } from '../../core/model/deformed/skin-light.ts';

/**
 * Fills the colours that an unshadowed white surface with normal x y z receives from each term of a light.
 * @param terms termCount x 33, as SkinLight has them
 * @param out termCount x 3
 * @param harmonics 9 numbers, overwritten
 */
export function lightTermsInto(
  terms: Float32Array,
  [x, y, z]: readonly number[],
  out: Float64Array,
  harmonics: Float64Array,
): void {
  harmonicsInto(x, y, z, harmonics);
  for (let t = 0; t * TERM_SIZE < terms.length; t++) {
    const o = t * TERM_SIZE;
    const cosine = Math.max(0, x * terms[o + 27] + y * terms[o + 28] + z * terms[o + 29]);
    for (let c = 0; c < 3; c++) {
      let sum = 0;
      for (let h = 0; h < HARMONIC_COUNT; h++) sum += harmonics[h] * terms[o + 3 * h + c];
      out[3 * t + c] = Math.max(0, sum) + cosine * terms[o + 30 + c];
    }
  }
}
