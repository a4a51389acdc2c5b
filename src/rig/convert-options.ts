// SPDX-License-Identifier: MIT

import type { JointRange } from '../fit/ranges-of-motion.ts';
import type { SolveMonitorOptions } from '../fit/solve-monitor.ts';
import { InputError, UsageError } from '../model/errors.ts';
import { MAX_CONTROLLER_ORDER } from '../model/helper-bones.ts';
import type { Skeleton } from '../model/skeleton.ts';
import { SAMPLING_RULES, type SamplingRule } from './sample-poses.ts';

/** What helpers may do: turn and move, or also scale along their own axes. */
export const HELPER_TRANSFORMS = ['rigid', 'similarity'] as const;
export type HelperTransforms = (typeof HELPER_TRANSFORMS)[number];

export interface ConvertRigOptions extends SolveMonitorOptions {
  /** Helper bones to add; 0 only solves the weights of the joints. */
  helpers?: number;
  /** Joints at which helpers may start, by name: vertices that follow them. Empty: anywhere. */
  around?: readonly string[];
  /** Most weights per vertex. */
  influences?: number;
  transforms?: HelperTransforms;
  /** M: training poses per joint. */
  samples?: number;
  /** By 'importance', as the paper chooses them, or at 'random', as a baseline. */
  sampling?: SamplingRule;
  /** ε: displacements below this part of the size of a joint's region do not count. */
  epsilon?: number;
  /** How far joints turn; ±90° about each axis unless said. */
  ranges?: readonly JointRange[];
  /** B: order of the controllers' polynomials. */
  order?: number;
  /** Strength of the lasso, as a part of the smallest that leaves nothing; 'auto': by cross-validation. */
  beta?: number | 'auto';
  /** Most joints that a helper reads. */
  joints?: number;
  /** Weight of normals in the fit of weights: 0, positions alone; 1, a normal counts like a point at the distance of the nearest vertices. */
  normals?: number;
  /** Alternations of weights and helpers after each helper that joins, and after the last. */
  iterations?: number;
  seed?: number;
}

export const CONVERT_RIG_DEFAULTS: Required<Omit<ConvertRigOptions, 'onProgress' | 'signal' | 'ranges'>> = {
  helpers: 4,
  around: [],
  influences: 4,
  transforms: 'similarity',
  samples: 20,
  sampling: 'importance',
  epsilon: 0.01,
  order: 4,
  beta: 'auto',
  joints: 4,
  normals: 0,
  iterations: 20,
  seed: 0,
  time: 0,
};

export type SettledConvertOptions = Required<Omit<ConvertRigOptions, 'onProgress' | 'signal' | 'ranges'>> &
  Pick<ConvertRigOptions, 'onProgress' | 'signal' | 'ranges'>;

/** Options with defaults where none are said. Throws on values that cannot be meant. */
export function settleConvertOptions(options: ConvertRigOptions, skeleton: Skeleton): SettledConvertOptions {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const o: SettledConvertOptions = { ...CONVERT_RIG_DEFAULTS, ...given };
  const whole = (name: 'helpers' | 'influences' | 'samples' | 'order' | 'joints' | 'iterations', min: number) => {
    if (!Number.isInteger(o[name]) || o[name] < min)
      throw new UsageError('convert', `${name} must be a whole number, at least ${min}, got ${o[name]}`);
  };
  whole('helpers', 0);
  whole('influences', 1);
  whole('samples', 2);
  whole('order', 1);
  whole('joints', 1);
  whole('iterations', 0);
  if (o.order > MAX_CONTROLLER_ORDER)
    throw new UsageError('convert', `order must be at most ${MAX_CONTROLLER_ORDER}, got ${o.order}`);
  if (!HELPER_TRANSFORMS.includes(o.transforms))
    throw new UsageError('convert', `transforms must be ${HELPER_TRANSFORMS.join(' or ')}, got ${o.transforms}`);
  if (!SAMPLING_RULES.includes(o.sampling))
    throw new UsageError('convert', `sampling must be ${SAMPLING_RULES.join(' or ')}, got ${o.sampling}`);
  if (!(o.epsilon >= 0 && o.epsilon < 1))
    throw new UsageError('convert', `epsilon must be at least 0 and below 1, got ${o.epsilon}`);
  if (o.beta !== 'auto' && !(o.beta >= 0 && o.beta < 1))
    throw new UsageError('convert', `beta must be 'auto', or at least 0 and below 1, got ${o.beta}`);
  if (!(o.normals >= 0 && Number.isFinite(o.normals)))
    throw new UsageError('convert', `normals must be a weight of at least 0, got ${o.normals}`);
  if (o.ranges && o.ranges.length !== skeleton.names.length)
    throw new InputError('convert', `${o.ranges.length} ranges for ${skeleton.names.length} joints`);
  for (const name of o.around)
    if (!skeleton.names.includes(name))
      throw new InputError('convert', `there is no joint "${name}"; the first is "${skeleton.names[0]}"`);
  return o;
}

/** ±90° about each axis for every joint. */
export function defaultConvertRanges(skeleton: Skeleton): JointRange[] {
  const half = [-Math.PI / 2, Math.PI / 2] as const;
  const none = [0, 0] as const;
  return skeleton.names.map(() => ({ rotation: [half, half, half], translation: [none, none, none] }));
}

/**
 * Joints that poses turn: all but the root. Where there are several roots, those with no child turn as well (bones side by side have no root to hold still).
 */
export function listTurned({ parents }: Skeleton): boolean[] {
  const roots = parents.reduce((count, parent) => count + Number(parent < 0), 0);
  const hasChild = new Uint8Array(parents.length);
  for (const parent of parents) if (parent >= 0) hasChild[parent] = 1;
  return Array.from(parents, (parent, j) => parent >= 0 || (roots > 1 && !hasChild[j]));
}
