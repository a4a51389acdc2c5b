// SPDX-License-Identifier: MIT
// What reaches a white diffuse surface with normal n: (1/π) ∫ V(d) max(0, n·d) L(d) dω, as a sum over directions. V is one where a ray in direction d hits nothing.
// Occlusion is L = 1; transfer vectors replace L by each spherical harmonic (P.-P. Sloan, J. Kautz and J. Snyder, "Precomputed radiance transfer",
// SIGGRAPH 2002, doi:10.1145/566570.566612); prelit light has the L of a sky and its sun. A ground replaces L below the horizon by the light that it reflects.
import { cosineOf, sineOf } from '../../core/math/sine.ts';
import { HARMONIC_COUNT, harmonicsInto } from '../../core/math/spherical-harmonics.ts';
import { LIGHT_CHANNELS, type LightKind } from '../../core/model/deformed/skin-light.ts';
import type { Sky } from './make-sky.ts';
import { makeSphereDirections } from './sphere-directions.ts';

/** Rays to the sun: a disc of SUN_RADIUS, so that shadows have soft edges. */
const SUN_RAYS = 24;
const SUN_RADIUS = 0.06;
const GOLDEN_ANGLE = 2.399963229728653;

/** Directions and what an unblocked ray in each contributes, before the cosine. */
export interface LightSamples {
  /** count x 3, unit vectors */
  directions: Float64Array;
  /** count x channels */
  values: Float64Array;
  count: number;
  /** Number of directions of the sky, which come first; the others are those of the sun. */
  skyCount: number;
  channels: number;
}

export interface LightSampleOptions {
  /** Rays per vertex; those of the half sphere above the surface are cast. */
  rays: number;
  seed: number;
  sky: Sky;
  /** Ratio of light that the ground reflects; undefined: no ground. */
  ground?: number;
}

/** Makes the samples of a kind of light. */
export function makeLightSamples(kind: LightKind, options: LightSampleOptions): LightSamples {
  const { rays, seed, sky, ground } = options;
  const channels = LIGHT_CHANNELS[kind];
  const sphere = makeSphereDirections(2 * rays, seed);
  const sun = kind === 'prelit' && sky.sun ? listSunDirections(sky.sun.direction) : new Float64Array(0);
  const sunColor = sky.sun?.color.map((c) => c / SUN_RAYS) ?? [];
  const directions = Float64Array.from([...sphere, ...sun]);
  const count = directions.length / 3;
  const values = new Float64Array(count * channels);
  const radiance = new Float64Array(Math.max(HARMONIC_COUNT, channels));
  // ∫ dω is 4π / (2 rays) per direction
  const share = 2 / rays;
  const heightOf = (s: number): number => [0, 1, 2].reduce((sum, a) => sum + directions[3 * s + a] * sky.up[a], 0);
  for (let s = 0; s < count; s++) {
    const [x, y, z] = directions.subarray(3 * s, 3 * s + 3);
    const isSun = s >= sphere.length / 3;
    if (isSun) radiance.set(sunColor);
    else if (kind === 'occlusion') radiance[0] = share;
    else if (kind === 'transfer') harmonicsInto(x, y, z, radiance);
    else sky.radianceInto(x, y, z, radiance);
    const factor = isSun || kind === 'occlusion' ? 1 : share;
    for (let c = 0; c < channels; c++) values[s * channels + c] = factor * radiance[c];
  }
  if (ground !== undefined) addGround(ground);
  return { directions, values, count, skyCount: sphere.length / 3, channels };

  /** The ground sees the whole sky; each direction below the horizon has its share of what it reflects. */
  function addGround(ratio: number): void {
    const reflected = new Float64Array(channels);
    for (let s = 0; s < count; s++)
      for (let c = 0; c < channels; c++) reflected[c] += Math.max(0, heightOf(s)) * values[s * channels + c];
    for (let s = 0; s < count; s++) {
      if (heightOf(s) >= 0) continue;
      const part = s < sphere.length / 3 ? share * ratio : 0;
      for (let c = 0; c < channels; c++) values[s * channels + c] = part * reflected[c];
    }
  }
}

/** The light of a sky in spherical harmonics: 9 x 3. Multiplied by a transfer vector it gives the colour of a white vertex. */
export function makeEnvironment(sky: Sky): Float32Array {
  const count = 4096;
  const directions = makeSphereDirections(count, 0);
  const sums = new Float64Array(3 * HARMONIC_COUNT);
  const [harmonics, radiance] = [new Float64Array(HARMONIC_COUNT), new Float64Array(3)];
  const add = (direction: ArrayLike<number>, factor: number): void => {
    harmonicsInto(direction[0], direction[1], direction[2], harmonics);
    for (let h = 0; h < HARMONIC_COUNT; h++)
      for (let c = 0; c < 3; c++) sums[3 * h + c] += factor * harmonics[h] * radiance[c];
  };
  for (let s = 0; s < count; s++) {
    const direction = directions.subarray(3 * s, 3 * s + 3);
    sky.radianceInto(direction[0], direction[1], direction[2], radiance);
    add(direction, (4 * Math.PI) / count);
  }
  if (sky.sun) {
    radiance.set(sky.sun.color);
    add(sky.sun.direction, Math.PI);
  }
  return Float32Array.from(sums);
}

/** Directions within a disc around the sun, in a spiral. */
function listSunDirections(sun: readonly number[]): Float64Array {
  const axis = Math.abs(sun[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  const across = unit(cross(sun, axis));
  const along = cross(sun, across);
  const out: number[] = [];
  for (let s = 0; s < SUN_RAYS; s++) {
    const radius = SUN_RADIUS * Math.sqrt((s + 0.5) / SUN_RAYS);
    const [x, y] = [radius * cosineOf(s * GOLDEN_ANGLE), radius * sineOf(s * GOLDEN_ANGLE)];
    out.push(...unit([0, 1, 2].map((a) => sun[a] + x * across[a] + y * along[a])));
  }
  return Float64Array.from(out, (x) => (x === 0 ? Number.EPSILON : x));
}

function cross(a: readonly number[], b: readonly number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(v: readonly number[]): number[] {
  const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return v.map((x) => x / length);
}
