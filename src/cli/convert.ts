// SPDX-License-Identifier: MIT
import { basename, extname } from 'node:path';
import { HELPER_EXTENSION } from '../extension/pack-helper-bones.ts';
import { writeGlb } from '../gltf/write-glb.ts';
import { measureBounds } from '../mesh/bounds.ts';
import type { SkinnedModel } from '../model/asset.ts';
import { maxInfluencesOf } from '../model/skin.ts';
import { CONVERT_DEFAULTS, type ConvertResult, convert } from '../recipe/convert.ts';
import { addHelperMotion, bakeHelperMotions } from '../recipe/convert-bake.ts';
import { writeBlenderDrivers } from '../recipe/convert-blender.ts';
import { listControllers } from '../recipe/convert-controllers.ts';
import { type ReportMetrics, type ReportResult, reportInputOf } from '../recipe/report.ts';
import type { CommandSpec, Context } from './command.ts';
import { readRangesOption } from './compress-options.ts';
import { type ConvertInput, openConvertInput } from './convert-input.ts';
import { addConvertOptions, type ConvertCommandOptions } from './convert-options.ts';
import { EXIT_DONE, EXIT_GATE, faultOf, JobError, UsageError } from './exit-status.ts';
import { formatConverted } from './format-converted.ts';
import { formatCount, formatNumber } from './format-number.ts';
import { jsonText } from './json-text.ts';
import { type MeasuredConverted, measureConverted } from './measure-converted.ts';
import { noteCorrections } from './note-corrections.ts';
import { lengthInFileUnits } from './parse-length.ts';
import { type CommandFacts, checkResults, makeCommandReport, saveResults } from './save-results.ts';
import type { OutputFile } from './write-output.ts';

type ConvertContext = Context<ConvertCommandOptions>;

export const convertCommand: CommandSpec<ConvertCommandOptions> = {
  name: 'convert',
  summary: 'turn any rig into plain bones: weights, helper bones, and the controllers that move them',
  description:
    'Samples a rig as a black box (delta mush, corrective shapes, muscles …) and writes it as linear blend skinning with helper bones: their keys for every ' +
    `animation, so that it plays anywhere, and ${HELPER_EXTENSION} with the controllers that move them in new poses. Measures what was written, read back, at random poses.`,
  arguments: [
    {
      name: '<input>',
      description: 'a rigged .glb or .gltf, sample:NAME (ossify sample --list), or a clip with --skeleton',
    },
    { name: '<output>', description: 'a .glb file' },
  ],
  examples: [
    { line: 'convert rig.glb out.glb --helpers 4', does: 'four helper bones' },
    { line: 'convert rig.glb out.glb --max-error 2mm', does: 'as many as keep every vertex that close' },
    { line: 'convert sample:muscle-arm out.glb --helpers 2 --drivers blender', does: 'and out.blender.py' },
    { line: 'convert body.glb out.glb --around LeftArm --controllers out.json', does: 'helpers at one shoulder' },
    { line: 'convert rest.obj+sim.pc2 out.glb --skeleton rig.glb', does: 'a simulation of a known skeleton' },
  ],
  isStoppable: true,
  configure: addConvertOptions,
  async run(context) {
    const { options, args } = context;
    const [input, output] = args;
    checkUsage(options, output);
    const ranges = await readRangesOption(options.ranges);
    const opened = await context.phase('read', () => openConvertInput(input, context));
    const script = options.drivers && output.replace(/\.glb$/i, `.${options.drivers}.py`);
    const extra = [options.controllers, script].filter((path) => path !== undefined);
    await checkResults(context, [output, ...extra], opened.paths);
    noteCorrections(context, opened.asset);
    const { diagonal } = measureBounds(opened.asset.mesh.positions);
    const scale = { diagonal, metresPerUnit: opened.asset.metresPerUnit };
    const limit = options.maxError && lengthInFileUnits(options.maxError, scale);

    const result = await context.phase('solve', () => solve(context, opened, ranges, limit));
    tellNotes(context, result, options.helpers ?? (limit === undefined ? CONVERT_DEFAULTS.helpers : 0));
    const bytes = await context.finish('write', () => write(context, opened, result));
    const clip = 'clip' in opened.rig ? opened.rig.clip : undefined;
    const measured = await context.finish('measure', () =>
      measureConverted(bytes, result, clip, {
        ...{ poses: options.poses, seed: options.seed, normals: options.normals > 0 },
        onPose: async (part) => {
          context.progress.show({ phase: 'measure', ratio: part });
          // an interrupt is heard only between tasks
          await new Promise((resolve) => setImmediate(resolve));
          return context.signal.aborted && part > 0;
        },
      }),
    );
    if (context.signal.aborted) context.note('interrupted; writing the best so far (again to leave without)');
    const max =
      result.tried.find(({ helpers }) => helpers === result.model.controllers.length)?.max ?? measured.error.max;
    const gate = limit === undefined ? undefined : { maxError: limit, max, isMet: max <= limit };
    const facts: CommandFacts = {
      inputs: [reportInputOf(input, opened.asset)],
      metrics: metricsOf(measured, diagonal),
      result: { ...resultOf(options, result, measured), ...(gate ? { gate } : {}) },
      bytes: { file: bytes.length },
    };
    const files: OutputFile[] = [{ path: output, bytes }];
    if (options.controllers !== undefined)
      files.push({ path: options.controllers, bytes: `${jsonText(listControllers(result.model))}\n` });
    if (script !== undefined) files.push({ path: script, bytes: writeBlenderDrivers(result.model, basename(output)) });
    await saveResults(context, files, opened.paths, facts);
    const report = makeCommandReport(context, facts);
    context.tell(report);
    context.say(formatConverted(report, opened, result, measured, files));
    if (context.signal.aborted || !gate || gate.isMet) return EXIT_DONE;
    context.progress.clear();
    context.io.stderr.write(
      `ossify: ${output}: a vertex is off by ${formatNumber(gate.max)}, more than the ${formatNumber(gate.maxError)} allowed\n`,
    );
    return EXIT_GATE;
  },
};

