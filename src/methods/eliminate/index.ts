// SPDX-License-Identifier: MIT
export { eliminateMethod } from './eliminate-method.ts';
export { ELIMINATE_OPTIONS, type EliminateOptions } from './options.ts';
export type { Eliminated } from './solve.ts';
