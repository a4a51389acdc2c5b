// SPDX-License-Identifier: MIT
// The jobs that the page offers, one entry each: what it needs, and its options with their meaning. Defaults are the library's own.
import {
  COMPRESS_DEFAULTS,
  CONVERT_DEFAULTS,
  DECOMPOSE_DEFAULTS,
  DECOMPOSE_METHODS,
  type DecomposeMethodName,
  EXTRACT_DEFAULTS,
  MUSH_DEFAULTS,
  REDUCE_DEFAULTS,
} from '../../src/index.ts';
import { choice, counted, influences, type Job, number, seed } from './job-options.ts';

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

const FINE = { isFine: true };

const needsMotion: Job['refuses'] = ({ clips, animations }) =>
  clips.length + animations.length > 0 ? undefined : 'Needs a file that moves; this one stands still.';
/** Why a file without joints is refused, and one that holds more than a plain skin. */
const needsSkin =
  (words: string, more?: { of: readonly ('ddm' | 'twoLayer')[]; words: string }): Job['refuses'] =>
  (facts) => {
    if (more?.of.some((key) => facts[key])) return `${more.words}; start from the rig that it was made of.`;
    return facts.rig?.joints ? undefined : `Needs a ${words}.`;
  };
const SKINNED = 'skinned model; decompose first, or open a rig';

