// SPDX-License-Identifier: MIT
import { InputError } from '../errors.ts';

/**
 * What the numbers of a light are: the unblocked part of the sky (occlusion), the response to light in nine spherical harmonics (transfer), or the light of a
 * fixed sky and sun (prelit).
 */
export type LightKind = 'occlusion' | 'transfer' | 'prelit';

/** All kinds of light, for checks and help texts. */
export const LIGHT_KINDS = ['occlusion', 'transfer', 'prelit'] as const;

/** Numbers per vertex of the traced light, by kind. */
export const LIGHT_CHANNELS: Readonly<Record<LightKind, number>> = { occlusion: 1, transfer: 9, prelit: 3 };

/** Numbers of a term: 9 x 3 spherical harmonics, a direction and the colour of light from it. */
export const TERM_SIZE = 33;
/** Numbers of the light that transfer vectors have without occlusion: 9 x 9. */
export const UNSHADOWED_SIZE = 81;
/** Maximum number of terms: one for the sky, one for the sun, and room for others. */
export const MAX_TERMS = 4;

/** Coefficients over time, with linear interpolation between frames. */
export interface LightTrack {
  /** Name of its animation. */
  name: string;
  /** frameCount, seconds, ascending */
  times: Float64Array;
  /** frameCount x rank */
  values: Float32Array;
}

/**
 * Light on the vertices of an animated mesh, a factor on the vertex colours. Its numbers are l = Σᵣ basisᵣ valueᵣ(t). Coefficients of a component are in [-1, 1]
 * over all tracks. Basis and coefficients are not negative for occlusion and prelit light.
 *
 * Light may be relative to what an unshadowed surface with the posed normal n receives, so that components need not describe how the surface turns. With
 * `terms`, occlusion and prelit light are Σ lₜ termₜ(n): a number per term instead of one per channel. With `unshadowed`, transfer vectors are
 * unshadowed(n) + l.
 */
export interface SkinLight {
  /** What the numbers are. */
  kind: LightKind;
  /** Number of components. */
  rank: number;
  /** rank x vertexCount x lightWidthOf(light) */
  basis: Float32Array;
  /**
   * termCount x 33: red green blue of an unshadowed surface per spherical harmonic of its normal (9 x 3), which are not below zero together; a unit vector, and
   * the colour of light from there (3 + 3), times the cosine. Absent: light does not depend on normals.
   */
  terms?: Float32Array;
  /** 9 x 9, for transfer: an unshadowed transfer vector, each number by the spherical harmonics of the normal. Absent: light does not depend on normals. */
  unshadowed?: Float32Array;
  /** 9 x 3: the light that transfer vectors are multiplied by, red green blue per harmonic; absent for other kinds */
  environment?: Float32Array;
  /** vertexCount x 3: the mean colours of white vertices over all frames, which writers store for other viewers; required there if light depends on normals */
  mean?: Float32Array;
  /** vertexCount x 3, linear: vertex colours without light; white if absent */
  colors?: Float32Array;
  /** One per animation of the file, in order. A track without keys has the mean light. */
  tracks: LightTrack[];
}

/** Throws an InputError unless the parts match and all numbers are finite. */
export function checkSkinLight(light: SkinLight, vertexCount: number): void {
  const fail = (fault: string): never => {
    throw new InputError('skin light', fault);
  };
  const { kind, rank, basis, terms, unshadowed, environment, mean, colors, tracks } = light;
  if (!LIGHT_KINDS.includes(kind)) fail(`the kind must be ${LIGHT_KINDS.join(', ')}, got "${kind}"`);
  if (!(Number.isInteger(rank) && rank >= 1)) fail(`the rank must be a whole number from 1 on, got ${rank}`);
  if (terms && (kind === 'transfer' || !isTermTable(terms)))
    fail(`the terms must be 1 to ${MAX_TERMS} times ${TERM_SIZE} finite numbers, and transfer vectors have none`);
  if (
    unshadowed &&
    (kind !== 'transfer' || unshadowed.length !== UNSHADOWED_SIZE || !unshadowed.every(Number.isFinite))
  )
    fail(`unshadowed transfer vectors must be ${UNSHADOWED_SIZE} finite numbers, and other kinds have none`);
  const width = lightWidthOf(light);
  if (basis.length !== rank * vertexCount * width)
    fail(`the basis has ${basis.length} numbers for rank ${rank}, ${vertexCount} vertices and ${width} channels`);
  if (!basis.every(Number.isFinite)) fail('the basis holds a number that is not finite');
  if ((kind === 'transfer') !== (environment !== undefined))
    fail('transfer vectors, and only those, need an environment');
  if (environment && (environment.length !== 27 || !environment.every(Number.isFinite)))
    fail('the environment must be 27 finite numbers');
  if (mean && (mean.length !== 3 * vertexCount || !mean.every(Number.isFinite)))
    fail('the mean colours must be three finite numbers per vertex');
  if (colors && (colors.length !== 3 * vertexCount || !colors.every(Number.isFinite)))
    fail('the vertex colours must be three finite numbers per vertex');
  for (const { name, times, values } of tracks) {
    if (values.length !== times.length * rank) fail(`the track "${name}" does not have ${rank} numbers per frame`);
    if (!values.every(Number.isFinite)) fail(`the track "${name}" holds a number that is not finite`);
  }
}

function isTermTable(terms: Float32Array): boolean {
  const count = terms.length / TERM_SIZE;
  return Number.isInteger(count) && count >= 1 && count <= MAX_TERMS && terms.every(Number.isFinite);
}

/** Numbers per vertex and component. */
export function lightWidthOf({ kind, terms }: Pick<SkinLight, 'kind' | 'terms'>): number {
  return terms ? terms.length / TERM_SIZE : LIGHT_CHANNELS[kind];
}

/** Whether the light of a vertex depends on its posed normal. */
export function needsNormals({ terms, unshadowed }: Pick<SkinLight, 'terms' | 'unshadowed'>): boolean {
  return terms !== undefined || unshadowed !== undefined;
}

/** rank: the mean of the coefficients over all keys of all tracks, for poses without an animation */
export function meanLightOf({ rank, tracks }: Pick<SkinLight, 'rank' | 'tracks'>): Float32Array {
  const sums = new Float64Array(rank);
  let count = 0;
  for (const { values } of tracks) {
    for (let c = 0; c < values.length; c++) sums[c % rank] += values[c];
    count += values.length / rank;
  }
  return Float32Array.from(sums, (sum) => (count > 0 ? sum / count : 0));
}

/** channels x 3: the colour of each channel of a light without terms */
export function lightColorsOf({ kind, environment }: Pick<SkinLight, 'kind' | 'environment'>): Float32Array {
  if (kind === 'transfer') {
    if (!environment) throw new InputError('skin light', 'transfer vectors need an environment');
    return environment;
  }
  return kind === 'occlusion' ? Float32Array.of(1, 1, 1) : Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
}
