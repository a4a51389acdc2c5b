// SPDX-License-Identifier: MIT
export { LIGHT_DEFAULTS, type LightOptions, type LightResult, lightMotions } from './light-motions.ts';
export type { SunDirection } from './make-sky.ts';
export { measureLight } from './measure-light.ts';
export type { LitMotion, TracedLight } from './trace-light.ts';
