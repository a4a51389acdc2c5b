// SPDX-License-Identifier: MIT
// Options of skeleton extraction. Defaults and the rules between options stand here, and nowhere else.

import { UsageError } from '../../core/model/errors.ts';
import {
  choice,
  count,
  flag,
  group,
  notNegative,
  type OptionsOf,
  type OptionType,
  option,
  positive,
} from '../../core/options/option.ts';

/** Methods of skeleton extraction. */
export const SKELETON_METHODS = ['multipass', 'schaefer', 'deaguiar', 'hasler'] as const;
/** A method of skeleton extraction. */
export type SkeletonMethod = (typeof SKELETON_METHODS)[number];

/** Rules for removing bones. */
export const PRUNE_RULES = ['cost', 'weights'] as const;
/** A rule for removing bones. */
export type PruneRule = (typeof PRUNE_RULES)[number];

/** Solvers for the joint of two bones. */
export const JOINT_SOLVERS = ['soft', 'pseudo-inverse'] as const;
/** What happens to joints whose bones share no point. */
export const SLIDING_RULES = ['auto', 'exact', 'connected'] as const;

/** A solver for the joint of two bones. */
export type JointSolver = (typeof JOINT_SOLVERS)[number];

/** A bone by the name it has without this choice, or the bone whose joint is nearest to a point in file units. */
export type RootChoice = string | readonly [number, number, number];

const MAX_BONES = 4096;

const rootChoice: OptionType<RootChoice> = {
  placeholder: '<bone>',
  parse(text) {
    const parts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    if (parts.length === 3 && parts.every(Number.isFinite)) return [parts[0], parts[1], parts[2]];
    if (text.trim() === '') throw new UsageError('', 'Give the name of a bone, or a point such as 0,1,0.');
    return text;
  },
};

/** The method, and the size of the model. */
export const SKELETON_MODEL_OPTIONS = group('Model options:', {
  /** The method; multipass is the accurate one, the others solve once and are for comparison and speed. */
  method: option(choice(SKELETON_METHODS), 'multipass is the accurate method; the others solve once', {
    default: 'multipass',
    form: {
      label: 'Method',
      note: 'Multipass is the accurate method; the others solve once.',
      labels: { multipass: 'Multipass', schaefer: 'Schaefer', deaguiar: 'de Aguiar', hasler: 'Hasler' },
    },
  }),
  /** Number of bones; 0: found from the motion. */
  bones: option(count(1, MAX_BONES), 'number of bones (default: found from the motion)', {
    form: { label: 'Bones', note: 'Number of bones; 0 finds it from the motion.', range: [0, 100, 1] },
  }),
  /** Maximum number of weights per vertex. */
  influences: option(count(1, 32), 'maximum weights per vertex', {
    default: 4,
    form: { label: 'Influences', range: [1, 16, 1] },
  }),
});

/** Joints that are chosen or added when the model is made. */
export const SKELETON_ROOT_OPTIONS = group('Skeleton options:', {
  /** The root: the name that a bone has without this option, or the bone nearest to a point in file units. Default: the bone of the trunk that rotates least (find-root.ts). */
  root: option(
    rootChoice,
    'root bone: a bone name from a run without this option, or the bone nearest to x,y,z (default: a bone of the trunk)',
  ),
  /** Adds a joint without weights at the end of every chain. */
  endJoints: option(flag, 'add a joint without weights at the end of every chain'),
});

/** Where joints are placed. */
export const SKELETON_PLACE_OPTIONS = group('Skeleton options:', {
  /** Keeps joints nearer to the blend of their bones, at a larger error. */
  tidy: option(flag, 'place joints nearer to where their bones blend, at a larger error', {
    conflicts: ['anywhere'],
  }),
  /** Methods that solve once: hang bones on their joints with the rotations of their own fits, as published, instead of solving poses and weights with these joints. */
  asPublished: option(
    flag,
    'schaefer, deaguiar, hasler: keep the rotations of the bones when they are connected, as in the papers, instead of solving poses and weights again',
    { conflicts: ['tidy', 'anywhere', 'hierarchy'] },
  ),
  /** Joints whose bones share no point, such as feet that are moved by targets: 'auto' gives them translations of their own if connected joints cannot explain the motion; 'exact' searches the skeleton with connected joints
   * alone; 'connected' searches as auto does, and connects them in the end. */
  joints: option(
    choice(SLIDING_RULES, '<rule>'),
    'joints whose bones slide against each other: auto gives them translations if the motion needs it, exact never does, connected connects them in the end',
    { default: 'auto' },
  ),
  /** Keeps left and right as they are found. Default: where the rest pose is symmetric, the skeleton is. */
  asymmetric: option(flag, 'keep left and right as they are found, also if the rest pose is symmetric'),
  /** Allows joints outside the body where the error is lowest. */
  anywhere: option(flag, 'place joints wherever the error is lowest, inside the body or not'),
});