function checkUsage({ maxError, skeleton, morphDrivers }: ConvertCommandOptions, output: string): void {
  if (extname(output).toLowerCase() !== '.glb')
    throw new UsageError(`convert: the output must end in .glb, not "${output}"`);
  if (maxError?.value === 0) throw new UsageError('--max-error: no conversion is exact; give a length above zero');
  if (skeleton !== undefined && morphDrivers !== undefined)
    throw new UsageError('--skeleton and --morph-drivers exclude each other: a clip has no morph targets to drive');
}

/** Runs the conversion; faults become sentences about the input, or about the file they come from. */
async function solve(
  { options, signal, progress }: ConvertContext,
  { input, rig, motions, drivers }: ConvertInput,
  ranges: Awaited<ReturnType<typeof readRangesOption>>,
  maxError: number | undefined,
): Promise<ConvertResult> {
  const { helpers, around, influences, transforms, samples, sampling, epsilon, order, beta, joints, normals } = options;
  try {
    return await convert(rig, {
      ...{ helpers, around, influences, transforms, samples, sampling, epsilon, order, beta, joints, normals },
      ...{
        iterations: options.iterations,
        seed: options.seed,
        threads: options.threads,
        ranges,
        maxError,
        drivers,
        motions,
      },
      signal,
      onProgress: ({ phase, fraction, eRms }) => progress.show({ phase, ratio: fraction, eRms }),
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'AbortError' || error instanceof UsageError) throw error;
    const isOfRanges = error.message.startsWith('ranges of motion: ') && typeof ranges === 'object';
    const isOfDrivers = error.message.startsWith('morph drivers: ');
    const file = isOfRanges ? options.ranges : isOfDrivers ? options.morphDrivers! : input;
    throw new JobError(`${file}: ${faultOf(error).replace(/^(ranges of motion|morph drivers|helper bones): /, '')}`, {
      cause: error,
    });
  }
}

function tellNotes(context: ConvertContext, { idle, status, model }: ConvertResult, wanted: number): void {
  const found = model.controllers.length;
  if (idle.length > 0) {
    const named = idle.slice(0, 3).map((name) => `"${name}"`);
    const more = idle.length > 3 ? ` and ${idle.length - 3} more` : '';
    context.note(`${named.join(', ')}${more} can turn and move${idle.length === 1 ? 's' : ''} nothing`);
  }
  if (status === 'stalled') context.note(`no number of helpers keeps every vertex that close; this is with ${found}`);
  if (status === 'converged' && found < wanted)
    context.note(
      found === 0
        ? 'the joints alone make this shape, so that no helper is of use and none was added'
        : `${formatCount(found, 'helper')} of ${wanted} ${found === 1 ? 'is' : 'are'} of use; the others were left out`,
    );
}

function write(context: ConvertContext, opened: ConvertInput, result: ConvertResult): Promise<Uint8Array<ArrayBuffer>> {
  const { quantize, meshopt } = context.options;
  const { model, bones } = result;
  const common = { quantize, meshopt, log: (remark: string) => context.note(remark) };
  if (opened.rig === opened.asset) {
    const motions = bakeHelperMotions(opened.asset, model, bones.subarray(0, bones.length - model.controllers.length));
    const dropMorphs = opened.drivers !== undefined;
    return writeGlb(opened.asset, { kind: 'converted', model, bones, motions, dropMorphs }, common);
  }
  const motions = opened.motions.map((motion) => addHelperMotion(model, motion));
  const { mesh, skeleton, skin } = model;
  const skinned: SkinnedModel = { kind: 'skin', mesh, skeleton, skin, motions };
  const { controllers } = model;
  return writeGlb({ ...opened.asset, clips: [] }, { kind: 'skin', model: skinned, controllers }, common);
}

function metricsOf({ error }: MeasuredConverted, diagonal: number): ReportMetrics {
  const { alpha, rmse, max, p99, normalDegrees } = error;
  return {
    alpha,
    rmse,
    rmsePercent: (100 * rmse) / (diagonal || 1),
    max,
    p99,
    ...(normalDegrees === undefined ? {} : { normalDegrees }),
  };
}

function resultOf(options: ConvertCommandOptions, result: ConvertResult, measured: MeasuredConverted): ReportResult {
  const { model, rmse, status, tried } = result;
  const { skin, controllers, skeleton } = model;
  return {
    bones: skeleton.names.length,
    helpers: controllers.length,
    influences: maxInfluencesOf(skin),
    blendsPerVertex: skin.weights.length / (skin.rowStart.length - 1),
    status,
    transforms: options.transforms ?? CONVERT_DEFAULTS.transforms,
    evaluations: result.evaluations,
    trainingPoses: result.poses,
    testPoses: measured.error.poses,
    idle: result.idle,
    controllers: result.helpers,
    training: rmse,
    ...(measured.lbs ? { lbs: { alpha: measured.lbs.alpha, rmse: measured.lbs.rmse, max: measured.lbs.max } } : {}),
    ...(measured.baked === undefined ? {} : { baked: measured.baked }),
    ...(measured.controllerMicroseconds === undefined
      ? {}
      : { controllerMicroseconds: measured.controllerMicroseconds }),
    ...(tried.length > 0 ? { tried } : {}),
  };
}
