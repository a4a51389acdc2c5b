// SPDX-License-Identifier: MIT

export { lightBytesOf, lightMethod } from './light-method.ts';
export { LIGHT_DEFAULTS, type LightOptions, lightValuesOf } from './light-options.ts';
export type { SunDirection } from './make-sky.ts';
export { measureLight } from './measure-light.ts';
export { LIGHT_OPTIONS, type LightValues } from './options.ts';
export type { LightResult } from './solve.ts';
export type { LitMotion, TracedLight } from './trace-light.ts';
