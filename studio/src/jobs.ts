// SPDX-License-Identifier: MIT
// The jobs that the page offers, one entry each: what it needs, and its options with their meaning. Defaults are the library's own.
import {
  type AssetFacts,
  COMPRESS_DEFAULTS,
  CONVERT_DEFAULTS,
  DECOMPOSE_DEFAULTS,
  DECOMPOSE_METHODS,
  type DecomposeMethodName,
  EXTRACT_DEFAULTS,
  MUSH_DEFAULTS,
  REDUCE_DEFAULTS,
} from '../../src/index.ts';
import { type Job, number, seed } from './job-options.ts';

const D = DECOMPOSE_DEFAULTS;
const M = MUSH_DEFAULTS;
const C = COMPRESS_DEFAULTS;
const S = EXTRACT_DEFAULTS;
const R = REDUCE_DEFAULTS;
const H = CONVERT_DEFAULTS;

type Values = Readonly<Record<string, unknown>>;
const methodOf = (o: Values) => DECOMPOSE_METHODS[(o.method ?? D.method) as DecomposeMethodName];
/** An option of the chosen method, with its default. */
const ofMethod = (key: string) => ({
  isFor: (o: Values) => Object.hasOwn(methodOf(o).defaults, key),
  valueFor: (o: Values) => (methodOf(o).defaults as Values)[key],
});

const moves = (facts: AssetFacts): boolean => facts.clips.length + facts.animations.length > 0;

