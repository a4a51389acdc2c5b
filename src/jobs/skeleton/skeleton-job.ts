// SPDX-License-Identifier: MIT

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { UsageError } from '../../core/model/errors.ts';
import {
  choice,
  count,
  file,
  flag,
  group,
  length,
  notNegative,
  type OptionsOf,
  type OptionType,
  option,
  outputFile,
  positive,
  type Values,
} from '../../core/options/option.ts';
import { listClips } from '../../deformers/playback/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { writeBvh } from '../../formats/shared/index.ts';
import { measureWritten } from '../../measure/index.ts';
import { JOINT_SOLVERS, PRUNE_RULES, type RootChoice, SKELETON_METHODS } from '../../methods/skeleton/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  FRAME_OPTIONS,
  formatCount,
  type JobContext,
  KEY_OPTIONS,
  MOVING_INPUT,
  makeGoalGate,
  needsMotion,
  type Report,
  refuseUnread,
  reportMetricsOf,
  reportWritten,
  TOGETHER_OPTION,
} from '../engine/index.ts';
import {
  animationRows,
  describeInfluences,
  describeModel,
  formatTree,
  readWritten,
  warnBetween,
  warnImprecise,
  warnStopped,
} from '../report/index.ts';
import {
  CHARACTER_OUTPUT,
  checkDenoise,
  checkSizeOptions,
  goalOf,
  keyTolerance,
  listDenoisedPaths,
  MEAN_GATES,
  NOISE_OPTIONS,
  noiseOf,
  noteNoise,
  ROUNDED,
  reportSize,
  SIZE_OPTIONS,
  shrinkModel,
  writeDenoised,
} from '../shared/index.ts';
import { EXTRACT_DEFAULTS, type ExtractResult, skeleton } from './extract.ts';
import { readHierarchy } from './read-hierarchy.ts';

const D = EXTRACT_DEFAULTS;
const MAX_BONES = 4096;

/** A bone by name, or a point. */
const root: OptionType<RootChoice> = {
  placeholder: '<bone>',
  parse(text) {
    const parts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    if (parts.length === 3 && parts.every(Number.isFinite)) return [parts[0], parts[1], parts[2]];
    if (text.trim() === '') throw new UsageError('', 'Give the name of a bone, or a point such as 0,1,0.');
    return text;
  },
};

const OPTIONS = {
  ...group('Model options:', {
    method: option(choice(SKELETON_METHODS), 'multipass is the accurate method; the others solve once', {
      default: D.method,
      form: {
        label: 'Method',
        note: 'Multipass is the accurate method; the others solve once.',
        labels: { multipass: 'Multipass', schaefer: 'Schaefer', deaguiar: 'de Aguiar', hasler: 'Hasler' },
      },
    }),
    bones: option(count(1, MAX_BONES), 'number of bones (default: found from the motion)', {
      form: { label: 'Bones', note: 'Number of bones; 0 finds it from the motion.', range: [0, 100, 1] },
    }),
    influences: option(count(1, 32), 'maximum weights per vertex', {
      default: D.influences,
      form: { label: 'Influences', range: [1, 16, 1] },
    }),
    maxError: option(length, 'maximum vertex error: 0.01, 1mm or 0.5%; exit with status 3 if it is exceeded', {
      conflicts: ['rms', 'kg'],
    }),
  }),
  ...MEAN_GATES,
  ...group('Skeleton options:', {
    root: option(
      root,
      'root bone: a bone name from a run without this option, or the bone nearest to x,y,z (default: a bone of the trunk)',
    ),
    endJoints: option(flag, 'add a joint without weights at the end of every chain'),
    hierarchy: option(file, 'use the joints of this skinned glTF, or of a JSON list of { name, parent, position }', {
      conflicts: ['bones', 'root', 'method'],
    }),
    tidy: option(flag, 'place joints nearer to where their bones blend, at a larger error', {
      conflicts: ['anywhere'],
    }),
    asPublished: option(
      flag,
      'schaefer, deaguiar, hasler: keep the rotations of the bones when they are connected, as in the papers, instead of solving poses and weights again',
      { conflicts: ['tidy', 'anywhere', 'hierarchy'] },
    ),
    anywhere: option(flag, 'place joints wherever the error is lowest, inside the body or not'),
  }),
  ...group('Solver options:', {
    prune: option(
      choice(PRUNE_RULES, '<rule>'),
      'without --bones: remove bones by exact cost, or when their weights have faded',
      {
        default: D.prune,
      },
    ),
    starts: option(count(1, 100), 'number of initial decompositions; the one with the lowest error is kept', {
      default: D.starts,
    }),
    overestimate: option(count(2, MAX_BONES), 'without --bones: number of bones to start from', {
      default: D.overestimate,
    }),
    smoothness: option(notNegative(), 'regularization of weights in the first passes', { default: D.smoothness }),
    passes: option(count(0), 'passes with soft joints before they are strict', { default: D.passes }),
    iterations: option(count(0), 'maximum iterations with strict joints', { default: D.iterations }),
    tolerance: option(
      notNegative('<ratio>'),
      'stop when two iterations in a row improve the error by less than this ratio',
      {
        default: D.tolerance,
      },
    ),
    jointSolver: option(
      choice(['auto', ...JOINT_SOLVERS]),
      'initial position of a joint (auto: as in the paper of the method)',
      {
        default: D.jointSolver,
      },
    ),
    time: option(positive('<seconds>'), 'time limit in seconds; the best result so far is kept'),
  }),
  ...group('Output options:', {
    bvh: option(outputFile, 'also write the motion as BVH, one file per clip'),
  }),
  ...NOISE_OPTIONS,
  ...SIZE_OPTIONS,
  ...KEY_OPTIONS,
  ...FRAME_OPTIONS,
  ...TOGETHER_OPTION,
  ...COMMON_OPTIONS,
};

