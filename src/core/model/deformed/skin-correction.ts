// SPDX-License-Identifier: MIT
import { InputError } from '../errors.ts';

/**
 * How normals are transformed by the 3x3 part F of the blended matrix, Eq. 13 of James & Twigg 2005: by its inverse transpose, which is exact for
 * surfaces, or by F itself, as in three.js and many other players.
 */
export type NormalRule = 'inverse-transpose' | 'blend';

/** All normal rules, for checks and help texts. */
export const NORMAL_RULES = ['inverse-transpose', 'blend'] as const;

/** Coefficients over time, with linear interpolation between frames. */
export interface CorrectionTrack {
  /** Name of its motion or animation. */
  name: string;
  /** frameCount, seconds, ascending */
  times: Float64Array;
  /** frameCount x rank */
  values: Float32Array;
  /** frameCount x normalRank */
  normalValues: Float32Array;
}

/** Corrections of normals. They have a basis of their own, with coefficients of their own or those of the displacements. */
export interface NormalCorrection {
  /** How corrected normals are transformed. */
  rule: NormalRule;
  /** rank x vertexCount x 3: differences of rest normals */
  basis: Float32Array;
}

/**
 * Displacements of the rest shape before skinning: ũ + Σᵣ basisᵣ valueᵣ(t). Components are sorted by descending error reduction, so that the first
 * few are a correction too (truncateSkinCorrection). The coefficients of a component are in [-1, 1] over all tracks.
 */
export interface SkinCorrection {
  /** Number of displacement components. */
  rank: number;
  /** rank x vertexCount x 3, file units, rest space of the mesh */
  basis: Float32Array;
  /** Number of coefficients of normals; 0 if they use those of the displacements or are not corrected. */
  normalRank: number;
  /** Corrections of normals. */
  normals?: NormalCorrection;
  /** One per motion of the model or animation of the file, in order. */
  tracks: CorrectionTrack[];
}

/** Number of coefficients of a pose: those of the displacements, then those of the normals. */
export function coefficientCountOf(correction: SkinCorrection): number {
  return correction.rank + correction.normalRank;
}

/** Throws an InputError unless the parts match and all numbers are finite. */
export function checkSkinCorrection(correction: SkinCorrection, vertexCount: number): void {
  const { rank, basis, normals, normalRank, tracks } = correction;
  if (basis.length !== 3 * rank * vertexCount)
    throw new InputError(
      'skin correction',
      `the basis has ${basis.length} numbers for rank ${rank} and ${vertexCount} vertices`,
    );
  if (!basis.every(Number.isFinite))
    throw new InputError('skin correction', 'the basis holds a number that is not finite');
  if (normals) {
    if (!NORMAL_RULES.includes(normals.rule))
      throw new InputError(
        'skin correction',
        `the rule for normals must be ${NORMAL_RULES.join(' or ')}, got "${normals.rule}"`,
      );
    if (normals.basis.length !== 3 * (normalRank || rank) * vertexCount || !normals.basis.every(Number.isFinite))
      throw new InputError('skin correction', 'the basis of normals does not fit the mesh, or is not finite');
  } else if (normalRank > 0)
    throw new InputError('skin correction', 'there are coefficients of normals, and no basis for them');
  for (const { name, times, values, normalValues } of tracks) {
    if (values.length !== times.length * rank || normalValues.length !== times.length * normalRank)
      throw new InputError(
        'skin correction',
        `the track "${name}" does not have ${rank + normalRank} numbers per frame`,
      );
    if (!values.every(Number.isFinite) || !normalValues.every(Number.isFinite))
      throw new InputError('skin correction', `the track "${name}" holds a number that is not finite`);
  }
}

/**
 * Keeps only the first components: a cheaper correction. Arrays of the basis are views; coefficients are copied.
 * @example
 * ```ts
 * import { correctModel, truncateSkinCorrection } from 'ossify';
 *
 * const { correction } = await correctModel(clip, model, { rank: 20 });
 * const cheaper = truncateSkinCorrection(correction, 5);
 * ```
 */
export function truncateSkinCorrection(correction: SkinCorrection, rank: number): SkinCorrection {
  if (!(Number.isInteger(rank) && rank >= 0))
    throw new InputError('skin correction', `rank must be a whole number, got ${rank}`);
  if (rank >= correction.rank && rank >= correction.normalRank) return correction;
  const kept = Math.min(rank, correction.rank);
  const normalKept = Math.min(rank, correction.normalRank);
  const stride = correction.rank > 0 ? correction.basis.length / correction.rank : 0;
  const { normals } = correction;
  return {
    rank: kept,
    basis: correction.basis.subarray(0, kept * stride),
    normalRank: normalKept,
    ...(normals && rank > 0
      ? { normals: { ...normals, basis: normals.basis.subarray(0, (normalKept || kept) * stride) } }
      : {}),
    tracks: correction.tracks.map((track) => ({
      ...track,
      values: cut(track.values, correction.rank, kept),
      normalValues: cut(track.normalValues, correction.normalRank, normalKept),
    })),
  };
}

function cut(values: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return values;
  const frameCount = from > 0 ? values.length / from : 0;
  const out = new Float32Array(frameCount * to);
  for (let k = 0; k < frameCount; k++) for (let r = 0; r < to; r++) out[k * to + r] = values[k * from + r];
  return out;
}
