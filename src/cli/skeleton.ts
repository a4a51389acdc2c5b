// SPDX-License-Identifier: MIT
import { extname } from 'node:path';
import { writeGlb } from '../gltf/write-glb.ts';
import { writeBvh } from '../io/write-bvh.ts';
import { measureBounds } from '../mesh/bounds.ts';
import type { Asset } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { type ReportResult, reportInputOf, reportMetricsOf } from '../recipe/report.ts';
import { type ExtractResult, skeleton } from '../recipe/skeleton.ts';
import type { GivenHierarchy } from '../skeleton/skeleton-options.ts';
import type { CommandSpec, Context } from './command.ts';
import { EXIT_DONE, EXIT_GATE, faultOf, JobError, UsageError } from './exit-status.ts';
import { formatCount, formatNumber } from './format-number.ts';
import { formatSkeleton } from './format-skeleton.ts';
import { listClips } from './list-clips.ts';
import { measureWritten, type Written } from './measure-written.ts';
import { type OpenedInput, openInput } from './open-input.ts';
import { lengthInFileUnits } from './parse-length.ts';
import { type CommandFacts, checkResults, makeCommandReport, saveResults } from './save-results.ts';
import { readHierarchy } from './skeleton-hierarchy.ts';
import { addSkeletonOptions, type SkeletonCommandOptions } from './skeleton-options.ts';

/** Of the error, and of the box diagonal: what fewer keys may cost. */
const KEYS_OF_ERROR = 0.1;
const KEYS_OF_DIAGONAL = 1e-4;

type SkeletonContext = Context<SkeletonCommandOptions>;

export const skeletonCommand: CommandSpec<SkeletonCommandOptions> = {
  name: 'skeleton',
  summary: 'turn an animated mesh into a character: joints, weights and joint rotations',
  description:
    'Finds the skeleton that moves a mesh: which parts hang together at which joints, weights, and rotations of those joints that give the motion back, as a GLB that ' +
    'riggers can open and engines can retarget. Measures what was written. Separate bodies get a root each.',
  arguments: [
    { name: '<input>', description: "rest.obj+motion.pc2, 'frames/*.obj', or an animated .glb or .gltf" },
    { name: '<output>', description: 'a .glb file' },
  ],
  examples: [
    { line: 'skeleton rest.obj+motion.pc2 out.glb', does: 'as many bones as the motion needs' },
    { line: 'skeleton rest.obj+motion.pc2 out.glb --bones 27 --end-joints', does: 'this many, with end joints' },
    { line: 'skeleton dance.glb out.glb --bvh dance.bvh', does: 'the motion as BVH as well' },
    { line: 'skeleton dance.glb out.glb --hierarchy rig.glb', does: 'the joints of rig.glb, fitted to the motion' },
  ],
  isStoppable: true,
  configure: addSkeletonOptions,
  async run(context) {
    const { args, options } = context;
    const [input, output] = args;
    if (extname(output).toLowerCase() !== '.glb')
      throw new UsageError(`skeleton: the output must end in .glb, not "${output}"`);
    const opened = await context.phase('read', () => openInput(input, context));
    const { hierarchy: file } = options;
    const given = file === undefined ? undefined : await context.phase('read', () => readHierarchy(file, context));
    const clips = await context.phase('bake', () => listClips(opened, options));
    const bvhPaths = options.bvh === undefined ? [] : listBvhPaths(options.bvh, clips.length);
    const paths = [...opened.paths, ...(given?.paths ?? [])];
    await checkResults(context, [output, ...bvhPaths], paths);
    const scale = {
      diagonal: measureBounds(opened.asset.mesh.positions).diagonal,
      metresPerUnit: opened.asset.metresPerUnit,
    };
    const limit = options.maxError && lengthInFileUnits(options.maxError, scale);

    const solved = await context.phase('solve', () => solve(context, opened, clips, given?.hierarchy));
    noteOutcome(context, solved, clips);
    const keys = keysOf(options, solved, scale);
    const { quantize, meshopt } = options;
    const bytes = await context.finish('write', () =>
      writeGlb(
        opened.asset,
        { kind: 'skin', model: solved.model, keys },
        { quantize, meshopt, log: (remark) => context.note(remark) },
      ),
    );
    const bvhs = bvhPaths.map((path, n) => ({ path, bytes: writeBvh(solved.model, solved.model.motions[n]) }));
    const written = await context.finish('measure', () => measureWritten(bytes, clips, opened.asset.up));

    const gate =
      limit === undefined ? undefined : { maxError: limit, max: written.error.max, isMet: written.error.max <= limit };
    const facts: CommandFacts = {
      inputs: [reportInputOf(opened.input, opened.asset)],
      metrics: reportMetricsOf(written.error),
      result: { ...resultOf(options, solved, written), keys, ...(gate ? { gate } : {}) },
      bytes: { file: bytes.length },
    };
    await saveResults(context, [{ path: output, bytes }, ...bvhs], paths, facts);
    const report = makeCommandReport(context, facts);
    context.tell(report);
    context.say(formatSkeleton(report, { output, opened, written, model: solved.model, bvhPaths }));
    if (context.signal.aborted || !gate || gate.isMet) return EXIT_DONE;
    context.progress.clear();
    context.io.stderr.write(
      `ossify: ${output}: a vertex is off by ${formatNumber(gate.max)}, more than the ${formatNumber(gate.maxError)} allowed\n`,
    );
    return EXIT_GATE;
  },
};

