// SPDX-License-Identifier: MIT
// The jobs that the page offers, one entry each: what it needs, and its options with their meaning. Defaults are the library's own.
import { type AssetFacts, COMPRESS_DEFAULTS, DECOMPOSE_DEFAULTS, MUSH_DEFAULTS } from '../../src/index.ts';

interface OptionWords {
  key: string;
  label: string;
  /** What it means, a sentence. */
  note: string;
  /** Shown only when asked for. */
  isFine?: boolean;
}

export type JobOption = OptionWords &
  (
    | { kind: 'number'; value: number; min: number; max: number; step: number; isLog?: boolean }
    | { kind: 'choice'; value: string | number; choices: { value: string | number; label: string }[] }
    | { kind: 'switch'; value: boolean }
    /** In file units; 0 stands for "not asked for". */
    | { kind: 'length'; value: number }
  );

export interface Job {
  name: string;
  title: string;
  /** What it does, a sentence. */
  does: string;
  /** Undefined where it can run on such a file, else why not. */
  refuses(facts: AssetFacts): string | undefined;
  options: JobOption[];
  /** The name that a result goes by. */
  titleOf(options: Record<string, unknown>): string;
}

const D = DECOMPOSE_DEFAULTS;
const M = MUSH_DEFAULTS;
const C = COMPRESS_DEFAULTS;

const seed: JobOption = {
  key: 'seed',
  label: 'Seed',
  note: 'Of everything random. The same seed gives the same bytes.',
  kind: 'number',
  value: 0,
  min: 0,
  max: 2 ** 32 - 1,
  step: 1,
  isFine: true,
};

function number(
  key: string,
  label: string,
  note: string,
  value: number,
  [min, max, step]: [number, number, number],
  more: { isFine?: boolean; isLog?: boolean } = {},
): JobOption {
  return { key, label, note, kind: 'number', value, min, max, step, ...more };
}

const moves = (facts: AssetFacts): boolean => facts.clips.length + facts.animations.length > 0;

export const JOBS: readonly Job[] = [
  {
    name: 'decompose',
    title: 'Decompose',
    does: 'Turns whatever moves into a skin: few bones, sparse weights and their motion.',
    refuses: (facts) => (moves(facts) ? undefined : 'Needs a file that moves; this one stands still.'),
    titleOf: (o) => (Number(o.maxError) > 0 ? 'SSDR, by error' : `SSDR, ${o.bones} bone${o.bones === 1 ? '' : 's'}`),
    options: [
      number('bones', 'Bones', 'Bones to find. More follow more closely and cost more.', D.bones, [1, 400, 1], {
        isLog: true,
      }),
      {
        key: 'maxError',
        label: 'Max error',
        note: 'Above zero: finds the fewest bones that keep every vertex this close, instead of the number above.',
        kind: 'length',
        value: 0,
      },
      number('influences', 'Influences', 'Most weights per vertex. Every player reads four.', D.influences, [1, 16, 1]),
      {
        key: 'transforms',
        label: 'Transforms',
        note: 'What a bone may do. Not every engine holds scale and shear.',
        kind: 'choice',
        value: D.transforms,
        choices: [
          { value: 'rigid', label: 'Rigid' },
          { value: 'similarity', label: '+ scale' },
          { value: 'affine', label: '+ shear' },
        ],
      },
      {
        key: 'keepRest',
        label: 'Keep the rest pose',
        note: 'Leaves the rest shape as it is. Otherwise it is corrected too, which lowers the error.',
        kind: 'switch',
        value: D.keepRest,
        isFine: true,
      },
      number('iterations', 'Iterations', 'Most alternations over all vertices at the end.', D.iterations, [0, 200, 1], {
        isFine: true,
      }),
      number('tolerance', 'Tolerance', 'An alternation that brings less is the last.', D.tolerance, [0, 0.1, 0.0005], {
        isFine: true,
      }),
      number('ridge', 'Ridge', 'More makes weights more local, such as 0.01.', D.ridge, [0, 0.1, 0.001], {
        isFine: true,
      }),
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