/** How bones and joints are found. */
export const SKELETON_SOLVER_OPTIONS = group('Solver options:', {
  /** Without a number of bones: remove bones by exact removal cost, or when their weights have faded (the paper's rule). */
  prune: option(
    choice(PRUNE_RULES, '<rule>'),
    'without --bones: remove bones by exact cost, or when their weights have faded',
    { default: 'cost' },
  ),
  /** Number of initial decompositions, with different seeds; the skeleton with the lowest error is kept. */
  starts: option(count(1, 100), 'number of initial decompositions; the one with the lowest error is kept', {
    default: 1,
  }),
  /** Without a number of bones: the number to start from. */
  overestimate: option(count(2, MAX_BONES), 'without --bones: number of bones to start from', { default: 48 }),
  /** ω: regularization of weights in the first passes, relative to the mean squared error in units of the enclosing ball. */
  smoothness: option(notNegative(), 'regularization of weights in the first passes', { default: 1e-4 }),
  /** Number of passes with soft joints, before joints are made exact. */
  passes: option(count(0), 'passes with soft joints before they are strict', { default: 10 }),
  /** Maximum number of iterations with exact joints. */
  iterations: option(count(0), 'maximum iterations with strict joints', { default: 150 }),
  /** Stop when two consecutive iterations lower the error by less than this ratio. */
  tolerance: option(
    notNegative('<ratio>'),
    'stop when two iterations in a row improve the error by less than this ratio',
    { default: 1e-3 },
  ),
  /** Initial position of a joint: regularized towards the blend of its bones ('soft'), or by the pseudo-inverse; 'auto': as in the paper of the method. */
  jointSolver: option(
    choice(['auto', ...JOINT_SOLVERS]),
    'initial position of a joint (auto: as in the paper of the method)',
    { default: 'auto' },
  ),
  /** Time limit in seconds; the best result so far is returned. 0: no limit. */
  time: option(positive('<seconds>'), 'time limit in seconds; the best result so far is kept'),
});

/** All options of skeleton extraction. */
export const SKELETON_OPTIONS = {
  ...SKELETON_MODEL_OPTIONS,
  ...SKELETON_ROOT_OPTIONS,
  ...SKELETON_PLACE_OPTIONS,
  ...SKELETON_SOLVER_OPTIONS,
};

/** Values of all options of skeleton extraction. */
export type SkeletonValues = OptionsOf<typeof SKELETON_OPTIONS>;

/** Throws a UsageError for values that contradict one another, and for those of library calls that the command line would not accept. */
export function checkSkeletonOptions(o: SkeletonValues): void {
  const whole = (name: string, value: number, min: number): void => {
    if (!Number.isInteger(value) || value < min)
      throw new UsageError('skeleton', `${name} must be a whole number, at least ${min}, got ${value}`);
  };
  whole('bones', o.bones ?? 0, 0);
  whole('influences', o.influences, 1);
  whole('starts', o.starts, 1);
  whole('overestimate', o.overestimate, 1);
  whole('passes', o.passes, 0);
  whole('iterations', o.iterations, 0);
  if (!SKELETON_METHODS.includes(o.method))
    throw new UsageError('skeleton', `method must be ${SKELETON_METHODS.join(', ')}, got ${o.method}`);
  if (o.asPublished && o.method === 'multipass')
    throw new UsageError('--as-published', 'requires --method schaefer, deaguiar or hasler');
  if (!PRUNE_RULES.includes(o.prune))
    throw new UsageError('skeleton', `prune must be ${PRUNE_RULES.join(' or ')}, got ${o.prune}`);
  if (o.jointSolver !== 'auto' && !JOINT_SOLVERS.includes(o.jointSolver))
    throw new UsageError('skeleton', `jointSolver must be auto, ${JOINT_SOLVERS.join(' or ')}, got ${o.jointSolver}`);
  if (!(o.tolerance >= 0)) throw new UsageError('skeleton', `tolerance must not be negative, got ${o.tolerance}`);
  if (!(o.smoothness >= 0)) throw new UsageError('skeleton', `smoothness must not be negative, got ${o.smoothness}`);
}

/** What decides which options are read. */
export type SkeletonWay = Pick<SkeletonValues, 'method' | 'bones'> & { hierarchy?: unknown };

/** The options that are not read, by key, with the reason and the remedy: joints or their number may be given, and some methods solve once. */
export function listUnreadOptions({ hierarchy, bones, method }: SkeletonWay): Record<string, string> {
  const unread: Record<string, string> = {};
  const add = (keys: readonly (keyof SkeletonValues)[], fault: string): void => {
    for (const key of keys) unread[key] ??= fault;
  };
  if (hierarchy !== undefined)
    add(
      ['prune', 'starts', 'overestimate', 'smoothness', 'passes', 'jointSolver', 'joints', 'asymmetric'],
      'has no effect with --hierarchy, which gives the bones and joints; remove it',
    );
  if (bones !== undefined)
    add(
      ['prune', 'overestimate', 'joints', 'asymmetric'],
      'has no effect with --bones, which gives their number; remove it',
    );
  if (method !== 'multipass')
    add(
      ['prune', 'starts', 'smoothness', 'passes', 'iterations', 'tolerance', 'joints', 'asymmetric'],
      `has no effect with --method ${method}, which solves once; remove it`,
    );
  return unread;
}
