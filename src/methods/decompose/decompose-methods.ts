// SPDX-License-Identifier: MIT
// The methods of decompose, one entry each: its options with their defaults, and how it is called. The command line takes its choices, defaults and
// usage errors from this table; a new method is one more entry here and its options in DecomposeMethodOptions.

import { TRANSFORM_KINDS, type TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import type { SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import { AUTO_DEFAULTS, type AutoOptions, auto, autoByError } from './auto/auto.ts';
import type { Decomposition } from './decomposition.ts';
import { FSD_DEFAULTS, type FsdOptions, fsd } from './fsd/fsd.ts';
import { LSSP_DEFAULTS, type LsspOptions, lssp } from './lssp/lssp.ts';
import { SMA_DEFAULTS, SMA_TRANSFORMS, type SmaOptions, sma } from './sma/sma.ts';
import { smaByCount } from './sma/sma-by-count.ts';
import { smaGiven } from './sma/sma-given.ts';
import { fitGiven, type GivenParts } from './ssdr/fit-given.ts';
import { SSDR_DEFAULTS, type SsdrOptions, ssdr } from './ssdr/ssdr.ts';
import { ssdrByError } from './ssdr/ssdr-by-error.ts';

/** A decomposition method: what it offers, and how it is called. */
export interface DecomposeMethod<Options extends SolveMonitorOptions> {
  /** A few words for the help page. */
  summary: string;
  /** All options of the method with their defaults. bones 0: the method finds the number. */
  defaults: Required<Omit<Options, 'onProgress' | 'signal'>> & { bones: number };
  /** Transforms that its bones support. */
  transforms: readonly TransformKind[];
  /** Solves for a number of bones. */
  solve(compute: Compute, clip: Clip, options: Options): Promise<Decomposition>;
  /** Finds the fewest bones that meet an error; absent if the method has no such search. */
  solveByError?(compute: Compute, clip: Clip, goal: ErrorGoal, options: Options): Promise<Decomposition>;
  /** Parts that it can keep. Default: none. */
  keeps?: readonly ('skeleton' | 'weights')[];
  /** Solves what is not given; absent if the method does not support given parts. */
  solveGiven?(compute: Compute, clip: Clip, given: GivenParts, options: Options): Promise<Decomposition>;
}

const SSDR: DecomposeMethod<SsdrOptions> = {
  summary: 'smooth skinning decomposition (Le and Deng 2012)',
  defaults: SSDR_DEFAULTS,
  transforms: TRANSFORM_KINDS,
  solve: ssdr,
  solveByError: ssdrByError,
  solveGiven: fitGiven,
  keeps: ['skeleton', 'weights'],
};

const SMA: DecomposeMethod<SmaOptions> = {
  summary: 'skinning mesh animations (James and Twigg 2005), finds the number of bones',
  defaults: SMA_DEFAULTS,
  transforms: SMA_TRANSFORMS,
  solve: (compute, clip, options) => (options.bones ? smaByCount : sma)(compute, clip, options),
  solveGiven: smaGiven,
  keeps: ['skeleton'],
};

const FSD: DecomposeMethod<FsdOptions> = {
  summary: 'fast skinning decomposition (Kavan et al. 2010), affine bones',
  defaults: FSD_DEFAULTS,
  transforms: ['affine'],
  solve: fsd,
};

const LSSP: DecomposeMethod<LsspOptions> = {
  summary:
    'decomposition of learning skeletons for shape and pose (Hasler et al. 2010), rigid bones, softly sparse weights',
  defaults: LSSP_DEFAULTS,
  transforms: ['rigid'],
  solve: lssp,
};

const AUTO: DecomposeMethod<AutoOptions> = {
  summary: 'ssdr or fsd, by the near-rigid part of the clip and a quick trial, and says why',
  defaults: AUTO_DEFAULTS,
  transforms: [],
  solve: auto,
  solveByError: autoByError,
};

/** Options of all methods; each method uses some of them. */
export type DecomposeMethodOptions = SsdrOptions & SmaOptions & FsdOptions & LsspOptions & AutoOptions;

/** All decomposition methods by name. */
export const DECOMPOSE_METHODS = { ssdr: SSDR, sma: SMA, fsd: FSD, lssp: LSSP, auto: AUTO } as const;

/** Name of a decomposition method. */
export type DecomposeMethodName = keyof typeof DECOMPOSE_METHODS;

export const DECOMPOSE_METHOD_NAMES = Object.keys(DECOMPOSE_METHODS) as DecomposeMethodName[];

/** A method as one that takes any options: those it has are picked from them (pickMethodOptions). */
export function decomposeMethodOf(name: DecomposeMethodName): DecomposeMethod<DecomposeMethodOptions> {
  if (!Object.hasOwn(DECOMPOSE_METHODS, name))
    throw new UsageError('decompose', `method must be ${DECOMPOSE_METHOD_NAMES.join(', ')}, got ${name}`);
  return DECOMPOSE_METHODS[name] as unknown as DecomposeMethod<DecomposeMethodOptions>;
}

/** The methods that have an option. */
export function listMethodsWith(option: string): DecomposeMethodName[] {
  return DECOMPOSE_METHOD_NAMES.filter((name) => Object.hasOwn(DECOMPOSE_METHODS[name].defaults, option));
}

/** The first option given that belongs to other methods only. */
export function findForeignOption(name: DecomposeMethodName, options: object): string | undefined {
  return Object.entries(options).find(([option, value]) => {
    const owners = value === undefined ? [] : listMethodsWith(option);
    return owners.length > 0 && !owners.includes(name);
  })?.[0];
}

/** The options that a method has, without undefined ones. */
export function pickMethodOptions(name: DecomposeMethodName, options: object): DecomposeMethodOptions {
  const { defaults } = decomposeMethodOf(name);
  const has = (option: string) => Object.hasOwn(defaults, option) || option === 'onProgress' || option === 'signal';
  return Object.fromEntries(Object.entries(options).filter(([option, value]) => value !== undefined && has(option)));
}
