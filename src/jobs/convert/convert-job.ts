// SPDX-License-Identifier: MIT

import { checkMaxError } from '../../core/options/length.ts';
import type { Values } from '../../core/options/option.ts';
import { settlePath } from '../../core/options/settle-path.ts';
import { checkPath } from '../../core/options/step.ts';
import { HELPER_EXTENSION } from '../../deformers/helper-bones/index.ts';
import { HELPERS } from '../../methods/convert/index.ts';
import {
  defineJob,
  formatCount,
  type JobContext,
  type JobFacts,
  needsSkinOrShapes,
  type ReportResult,
  refuseUnread,
} from '../engine/index.ts';
import { CHARACTER_OUTPUT, checkSmallOptions, readRangesOption } from '../shared/index.ts';
import { openConvertInput } from './convert-input.ts';
import { CLIP, ELIMINATION, FACE, RIG_FILE, RIG_SAMPLE } from './convert-paths.ts';
import { describeConverted, runConvertRig } from './convert-rig-job.ts';
import { describeShapes, runConvertShapes } from './convert-shapes-job.ts';
import { CONVERT_OPTIONS, type ConvertJobOptions } from './convert-steps.ts';
import { describeEliminated, runEliminate } from './eliminate-job.ts';

export const convertJob = defineJob({
  name: 'convert',
  title: 'Convert',
  summary: 'convert a rig to plain bones: helper bones and their controllers',
  description:
    'Samples a skeleton-driven rig as a black box (delta mush, corrective shapes, muscles …) and writes it as linear blend skinning with helper bones: their keys for every ' +
    `animation, so that it plays anywhere, and ${HELPER_EXTENSION} with the controllers that move them in new poses. Measures what was written at random poses.`,
  inputs: [
    {
      name: 'input',
      description:
        'a rigged .glb or .gltf, a face of morph targets, sample:NAME (see ossify sample --list), or a clip, with its bones (--skeleton) or without',
    },
  ],
  output: CHARACTER_OUTPUT,
  examples: [
    { line: 'convert rig.glb out.glb --helpers 4', does: 'four helper bones' },
    { line: 'convert face.glb out.glb --bones 40', does: 'morph targets as 40 driven bones' },
    { line: 'convert rig.glb out.glb --max-error 2mm', does: 'as many helper bones as the error needs' },
    { line: 'convert sample:muscle-arm out.glb --helpers 2 --drivers blender', does: 'also write out.blender.py' },
    { line: 'convert body.glb out.glb --around LeftArm --controllers out.json', does: 'helper bones at one shoulder' },
    { line: 'convert rest.obj+sim.pc2 out.glb --skeleton rig.glb', does: 'a simulation of a known skeleton' },
  ],
  options: CONVERT_OPTIONS,
  isStoppable: true,
  refuses: needsSkinOrShapes,
  titleOf(values: Values, result?: ReportResult) {
    const helpers = Number(result?.helpers ?? values.helpers ?? HELPERS);
    return helpers === 0 ? 'Plain bones already' : formatCount(helpers, 'helper');
  },
  check(options, job) {
    if (options.eliminate !== undefined) checkPath(ELIMINATION, job.options ?? {});
    checkSmallOptions(options, job.output);
    checkMaxError(options.maxError, 'conversion');
    if (options.target === 'dual-quaternion' && options.transforms !== 'rigid')
      refuseUnread(job, ['transforms'], 'must be rigid with --target dual-quaternion, which blends rigid bones only');
  },
  run: (context) => (context.options.eliminate === undefined ? runConvert(context) : runElimination(context)),
  describe: (report) =>
    report.result.removedJoints
      ? describeEliminated(report)
      : report.result.shapes === undefined
        ? describeConverted(report)
        : describeShapes(report),
});

async function runElimination(context: JobContext<ConvertJobOptions>): Promise<JobFacts> {
  const opened = await context.open(context.job.inputs[0]);
  return runEliminate(context, opened, settlePath(ELIMINATION, context.job));
}

/** Takes the path of the input: a rig, a sample rig, a clip, or shapes. */
async function runConvert(context: JobContext<ConvertJobOptions>): Promise<JobFacts> {
  const { job } = context;
  const ranges = await readRangesOption(context.options.ranges, context);
  const opened = await openConvertInput(context);
  if (opened.path === 'shapes') return runConvertShapes(context, opened, settlePath(FACE, job));
  switch (opened.source.kind) {
    case 'asset':
      return runConvertRig(context, opened, { ...settlePath(RIG_FILE, job), ranges });
    case 'rig':
      return runConvertRig(context, opened, { ...settlePath(RIG_SAMPLE, job), ranges });
    case 'clip':
      return runConvertRig(context, opened, settlePath(CLIP, job));
  }
}