/** Options of the search for bones and joints. */
const SEARCH = ['prune', 'starts', 'overestimate', 'smoothness', 'passes', 'jointSolver'];
/** Options of the method with several passes. */
const PASSES = ['prune', 'starts', 'smoothness', 'passes', 'iterations', 'tolerance'];

type Context = JobContext<OptionsOf<typeof OPTIONS>>;

export const skeletonJob = defineJob({
  name: 'skeleton',
  title: 'Skeleton',
  summary: 'turn an animated mesh into a character: joints, weights and joint rotations',
  description:
    'Finds the skeleton that moves a mesh: a hierarchy of joints, weights, and joint rotations that reproduce the motion, as a GLB for ' +
    'riggers and for retargeting. Measures what was written. Separate bodies get a root each.',
  inputs: [MOVING_INPUT],
  output: CHARACTER_OUTPUT,
  examples: [
    { line: 'skeleton rest.obj+motion.pc2 out.glb', does: 'as many bones as the motion needs' },
    { line: 'skeleton rest.obj+motion.pc2 out.glb --bones 27 --end-joints', does: '27 bones, with end joints' },
    { line: 'skeleton dance.glb out.glb --bvh dance.bvh', does: 'also write the motion as BVH' },
    { line: 'skeleton dance.glb out.glb --hierarchy rig.glb', does: 'fit the joints of rig.glb to the motion' },
  ],
  options: OPTIONS,
  isStoppable: true,
  refuses: needsMotion,
  titleOf: (values: Values) =>
    `Skeleton${Number(values.bones) > 0 ? `, ${formatCount(Number(values.bones), 'bone')}` : ''}`,
  check(options, job) {
    const { output = '' } = job;
    const { bvh, asPublished, method } = options;
    if (options.hierarchy !== undefined)
      refuseUnread(job, SEARCH, 'has no effect with --hierarchy, which gives the bones and joints; remove it');
    if (options.bones !== undefined)
      refuseUnread(job, ['prune', 'overestimate'], 'has no effect with --bones, which gives their number; remove it');
    if (method !== 'multipass')
      refuseUnread(job, PASSES, `has no effect with --method ${method}, which solves once; remove it`);
    checkSizeOptions(options, output);
    checkDenoise(options.denoise);
    if (asPublished && method === 'multipass')
      throw new UsageError('--as-published', 'requires --method schaefer, deaguiar or hasler');
    if (bvh !== undefined && !/\.bvh$/i.test(bvh))
      throw new UsageError('--bvh', `the file must end in .bvh, not "${bvh}"`);
  },
  async run(context) {
    const { options, output, signal } = context;
    const opened = await context.open(context.job.inputs[0]);
    const { asset } = opened;
    const { diagonal } = measureBounds(asset.mesh.positions);
    const hierarchy = options.hierarchy === undefined ? undefined : await readHierarchy(options.hierarchy, context);
    const clips = await context.phase('bake', () => listClips(opened, options));
    const bvhPaths = options.bvh === undefined ? [] : listBvhPaths(options.bvh, clips.length);
    await context.claim([output, ...bvhPaths, ...listDenoisedPaths(options.denoise, clips)]);
    warnImprecise(clips, (text) => context.note(text));
    const { keys: keyOption, hierarchy: _file, ...own } = options;
    const solved = await context.phase('solve', async () =>
      skeleton(clips, {
        ...{ ...own, hierarchy, signal, onProgress: context.progress },
        ...{ noise: noiseOf(context, asset), compute: await context.compute() },
      }),
    );
    noteNoise(context, solved.noise, asset, clips);
    noteOutcome(
      context,
      solved,
      clips.reduce((sum, clip) => sum + clip.times.length, 0),
    );
    const keys =
      keyOption === undefined
        ? 0
        : keyOption === true
          ? keyTolerance((solved.rmsePercent / 100) * diagonal, diagonal)
          : context.lengthOf(keyOption, asset);
    const goal = goalOf(options, asset, clips);
    const small =
      options.for === undefined
        ? undefined
        : await shrinkModel(context, asset, clips, solved.model, {
            ...{ goal: goal ?? { kind: 'rms', limit: ROUNDED * (solved.rmsePercent / 100) * diagonal } },
            ...{ isFree: false, codec: options.codec },
          });
    const bytes =
      small?.bytes ??
      (await context.finish('write', () =>
        writeGlb(asset, { kind: 'skin', model: solved.model, keys }, context.storing),
      ));
    const bvh = bvhPaths.map((path, n) => ({ path, bytes: writeBvh(solved.model, solved.model.motions[n]) }));
    const denoised = await writeDenoised(options.denoise, asset, clips, solved.model);
    const written =
      small?.written ??
      (await context.finish('measure', async () =>
        measureWritten(await readWritten(bytes), clips, {
          ...{ up: asset.up, compute: await context.compute(), ...context.measuring },
        }),
      ));
    const warned = warnBetween(context, written);
    const { model, seconds: _seconds, ...facts } = solved;
    const { names, parents } = model.skeleton;
    return {
      inputs: [opened],
      files: [{ path: output, bytes }, ...bvh, ...denoised],
      gate: makeGoalGate(goal, written),
      metrics: reportMetricsOf(written.error),
      result: {
        method: options.method,
        ...(small ? reportSize(small) : {}),
        ...{ ...facts, ...reportWritten(written), bones: facts.joints + facts.bodies },
        rmsePercentSolved: solved.rmsePercent,
        keys,
        ...warned,
        roots: names.filter((_, j) => parents[j] < 0),
        skeleton: { names, parents: [...parents] },
      },
      bytes: { file: bytes.length },
    };
  },
  describe: describeSkeleton,
});

