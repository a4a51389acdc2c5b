// SPDX-License-Identifier: MIT

import { MAX_CONTROLLER_ORDER } from '../../core/model/deformed/helper-bones.ts';
import { BLEND_KINDS, type BlendKind } from '../../core/model/deformed/skin-blend.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import type { JointRange } from '../../fit/poses/index.ts';
import type { EditedHelper } from './controllers/given-controller.ts';
import { EPSILON_RULES, type EpsilonRule, SAMPLING_RULES, type SamplingRule } from './sample/sample-poses.ts';

/** Transformations of helper bones: rotation and translation, or also scale along their own axes. */
export const HELPER_TRANSFORMS = ['rigid', 'similarity'] as const;
/** Transformations of helper bones. */
export type HelperTransforms = (typeof HELPER_TRANSFORMS)[number];

/** Options of convertRig. */
export interface ConvertRigOptions extends SolveMonitorOptions {
  /** Number of helper bones to add; 0 only solves the weights of the joints. */
  helpers?: number;
  /** Names of joints: helpers may start only at their vertices. Empty: anywhere. */
  around?: readonly string[];
  /** Maximum number of weights per vertex. */
  influences?: number;
  /** Transformations of helper bones. */
  transforms?: HelperTransforms;
  /** M: number of training poses per joint. */
  samples?: number;
  /** How training poses are chosen: by 'importance', as in the paper, or at 'random', as a baseline. */
  sampling?: SamplingRule;
  /** ε: displacements below this ratio of the size of a joint's region are ignored. */
  epsilon?: number;
  /** What ε is a ratio of: the size of the region that a joint moves, or of the model. */
  epsilonOf?: EpsilonRule;
  /** Ranges of the joints. Default: ±90° about each axis. */
  ranges?: readonly JointRange[];
  /** B: order of the controllers' polynomials. */
  order?: number;
  /** Strength of the lasso, relative to the smallest strength at which all coefficients vanish; 'auto': by cross-validation. */
  beta?: number | 'auto';
  /** Maximum number of joints that control a helper. */
  joints?: number;
  /** Weight of normals in the fit of weights: 0: positions only; 1: a normal has the weight of a point at the distance of the nearest vertices. */
  normals?: number;
  /** Separate weights for normals, fitted to the normals of the source; positions keep theirs. */
  normalWeights?: boolean;
  /** How the bones of the result are blended. Dual quaternions require rigid helpers. A plain skin for linear blending is made as well. */
  target?: BlendKind;
  /** Seconds that helpers lag behind their joints; 'auto', for a clip: by helper, the delay and damping that fit its frames best. */
  delay?: number | 'auto';
  /** Helpers of an earlier conversion, with edits: their joints, ranges, frames and key poses are kept, and the rest is fitted again. No helpers are added. */
  edited?: readonly EditedHelper[];
  /** Iterations over weights and helpers after each added helper, and after the last. */
  iterations?: number;
  /** Random seed. */
  seed?: number;
}

/** Options without a default. */
type OptionalOption = 'onProgress' | 'signal' | 'ranges' | 'edited';

/** Defaults of ConvertRigOptions. */
export const CONVERT_RIG_DEFAULTS: Required<Omit<ConvertRigOptions, OptionalOption>> = {
  helpers: 4,
  around: [],
  influences: 4,
  transforms: 'similarity',
  samples: 20,
  sampling: 'importance',
  epsilon: 0.01,
  epsilonOf: 'region',
  order: 4,
  beta: 'auto',
  joints: 4,
  normals: 0,
  normalWeights: false,
  target: 'linear',
  delay: 0,
  iterations: 20,
  seed: 0,
  time: 0,
};

/** ConvertRigOptions with their defaults. */
export type SettledConvertOptions = Required<Omit<ConvertRigOptions, OptionalOption>> &
  Pick<ConvertRigOptions, OptionalOption>;

/** Options with their defaults. Throws on invalid values. */
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
  if (!EPSILON_RULES.includes(o.epsilonOf))
    throw new UsageError('convert', `epsilonOf must be ${EPSILON_RULES.join(' or ')}, got ${o.epsilonOf}`);
  if (o.beta !== 'auto' && !(o.beta >= 0 && o.beta < 1))
    throw new UsageError('convert', `beta must be 'auto', or at least 0 and below 1, got ${o.beta}`);
  if (!(o.normals >= 0 && Number.isFinite(o.normals)))
    throw new UsageError('convert', `normals must be a weight of at least 0, got ${o.normals}`);
  if (!BLEND_KINDS.includes(o.target))
    throw new UsageError('convert', `target must be ${BLEND_KINDS.join(' or ')}, got ${o.target}`);
  if (o.target === 'dual-quaternion' && o.transforms !== 'rigid')
    throw new UsageError('convert', 'dual quaternions blend rigid bones only; set transforms to rigid');
  if (o.delay !== 'auto' && !(o.delay >= 0 && Number.isFinite(o.delay)))
    throw new UsageError('convert', `delay must be 'auto', or seconds, at least 0, got ${o.delay}`);
  if (o.ranges && o.ranges.length !== skeleton.names.length)
    throw new InputError('convert', `${o.ranges.length} ranges for ${skeleton.names.length} joints`);
  for (const name of o.around)
    if (!skeleton.names.includes(name))
      throw new InputError('convert', `there is no joint named "${name}"; the first joint is "${skeleton.names[0]}"`);
  return o;
}

/** ±90° about each axis for every joint. */
export function defaultConvertRanges(skeleton: Skeleton): JointRange[] {
  const half = [-Math.PI / 2, Math.PI / 2] as const;
  const none = [0, 0] as const;
  return skeleton.names.map(() => ({ rotation: [half, half, half], translation: [none, none, none] }));
}

/**
 * The joints that poses rotate: all except the root. If there are several roots, those without children are rotated too (a flat list of bones has no fixed root).
 */
export function listTurned({ parents }: Skeleton): boolean[] {
  const roots = parents.reduce((count, parent) => count + Number(parent < 0), 0);
  const hasChild = new Uint8Array(parents.length);
  for (const parent of parents) if (parent >= 0) hasChild[parent] = 1;
  return Array.from(parents, (parent, j) => parent >= 0 || (roots > 1 && !hasChild[j]));
}
