// SPDX-License-Identifier: MIT
// The table of decompositions, one line each. A method is a folder with its options, what it can be combined with, and its solver; the command line, the studio and the memory check
// take everything from there. Removing a folder and its line removes the method.

import { UsageError } from '../../core/model/errors.ts';
import type { OptionSchema, OptionsOf } from '../../core/options/option.ts';
import type { SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import { AUTO } from './auto/auto-method.ts';
import { FSD } from './fsd/fsd-method.ts';
import { LSSP } from './lssp/lssp-method.ts';
import { SMA } from './sma/sma-method.ts';
import { SSDR } from './ssdr/ssdr-method.ts';

/** All decomposition methods by name. */
export const DECOMPOSE_METHODS = {
  ssdr: SSDR,
  sma: SMA,
  fsd: FSD,
  lssp: LSSP,
  auto: AUTO,
} as const;

/** Name of a decomposition method. */
export type DecomposeMethodName = keyof typeof DECOMPOSE_METHODS;

type AnyMethod = (typeof DECOMPOSE_METHODS)[DecomposeMethodName];
type Joined<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;

/** Values of the options of all methods. */
export type MethodValues = Joined<OptionsOf<AnyMethod['options']>>;

/**
 * Options of all methods; each method uses some of them.
 * @interface
 */
export type DecomposeMethodOptions = Partial<MethodValues> & SolveMonitorOptions;

export const DECOMPOSE_METHOD_NAMES = Object.keys(DECOMPOSE_METHODS) as DecomposeMethodName[];

/** Finds a method. Throws a UsageError if there is none. */
export function decomposeMethodOf(name: DecomposeMethodName): AnyMethod {
  if (!Object.hasOwn(DECOMPOSE_METHODS, name))
    throw new UsageError('decompose', `method must be ${DECOMPOSE_METHOD_NAMES.join(', ')}, got ${name}`);
  return DECOMPOSE_METHODS[name];
}

/** The options of a method by key. */
export function methodOptionsOf(name: DecomposeMethodName): OptionSchema {
  return decomposeMethodOf(name).options;
}

/** The methods that have an option. */
export function listMethodsWith(option: string): DecomposeMethodName[] {
  return DECOMPOSE_METHOD_NAMES.filter((name) => Object.hasOwn(methodOptionsOf(name), option));
}
