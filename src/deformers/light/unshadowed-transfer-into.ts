// SPDX-License-Identifier: MIT
import { HARMONIC_COUNT, harmonicsInto } from '../../core/math/spherical-harmonics.ts';

/**
 * Fills the transfer vector of an unshadowed surface with normal x y z.
 * @param unshadowed 9 x 9, as SkinLight has it
 * @param out 9 numbers
 * @param harmonics 9 numbers, overwritten
 */
export function unshadowedTransferInto(
  unshadowed: Float32Array,
  [x, y, z]: readonly number[],
  out: Float64Array,
  harmonics: Float64Array,
): void {
  harmonicsInto(x, y, z, harmonics);
  for (let c = 0; c < HARMONIC_COUNT; c++) {
    let sum = 0;
    for (let h = 0; h < HARMONIC_COUNT; h++) sum += unshadowed[HARMONIC_COUNT * c + h] * harmonics[h];
    out[c] = sum;
  }
}
