// SPDX-License-Identifier: MIT

import { defaultsOf, fillDefaults } from '../../core/options/fill-defaults.ts';
import type { SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import type { SunDirection } from './make-sky.ts';
import { DEFAULT_SUN, LIGHT_OPTIONS, type LightValues } from './options.ts';

/** Options of functions that compute light. */
export interface LightOptions extends Partial<Omit<LightValues, 'ground' | 'sun'>>, SolveMonitorOptions {
  /** Ratio of light that a ground reflects, 0 to 1. Default: no ground. */
  ground?: number;
  /** Direction to the sun, for transfer and prelit; false: no sun. Default: azimuth 40°, elevation 50°. */
  sun?: SunDirection | false;
}

const { time: _time, ...DEFAULTS } = defaultsOf(LIGHT_OPTIONS);

/** Defaults of LightOptions. */
export const LIGHT_DEFAULTS = { ...DEFAULTS, sun: DEFAULT_SUN } as const;

/** The options of the method. */
export function lightValuesOf({ sun, ...options }: LightOptions): LightValues {
  const direction = sun ? [sun.azimuth, sun.elevation] : undefined;
  return fillDefaults(LIGHT_OPTIONS, { ...options, sun: sun === false ? 'none' : direction });
}
