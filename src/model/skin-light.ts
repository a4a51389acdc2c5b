// SPDX-License-Identifier: MIT
import { InputError } from './errors.ts';

/**
 * What the numbers of a light are: the unblocked part of the sky (occlusion), the response to light in nine spherical harmonics (transfer), or the light of a
 * fixed sky and sun (prelit).
 */
export type LightKind = 'occlusion' | 'transfer' | 'prelit';

/** All kinds of light, for checks and help texts. */
export const LIGHT_KINDS = ['occlusion', 'transfer', 'prelit'] as const;

/** Numbers per vertex, by kind. */
export const LIGHT_CHANNELS: Readonly<Record<LightKind, number>> = { occlusion: 1, transfer: 9, prelit: 3 };

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
 * Light on the vertices of an animated mesh: Σᵣ basisᵣ valueᵣ(t), a factor on the vertex colours. Coefficients of a component are in [-1, 1] over all tracks.
 * Basis and coefficients are not negative for occlusion and prelit light.
 */
export interface SkinLight {
  /** What the numbers are. */
  kind: LightKind;
  /** Number of components. */
  rank: number;
  /** rank x vertexCount x LIGHT_CHANNELS[kind] */
  basis: Float32Array;
  /** 9 x 3: the light that transfer vectors are multiplied by, red green blue per harmonic; absent for other kinds */
  environment?: Float32Array;
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
  const { kind, rank, basis, environment, colors, tracks } = light;
  if (!LIGHT_KINDS.includes(kind)) fail(`the kind must be ${LIGHT_KINDS.join(', ')}, got "${kind}"`);
  if (!(Number.isInteger(rank) && rank >= 1)) fail(`the rank must be a whole number from 1 on, got ${rank}`);
  const channels = LIGHT_CHANNELS[kind];
  if (basis.length !== rank * vertexCount * channels)
    fail(`the basis has ${basis.length} numbers for rank ${rank}, ${vertexCount} vertices and ${channels} channels`);
  if (!basis.every(Number.isFinite)) fail('the basis holds a number that is not finite');
  if ((kind === 'transfer') !== (environment !== undefined))
    fail('transfer vectors, and only those, need an environment');
  if (environment && (environment.length !== 27 || !environment.every(Number.isFinite)))
    fail('the environment must be 27 finite numbers');
  if (colors && (colors.length !== 3 * vertexCount || !colors.every(Number.isFinite)))
    fail('the vertex colours must be three finite numbers per vertex');
  for (const { name, times, values } of tracks) {
    if (values.length !== times.length * rank) fail(`the track "${name}" does not have ${rank} numbers per frame`);
    if (!values.every(Number.isFinite)) fail(`the track "${name}" holds a number that is not finite`);
  }
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

/** channels x 3: the colour of each channel of a light */
export function lightColorsOf({ kind, environment }: Pick<SkinLight, 'kind' | 'environment'>): Float32Array {
  if (kind === 'transfer') return environment!;
  return kind === 'occlusion' ? Float32Array.of(1, 1, 1) : Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
}
