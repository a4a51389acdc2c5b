// SPDX-License-Identifier: MIT
import { HARMONIC_COUNT } from '../../core/math/spherical-harmonics.ts';
import { lightColorsOf, lightWidthOf, needsNormals, type SkinLight } from '../../core/model/deformed/skin-light.ts';
import { InputError } from '../../core/model/errors.ts';
import { lightTermsInto } from './light-terms-into.ts';
import { unshadowedTransferInto } from './unshadowed-transfer-into.ts';

/** Options of lightInto. */
export interface LightIntoOptions {
  /** vertexCount x 3: unit normals of the pose, for light that depends on them */
  normals?: Float32Array;
  /** 9 x 3: other light for transfer vectors than that of the file */
  environment?: Float32Array;
}

/**
 * Fills the colours of lit vertices: vertex colours times the light of the coefficients. Colours are linear, not negative, and may exceed one.
 * @param coefficients rank numbers, from sampleLightInto
 * @param out vertexCount x 3
 * @example
 * ```ts
 * import { lightInto, makeAssetDeformer, sampleAnimation } from 'ossify/deform';
 *
 * const { light, animations } = asset;
 * const [posed, normals, colors] = [1, 2, 3].map(() => new Float32Array(asset.mesh.positions.length));
 * const { motion } = sampleAnimation(asset, animations[0], [0]);
 * makeAssetDeformer(asset).deformInto({ bones: motion.matrices }, posed, normals);
 * if (light) lightInto(light, light.tracks[0].values.subarray(0, light.rank), colors, { normals }); // the first frame
 * ```
 */
export function lightInto(
  light: SkinLight,
  coefficients: ArrayLike<number>,
  out: Float32Array,
  { normals, environment }: LightIntoOptions = {},
): void {
  const { kind, rank, basis, terms, unshadowed, colors } = light;
  const width = lightWidthOf(light);
  const vertexCount = out.length / 3;
  if (coefficients.length !== rank || basis.length !== rank * vertexCount * width)
    throw new InputError(
      'light',
      `${coefficients.length} coefficients and ${vertexCount} colours do not fit rank ${rank}`,
    );
  if (needsNormals(light) && normals?.length !== out.length)
    throw new InputError('light', 'it depends on the normals of the pose; pass three numbers per vertex as normals');
  const tints = Float64Array.from(
    terms ? new Float64Array(3 * width) : lightColorsOf(environment ? { kind, environment } : light),
  );
  const [open, normal, harmonics] = [new Float64Array(width), [0, 0, 0], new Float64Array(HARMONIC_COUNT)];
  for (let i = 0; i < vertexCount; i++) {
    for (let a = 0; normals && a < 3; a++) normal[a] = normals[3 * i + a];
    if (terms) lightTermsInto(terms, normal, tints, harmonics);
    if (unshadowed) unshadowedTransferInto(unshadowed, normal, open, harmonics);
    let [red, green, blue] = [0, 0, 0];
    for (let c = 0; c < width; c++) {
      let sum = open[c];
      for (let r = 0; r < rank; r++) sum += coefficients[r] * basis[(r * vertexCount + i) * width + c];
      red += sum * tints[3 * c];
      green += sum * tints[3 * c + 1];
      blue += sum * tints[3 * c + 2];
    }
    out[3 * i] = Math.max(0, red) * (colors ? colors[3 * i] : 1);
    out[3 * i + 1] = Math.max(0, green) * (colors ? colors[3 * i + 1] : 1);
    out[3 * i + 2] = Math.max(0, blue) * (colors ? colors[3 * i + 2] : 1);
  }
}
