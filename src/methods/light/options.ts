// SPDX-License-Identifier: MIT

import { LIGHT_KINDS } from '../../core/model/deformed/skin-light.ts';
import { UsageError } from '../../core/model/errors.ts';
import {
  choice,
  count,
  group,
  list,
  notNegative,
  numberFrom,
  type OptionsOf,
  option,
  optional,
  orWord,
} from '../../core/options/option.ts';
import type { SunDirection } from './make-sky.ts';

/** Ratio of light that a ground reflects if none is given: earth or asphalt in the sun. */
const GROUND = 0.3;

/** The sun if none is given, degrees. */
export const DEFAULT_SUN: SunDirection = { azimuth: 40, elevation: 50 };

/** Options of light. */
export const LIGHT_OPTIONS = {
  ...group('Light options:', {
    /** What is computed: ambient occlusion, transfer vectors, or the light of a sky and sun. Default 'occlusion'. */
    kind: option(
      choice(LIGHT_KINDS),
      'occlusion (ambient occlusion), transfer (response to any light, in spherical harmonics), prelit (colours under a sky and sun)',
      {
        default: 'occlusion',
        form: {
          label: 'Kind',
          labels: { occlusion: 'ambient occlusion', transfer: 'transfer vectors', prelit: 'sky and sun' },
        },
      },
    ),
    /** Maximum number of components. Default 6. */
    rank: option(count(1, 64), 'number of components; more are closer to the traced light', {
      default: 6,
      form: { label: 'Rank', range: [1, 20, 1] },
    }),
    /** Rays per vertex and frame. Default 256. */
    rays: option(count(1, 65536), 'rays per vertex and frame', {
      default: 256,
      form: { label: 'Rays', range: [16, 1024, 16], isFine: true },
    }),
    /** Ratio of light that a ground reflects, 0 to 1; true: the usual ratio. Default: no ground. */
    ground: option(
      optional(numberFrom(0, 1, '<ratio>')),
      `add a ground below the model, which reflects this ratio of its light (default: no ground; ${GROUND} without a value)`,
    ),
    /** Azimuth and elevation of the sun in degrees, for transfer and prelit; 'none': no sun. */
    sun: option(
      orWord(['none'], list(numberFrom(-360, 360), '<azimuth,elevation>')),
      'direction to the sun for transfer and prelit, in degrees: azimuth from the front to the left, elevation above the horizon; none: only the sky',
      {
        defaultText: `${DEFAULT_SUN.azimuth},${DEFAULT_SUN.elevation}`,
        isFor: ({ kind }) => kind !== undefined && kind !== 'occlusion',
      },
    ),
  }),
  ...group('Common options:', {
    /** Random seed of the rays. Default 0. */
    seed: option(count(0, 2 ** 32 - 1), 'random seed', { default: 0 }),
    /** Time limit in seconds; the best result so far is returned. 0: no limit. */
    time: option(notNegative('<seconds>'), 'time limit in seconds; 0: no limit', { default: 0 }),
  }),
};

/** All options of light. */
export type LightValues = OptionsOf<typeof LIGHT_OPTIONS>;

/** The ratio of light that the ground reflects; undefined: no ground. */
export const groundOf = ({ ground }: Pick<LightValues, 'ground'>): number | undefined =>
  ground === true ? GROUND : ground;

/** The direction to the sun; undefined: no sun. */
export function sunOf({ sun }: Pick<LightValues, 'sun'>): SunDirection | undefined {
  if (sun === undefined) return DEFAULT_SUN;
  return sun === 'none' ? undefined : { azimuth: sun[0], elevation: sun[1] };
}

/** Throws a UsageError where options are invalid. */
export function checkLightOptions(o: LightValues): void {
  const isCount = (n: number) => Number.isInteger(n) && n >= 1;
  if (!LIGHT_KINDS.includes(o.kind))
    throw new UsageError('light', `kind must be ${LIGHT_KINDS.join(', ')}, got ${o.kind}`);
  if (!isCount(o.rank)) throw new UsageError('light', `rank must be a whole number from 1 on, got ${o.rank}`);
  if (!isCount(o.rays)) throw new UsageError('light', `rays must be a whole number from 1 on, got ${o.rays}`);
  const [ground, sun] = [groundOf(o), sunOf(o)];
  if (ground !== undefined && !(ground >= 0 && ground <= 1))
    throw new UsageError('light', `ground must be a ratio from 0 to 1, got ${ground}`);
  if (sun && !(Number.isFinite(sun.azimuth) && Math.abs(sun.elevation) <= 90))
    throw new UsageError('light', 'the sun needs an azimuth and an elevation from -90 to 90 degrees');
}