export const JOBS: readonly Job[] = [
  {
    name: 'decompose',
    title: 'Decompose',
    does: 'Turns whatever moves into a skin: few bones, sparse weights and their motion.',
    refuses: needsMotion,
    titleOf: (o) => {
      const name = String(o.method ?? D.method).toUpperCase();
      if (Number(o.maxError) > 0) return `${name}, by error`;
      return Number(o.bones) > 0 ? `${name}, ${counted(o.bones, 'bone')}` : name;
    },
    options: [
      choice(
        'method',
        'Method',
        'SSDR is the accurate one; the others are there to compare with. Their names say which papers.',
        D.method,
        Object.entries(DECOMPOSE_METHODS).map(([name, { summary }]) => [name, name.toUpperCase(), summary]),
      ),
      number(
        'bones',
        'Bones',
        'Bones to find: more follow more closely and cost more. 0 with SMA: as many as it finds.',
        D.bones,
        [0, 400, 1],
        { isLog: true, ...ofMethod('bones') },
      ),
      {
        key: 'maxError',
        label: 'Max error',
        note: 'Above zero: finds the fewest bones that keep every vertex this close, instead of the number above.',
        kind: 'length',
        value: 0,
        isFor: (o) => 'solveByError' in methodOf(o),
      },
      influences(
        D.influences,
        'Most weights per vertex; every player reads four. 0 with LSSP: as many as it gives.',
        0,
        ofMethod('influences'),
      ),
      choice(
        'transforms',
        'Transforms',
        'What a bone may do. Not every engine holds scale and shear.',
        D.transforms,
        [
          ['rigid', 'Rigid'],
          ['similarity', '+ scale'],
          ['affine', '+ shear'],
        ],
        { ...ofMethod('transforms'), isFor: (o) => methodOf(o).transforms.length > 1 },
      ),
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
        ...FINE,
        ...ofMethod('keepRest'),
      },
      number('iterations', 'Iterations', 'Most alternations over all vertices at the end.', D.iterations, [0, 200, 1], {
        ...FINE,
        ...ofMethod('iterations'),
      }),
      number('tolerance', 'Tolerance', 'An alternation that brings less is the last.', D.tolerance, [0, 0.1, 0.0005], {
        ...FINE,
        ...ofMethod('tolerance'),
      }),
      number('ridge', 'Ridge', 'More makes weights more local, such as 0.01.', D.ridge, [0, 0.1, 0.001], {
        ...FINE,
        ...ofMethod('ridge'),
      }),
      seed,
    ],
  },
  {
    name: 'skeleton',
    title: 'Skeleton',
    does: 'Finds a hierarchy of joints in whatever moves, with weights and joint rotations.',
    refuses: needsMotion,
    titleOf: (o) => `Skeleton${Number(o.bones) > 0 ? `, ${counted(o.bones, 'bone')}` : ''}`,
    options: [
      number('bones', 'Bones', 'Bones in all; 0 finds how many there are.', S.bones, [0, 100, 1]),
      choice('method', 'Method', 'Multipass is the accurate one; the others pass once.', S.method, [
        ['multipass', 'Multipass'],
        ['schaefer', 'Schaefer'],
        ['deaguiar', 'de Aguiar'],
        ['hasler', 'Hasler'],
      ]),
      influences(S.influences),
      seed,
    ],
  },
  {
    name: 'mush',
    title: 'Mush',
    does: 'Gives a skinned model delta-mush deformation, computed directly per vertex.',
    refuses: needsSkin(SKINNED, { of: ['ddm', 'twoLayer'], words: 'Has it already' }),
    titleOf: (o) => `Mush v${o.variant}, λ ${o.lambda}`,
    options: [
      choice(
        'variant',
        'Variant',
        '0 is the full one, 1 close to Delta Mush, 2 to 5 are cheaper and plainer.',
        M.variant,
        [0, 1, 2, 3, 4, 5].map((variant) => [variant, `v${variant}`]),
      ),
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
      number('iterations', 'Iterations', 'Smoothing steps.', M.iterations, [1, 100, 1], FINE),
      number('threshold', 'Threshold', 'Entries of less weight are dropped.', M.threshold, [0, 0.01, 0.0001], FINE),
    ],
  },
  {
    name: 'compress',
    title: 'Compress',
    does: 'Turns delta mush into virtual bones and sparse weights: its look at the price of linear blending.',
    refuses: needsSkin('skinned model, mushed or not; decompose first, or open a rig', {
      of: ['twoLayer'],
      words: 'Is compressed already',
    }),
    titleOf: (o) => `Two layers, ${counted(o.virtualBones, 'virtual bone')}`,
    options: [
      number(
        'virtualBones',
        'Virtual bones',
        'Bones between the skeleton and the skin.',
        C.virtualBones,
        [2, 1000, 1],
        { isLog: true },
      ),
      influences(C.influences, 'Most virtual bones per vertex.'),
      choice(
        'ranges',
        'Ranges of motion',
        'How far joints turn: as the paper has it, or as in the animations of this file.',
        C.ranges,
        [
          ['default', "Paper's"],
          ['auto', 'Animations'],
        ],
      ),
      choice(
        'objective',
        'Objective',
        'What is lowered: the true error, or its linear form as in the paper.',
        C.objective,
        [
          ['nonlinear', 'True'],
          ['linear', 'Linear'],
        ],
        FINE,
      ),
      number('iterations', 'Iterations', 'Alternations of weights and multi-weights.', C.iterations, [0, 64, 1], FINE),
      seed,
    ],
  },
  {
    name: 'reduce',
    title: 'Reduce',
    does: 'Gives a skinned model fewer weights per vertex, moving it as little as can be.',
    refuses: needsSkin(SKINNED, { of: ['ddm', 'twoLayer'], words: 'Has more than a plain skin' }),
    titleOf: (o) => `${counted(o.influences, 'weight')}${o.method === 'twolayer' ? ' in two layers' : ''}`,
    options: [
      influences(R.influences, 'Most weights per vertex; of two layers, blends per vertex.'),
      choice(
        'method',
        'Method',
        'Best: by exact gains in the poses of the file. K largest drops the rest; two layers blend virtual bones.',
        'auto',
        [
          ['auto', 'Best'],
          ['klargest', 'K largest'],
          ['poisson', 'Poisson'],
          ['twolayer', 'Two layers'],
        ],
      ),
      seed,
    ],
  },
  {
    name: 'convert',
    title: 'Convert',
    does: 'Turns any deformation of a rig into plain bones: helpers that follow its joints by learned controllers.',
    refuses: needsSkin('model with joints; open a rig, or decompose first'),
    titleOf: (o) => counted(o.helpers, 'helper'),
    options: [
      number('helpers', 'Helpers', 'Helper bones to add.', H.helpers, [0, 64, 1]),
      influences(H.influences),
      choice('transforms', 'Transforms', 'What helpers may do.', H.transforms, [
        ['rigid', 'Rigid'],
        ['similarity', '+ scale'],
      ]),
      choice(
        'ranges',
        'Ranges of motion',
        'Training poses: ±90° about each axis, or as in the animations of this file.',
        H.ranges,
        [
          ['default', '±90°'],
          ['auto', 'Animations'],
        ],
      ),
      number('samples', 'Samples', 'Training poses per joint.', H.samples, [2, 200, 1], FINE),
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