/** One file, or out-1.bvh, out-2.bvh … */
function listBvhPaths(path: string, count: number): string[] {
  if (extname(path).toLowerCase() !== '.bvh') throw new UsageError(`--bvh: the file must end in .bvh, not "${path}"`);
  if (count === 1) return [path];
  return Array.from({ length: count }, (_, n) => path.replace(/\.bvh$/i, `-${n + 1}$&`));
}

function keysOf(
  { keys }: SkeletonCommandOptions,
  { rmsePercent }: ExtractResult,
  scale: { diagonal: number; metresPerUnit: Asset['metresPerUnit'] },
): number {
  if (keys === undefined) return 0;
  if (keys !== true) return lengthInFileUnits(keys, scale);
  return Math.max((KEYS_OF_ERROR * rmsePercent) / 100, KEYS_OF_DIAGONAL) * scale.diagonal;
}

async function solve(
  { options, signal, progress }: SkeletonContext,
  { input }: OpenedInput,
  clips: Clip[],
  hierarchy: GivenHierarchy | undefined,
): Promise<ExtractResult> {
  const { method, bones, influences, root, endJoints, tidy, anywhere, prune, overestimate, smoothness } = options;
  const { starts, passes, iterations, tolerance, jointSolver, time, threads, seed } = options;
  try {
    return await skeleton(clips, {
      ...{ method, bones, influences, root, endJoints, tidy, anywhere, prune, overestimate, smoothness, hierarchy },
      ...{ starts, passes, iterations, tolerance, jointSolver, time, threads, seed, signal },
      onProgress: ({ phase, fraction, eRms }) => progress.show({ phase, ratio: fraction, eRms }),
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'AbortError') throw error;
    throw new JobError(`${input}: ${faultOf(error)}`, { cause: error });
  }
}

function noteOutcome({ options, signal, note }: SkeletonContext, solved: ExtractResult, clips: Clip[]): void {
  const { bodies, rigidBodies, stillBodies, model } = solved;
  const bones = solved.joints + bodies;
  if (signal.aborted) note('interrupted; writing the best so far (again to leave without)');
  else if (options.time !== undefined && solved.status === 'stopped')
    note(`stopped after ${formatNumber(options.time)} s; this is the best so far`);
  if (bodies > 1) {
    const roots = model.skeleton.names.filter((_, j) => model.skeleton.parents[j] < 0);
    note(
      `the mesh is ${bodies} separate bodies, so the skeleton is a forest with a root for each: ${roots.join(', ')}`,
    );
  }
  if (stillBodies > 0)
    note(
      stillBodies === bodies
        ? 'nothing moves, so there is one bone and no joint'
        : `${formatCount(stillBodies, 'body does', 'bodies do')} not move and got one bone each`,
    );
  else if (rigidBodies > 0)
    note(
      rigidBodies === bodies
        ? 'it moves as a whole and bends nowhere, so there is one bone and no joint'
        : `${formatCount(rigidBodies, 'body moves', 'bodies move')} as a whole and got one bone each`,
    );
  else if (clips.reduce((sum, clip) => sum + clip.times.length, 0) === 1)
    note('there is one frame, so joints are where this one pose bends; more frames would place them better');
  if (options.bones !== undefined && bones < options.bones && rigidBodies === 0)
    note(`the input has room for ${formatCount(bones, 'bone')}, not ${options.bones}`);
}

function resultOf({ method }: SkeletonCommandOptions, solved: ExtractResult, written: Written): ReportResult {
  const { influences, blendsPerVertex, between } = written;
  const { model, seconds: _seconds, ...facts } = solved;
  return {
    method,
    ...{ ...facts, bones: facts.joints + facts.bodies, influences, blendsPerVertex, between },
    rmsePercentSolved: solved.rmsePercent,
    roots: model.skeleton.names.filter((_, j) => model.skeleton.parents[j] < 0),
    clips: written.clips.map((clip) => ({
      name: clip.name,
      frames: clip.error.frameCount,
      metrics: reportMetricsOf(clip.error),
    })),
  };
}