export const JOBS: readonly Job[] = [
  {
    name: 'decompose',
    title: 'Decompose',
    does: 'Turns whatever moves into a skin: few bones, sparse weights and their motion.',
    refuses: (facts) => (moves(facts) ? undefined : 'Needs a file that moves; this one stands still.'),
    titleOf: (o) => {
      const name = String(o.method ?? D.method).toUpperCase();
      return Number(o.maxError) > 0
        ? `${name}, by error`
        : Number(o.bones) > 0
          ? `${name}, ${o.bones} bone${o.bones === 1 ? '' : 's'}`
          : name;
    },
    options: [
      {
        key: 'method',
        label: 'Method',
        note: 'SSDR is the accurate one; the others are there to compare with. Their names say which papers.',
        kind: 'choice',
        value: D.method,
        choices: Object.entries(DECOMPOSE_METHODS).map(([value, { summary }]) => ({
          value,
          label: value.toUpperCase(),
          title: summary,
        })),
      },
      number(
        'bones',
        'Bones',
        'Bones to find: more follow more closely and cost more. 0 with SMA: as many as it finds.',
        D.bones,
        [0, 400, 1],
        {
          isLog: true,
          ...ofMethod('bones'),
        },
      ),
      {
        key: 'maxError',
        label: 'Max error',
        note: 'Above zero: finds the fewest bones that keep every vertex this close, instead of the number above.',
        kind: 'length',
        value: 0,
        isFor: (o) => 'solveByError' in methodOf(o),
      },
      number(
        'influences',
        'Influences',
        'Most weights per vertex; every player reads four. 0 with LSSP: as many as it gives.',
        D.influences,
        [0, 16, 1],
        ofMethod('influences'),
      ),
      {
        key: 'transforms',
        label: 'Transforms',
        note: 'What a bone may do. Not every engine holds scale and shear.',
        kind: 'choice',
        value: D.transforms,
        ...ofMethod('transforms'),
        isFor: (o) => methodOf(o).transforms.length > 1,
        choices: [
          { value: 'rigid', label: 'Rigid' },
          { value: 'similarity', label: '+ scale' },
          { value: 'affine', label: '+ shear' },
        ],
      },
      number(
        'corrections',
        'Corrections',
        'Animated corrections of the rest shape on top of the bones; 0 for none.',
        0,
        [0, 50, 1],
      ),
      {
        key: 'keepRest',
        label: 'Keep the rest pose',
        note: 'Leaves the rest shape as it is. Otherwise it is corrected too, which lowers the error.',
        kind: 'switch',
        value: D.keepRest,
        isFine: true,
        ...ofMethod('keepRest'),
      },
      number('iterations', 'Iterations', 'Most alternations over all vertices at the end.', D.iterations, [0, 200, 1], {
        isFine: true,
        ...ofMethod('iterations'),
      }),
      number('tolerance', 'Tolerance', 'An alternation that brings less is the last.', D.tolerance, [0, 0.1, 0.0005], {
        isFine: true,
        ...ofMethod('tolerance'),
      }),
      number('ridge', 'Ridge', 'More makes weights more local, such as 0.01.', D.ridge, [0, 0.1, 0.001], {
        isFine: true,
        ...ofMethod('ridge'),
      }),
      seed,
    ],
  },
  {
    name: 'skeleton',
    title: 'Skeleton',
    does: 'Finds a hierarchy of joints in whatever moves, with weights and joint rotations.',
    refuses: (facts) => (moves(facts) ? undefined : 'Needs a file that moves; this one stands still.'),
    titleOf: (o) => `Skeleton${Number(o.bones) > 0 ? `, ${o.bones} bones` : ''}`,
    options: [
      number('bones', 'Bones', 'Bones in all; 0 finds how many there are.', S.bones, [0, 100, 1]),
      {
        key: 'method',
        label: 'Method',
        note: 'Multipass is the accurate one; the others pass once.',
        kind: 'choice',
        value: S.method,
        choices: [
          { value: 'multipass', label: 'Multipass' },
          { value: 'schaefer', label: 'Schaefer' },
          { value: 'deaguiar', label: 'de Aguiar' },
          { value: 'hasler', label: 'Hasler' },
        ],
      },
      number('influences', 'Influences', 'Most weights per vertex.', S.influences, [1, 16, 1]),
      seed,
    ],
  },
  {
    name: 'mush',
    title: 'Mush',
    does: 'Gives a skinned model delta-mush deformation, computed directly per vertex.',
    refuses: (facts) => {
      if (facts.ddm || facts.twoLayer) return 'Has it already; start from the rig that it was made of.';
      return facts.rig?.joints ? undefined : 'Needs a skinned model; decompose first, or open a rig.';
    },
    titleOf: (o) => `Mush v${o.variant}, λ ${o.lambda}`,
    options: [
      {
        key: 'variant',
        label: 'Variant',
        note: '0 is the full one, 1 close to Delta Mush, 2 to 5 are cheaper and plainer.',
        kind: 'choice',
        value: M.variant,
        choices: [0, 1, 2, 3, 4, 5].map((value) => ({ value, label: `v${value}` })),
      },
      number('lambda', 'Smoothness λ', 'Smoothing of rotations: how far a bend spreads.', M.lambda, [0.5, 100, 0.5], {
        isLog: true,
      }),
      number(
        'kappa',
        'κ',
        'Smoothing of translations, up to λ: the smaller, the sharper a bend.',
        M.kappa,
        [0, 20, 0.1],
      ),
      number('alpha', 'α', 'How far translations follow κ instead of λ.', M.alpha, [0, 0.99, 0.01]),
      number('iterations', 'Iterations', 'Smoothing steps.', M.iterations, [1, 100, 1], { isFine: true }),
      number('threshold', 'Threshold', 'Entries of less weight are dropped.', M.threshold, [0, 0.01, 0.0001], {
        isFine: true,
      }),
    ],
  },
  {
    name: 'compress',
    title: 'Compress',
    does: 'Turns delta mush into virtual bones and sparse weights: its look at the price of linear blending.',
    refuses: (facts) => {
      if (facts.twoLayer) return 'Is compressed already; start from the rig that it was made of.';
      return facts.rig?.joints ? undefined : 'Needs a skinned model, mushed or not; decompose first, or open a rig.';
    },
    titleOf: (o) => `Two layers, ${o.virtualBones} virtual bones`,
    options: [
      number(
        'virtualBones',
        'Virtual bones',
        'Bones between the skeleton and the skin.',
        C.virtualBones,
        [2, 1000, 1],
        {
          isLog: true,
        },
      ),
      number('influences', 'Influences', 'Most virtual bones per vertex.', C.influences, [1, 16, 1]),
      {
        key: 'ranges',
        label: 'Ranges of motion',
        note: 'How far joints turn: as the paper has it, or as in the animations of this file.',
        kind: 'choice',
        value: C.ranges,
        choices: [
          { value: 'default', label: "Paper's" },
          { value: 'auto', label: 'Animations' },
        ],
      },
      {
        key: 'objective',
        label: 'Objective',
        note: 'What is lowered: the true error, or its linear form as in the paper.',
        kind: 'choice',
        value: C.objective,
        choices: [
          { value: 'nonlinear', label: 'True' },
          { value: 'linear', label: 'Linear' },
        ],
        isFine: true,
      },
      number('iterations', 'Iterations', 'Alternations of weights and multi-weights.', C.iterations, [0, 64, 1], {
        isFine: true,
      }),
      seed,
    ],
  },
  {
    name: 'reduce',
    title: 'Reduce',
    does: 'Gives a skinned model fewer weights per vertex, moving it as little as can be.',
    refuses: (facts) => {
      if (!facts.rig?.joints) return 'Needs a skinned model; decompose first, or open a rig.';
      return facts.ddm || facts.twoLayer
        ? 'Has more than a plain skin; start from the rig that it was made of.'
        : undefined;
    },
    titleOf: (o) =>
      `${o.influences} weight${o.influences === 1 ? '' : 's'}${o.method === 'twolayer' ? ' in two layers' : ''}`,
    options: [
      number(
        'influences',
        'Influences',
        'Most weights per vertex; of two layers, blends per vertex.',
        R.influences,
        [1, 16, 1],
      ),
      {
        key: 'method',
        label: 'Method',
        note: 'Best: by exact gains in the poses of the file. K largest drops the rest; two layers blend virtual bones.',
        kind: 'choice',
        value: 'auto',
        choices: [
          { value: 'auto', label: 'Best' },
          { value: 'klargest', label: 'K largest' },
          { value: 'poisson', label: 'Poisson' },
          { value: 'twolayer', label: 'Two layers' },
        ],
      },
      seed,
    ],
  },
  {
    name: 'convert',
    title: 'Convert',
    does: 'Turns any deformation of a rig into plain bones: helpers that follow its joints by learned controllers.',
    refuses: (facts) => (facts.rig?.joints ? undefined : 'Needs a model with joints; open a rig, or decompose first.'),
    titleOf: (o) => `${o.helpers} helper${o.helpers === 1 ? '' : 's'}`,
    options: [
      number('helpers', 'Helpers', 'Helper bones to add.', H.helpers, [0, 64, 1]),
      number('influences', 'Influences', 'Most weights per vertex.', H.influences, [1, 16, 1]),
      {
        key: 'transforms',
        label: 'Transforms',
        note: 'What helpers may do.',
        kind: 'choice',
        value: H.transforms,
        choices: [
          { value: 'rigid', label: 'Rigid' },
          { value: 'similarity', label: '+ scale' },
        ],
      },
      {
        key: 'ranges',
        label: 'Ranges of motion',
        note: 'Training poses: ±90° about each axis, or as in the animations of this file.',
        kind: 'choice',
        value: H.ranges,
        choices: [
          { value: 'default', label: '±90°' },
          { value: 'auto', label: 'Animations' },
        ],
      },
      number('samples', 'Samples', 'Training poses per joint.', H.samples, [2, 200, 1], { isFine: true }),
      seed,
    ],
  },
];

export function findJob(name: string): Job {
  const job = JOBS.find((one) => one.name === name);
  if (!job) throw new Error(`there is no job "${name}"`);
  return job;
}

/** The values that a job starts with. */
export function defaultsOf(job: Job): Record<string, unknown> {
  return Object.fromEntries(job.options.map(({ key, value }) => [key, value]));
}