/** One file, or out-1.bvh, out-2.bvh … */
function listBvhPaths(path: string, clipCount: number): string[] {
  if (clipCount === 1) return [path];
  return Array.from({ length: clipCount }, (_, n) => path.replace(/\.bvh$/i, `-${n + 1}$&`));
}

function noteOutcome(context: Context, solved: ExtractResult, frames: number): void {
  const { bodies, rigidBodies, stillBodies, model, joints } = solved;
  const bones = joints + bodies;
  warnStopped(context, solved.status);
  const note = (text: string) => context.note(text);
  if (bodies > 1) {
    const roots = model.skeleton.names.filter((_, j) => model.skeleton.parents[j] < 0);
    note(`the mesh has ${bodies} separate bodies; each has its own root: ${roots.join(', ')}`);
  }
  if (stillBodies > 0)
    note(
      stillBodies === bodies
        ? 'nothing moves; writing one bone and no joint'
        : `${formatCount(stillBodies, 'body does', 'bodies do')} not move and got one bone each`,
    );
  else if (rigidBodies > 0)
    note(
      rigidBodies === bodies
        ? 'the mesh moves as a whole and does not bend; writing one bone and no joint'
        : `${formatCount(rigidBodies, 'body moves', 'bodies move')} as a whole and got one bone each`,
    );
  else if (frames === 1) note('there is only one frame; more frames would place the joints better');
  const { bones: wanted } = context.options;
  if (wanted !== undefined && bones < wanted && rigidBodies === 0)
    note(`the input supports only ${formatCount(bones, 'bone')}; using ${bones} instead of ${wanted}`);
}

function describeSkeleton(report: Report) {
  const { result } = report;
  const roots = Number(result.bodies) > 1 ? `, ${result.bodies} roots` : '';
  const outside = Number(result.outside);
  const placed = Number(result.outsideBefore) - outside;
  const inside = placed > 0 ? `, ${placed} moved inside` : '';
  return describeModel(report, {
    before: '',
    after: `${formatCount(result.bones ?? 0, 'bone')}${roots}, ${describeInfluences(result)}`,
    errors: animationRows(report, ''),
    more: [
      `${formatCount(Number(result.joints), 'joint')}, ${outside} outside the body${inside}`,
      formatTree(result.skeleton as { names: string[]; parents: number[] }),
    ],
  });
}
