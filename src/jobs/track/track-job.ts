// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { type Clip, frameOf } from '../../core/model/clip/clip.ts';
import { InterruptedError, UsageError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { normalizeAxes } from '../../core/model/mesh/normalize-axes.ts';
import {
  defineJob,
  formatBytes,
  formatCount,
  formatNumber,
  type JobFacts,
  type OutputFile,
  type Report,
} from '../engine/index.ts';
import { describeWork, warnStopped } from '../report/index.ts';
import {
  ALL_EXTENSIONS,
  CHARACTER_EXTENSIONS,
  FRAMES_EXTENSIONS,
  findFramesFormat,
  listExtensions,
} from '../shared/index.ts';
import { checkMisfits, listMisfitWarnings } from './judge-misfits.ts';
import { measureTracked, type TrackedDistance } from './measure-tracked.ts';
import { type OpenedSequence, openSequence } from './open-sequence.ts';
import { prepareFrames } from './prepare-frames.ts';
import { type SkinFile, solveSkin } from './solve-skin.ts';
import { type TrackedClip, trackPrepared } from './track.ts';
import { checkSmall } from './track-small.ts';
import { checkTrackOptions, OPTIONS, pathOf, type TrackContext } from './track-steps.ts';

export const trackJob = defineJob({
  name: 'track',
  title: 'Track',
  summary: 'turn a sequence of meshes with changing topology into a clip and a skin',
  description:
    'Registers one mesh, the template, to every frame of a sequence whose vertices and triangles change, as 4D scanners and generators write them. Writes a skinned model, ' +
    'or the tracked frames with fixed topology, and measures the distance between the written surface and every frame, both ways.',
  inputs: [
    {
      name: 'input',
      description: "meshes in order: 'scan/*.obj', a folder, a.ply+b.ply+c.ply, or a flip-book in a .glb",
    },
  ],
  output: {
    description: `a skin (${listExtensions(CHARACTER_EXTENSIONS)}) or frames (${listExtensions(FRAMES_EXTENSIONS)})`,
    extensions: ALL_EXTENSIONS,
    isCharacter: true,
  },
  // frames have parts of their own
  replaces: ['meshes', 'parts', 'triangles', 'joints', 'nodes', 'morphTargets', 'animations', 'deformers'],
  examples: [
    { line: "track 'scan/*.obj' dancer.glb --fps 30", does: 'a skin of 60 bones' },
    { line: "track 'scan/*.ply' dancer.glb --clip dancer.abc", does: 'the skin, and the frames it was made from' },
    { line: "track 'scan/*.obj' dancer.glb --for size --codec ossify", does: 'the smallest file, with displacements' },
    { line: 'track scan dancer.abc --template 12', does: 'frames only; frame 12 is registered to the others' },
    { line: "track 'scan/*.obj' dancer.glb --template clean.obj --bones 40", does: 'a mesh of your own, with its UVs' },
  ],
  options: OPTIONS,
  isStoppable: true,
  check: checkTrackOptions,
  async run(context) {
    const { options, output } = context;
    const path = pathOf(options, output);
    const opened = await openSequence(context);
    const sequence = prepareSequence(context, opened, path !== 'frames');
    if (path === 'small') checkSmall(options, sequence.meshes, sequence.given);
    const clipPath = path === 'frames' ? output : options.clip;
    await context.claim([
      ...(path === 'frames' ? [] : [output]),
      ...(clipPath === undefined ? [] : listClipPaths(clipPath, opened.frames.length)),
    ]);
    const tracked = await trackSequence(context, sequence);
    const warnings = judge(context, sequence, tracked);
    const result = describeClip(context, sequence, tracked);
    const skin = path === 'frames' ? undefined : await solveSkin(context, { ...sequence, ...result });
    if (path === 'frames') warnStopped(context);
    const files: OutputFile[] = skin ? [{ path: output, bytes: skin.bytes }] : [];
    if (clipPath !== undefined) files.push(...(await context.finish('write', () => writeClip(result.clip, clipPath))));
    const distances = await measureDistances(context, sequence.meshes, result.clip, skin);
    return makeFacts(context, { sequence, tracked, warnings, skin, files, distances, ...result });
  },
  describe: describeTracked,
});

/** A sequence that is ready for tracking. */
interface Sequence extends OpenedSequence {
  /** The meshes of the frames, and of the template file. */
  meshes: Mesh[];
  given?: Mesh;
  /** Unit of the file, of lengths without a unit, in units of the frames. */
  unitScale: number;
}

/** The tracked clip, with the name, the attributes and the times of its sources. */
interface TrackedResult {
  source: OpenedSequence['frames'][number];
  clip: Clip;
  asset: Asset;
}

function prepareSequence(context: TrackContext, opened: OpenedSequence, isCharacter: boolean): Sequence {
  const { frames, file } = opened;
  // numbers of formats without a unit are not changed, but a character is in metres with y up, as glTF has it
  const unitScale = isCharacter ? (frames[0].asset.metresPerUnit ?? 1) : 1;
  if (isCharacter) for (const input of [...frames, ...(file ? [file] : [])]) input.asset = normalizeAxes(input.asset);
  return { ...opened, ...prepareMeshes(context, opened), unitScale };
}

/** The meshes of the frames and of the template file, without specks and turned outward. */
function prepareMeshes(
  context: TrackContext,
  { frames: opened, names, file }: OpenedSequence,
): { meshes: Mesh[]; given?: Mesh } {
  const prepared = prepareFrames(
    opened.map(({ asset }) => asset.mesh),
    file?.asset.mesh,
  );
  const { frames, template, isInward, isAllInward, turned, isTemplateTurned, rotated, debris } = prepared;
  if (debris.parts > 0)
    context.note(
      `dropping ${formatCount(debris.parts, 'small part')} of ${formatCount(debris.frames, 'frame')}: neighbouring frames do not have ${debris.parts === 1 ? 'it' : 'them'}`,
    );
  if (isInward)
    context.note(`the triangles of ${isAllInward ? 'the' : 'most'} frames face inward; turning them outward`);
  for (const k of turned) context.note(`${names[k]}: its triangles face inward; turning them outward`);
  if (file && isTemplateTurned) context.note(`${file.input}: its triangles face inward; turning them outward`);
  for (const k of rotated)
    context.note(
      `${names[k]}: is turned by a right angle against the frames beside it; check the up axis of its export`,
    );
  return { meshes: frames, given: template };
}

async function trackSequence(context: TrackContext, { meshes, given, names, file }: Sequence): Promise<TrackedClip> {
  const { options, signal } = context;
  const template = given || options.template === undefined ? given : Number(options.template);
  const searchDevice = options.gpu ? await context.searchDevice() : undefined;
  return context.phase('track', () =>
    trackPrepared(meshes, {
      ...{ ...options, searchDevice, template, names, templateName: file?.input },
      ...{ signal, onProgress: context.progress },
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      throw new InterruptedError('interrupted before all frames were tracked; nothing was written');
    }),
  );
}

/** Refuses frames of another object; notes and returns warnings about frames that were not followed. */
function judge(context: TrackContext, { names, file }: Sequence, { misfits }: TrackedClip): string[] {
  if (!context.options.force) checkMisfits(misfits, names, file?.input, 'use --force to write the result anyway');
  const warnings = listMisfitWarnings(misfits, names, file?.input);
  for (const warning of warnings) context.note(warning);
  return warnings;
}

function describeClip({ options }: TrackContext, sequence: Sequence, tracked: TrackedClip): TrackedResult {
  const { frames, file, meshes, given, times } = sequence;
  const { template = 0 } = tracked;
  const source = file ?? frames[template];
  const mesh = given ?? meshes[template];
  const ownTimes = options.fps === undefined && times ? { times } : {};
  const clip: Clip = { ...tracked.clip, name: source.asset.name, mesh, ...ownTimes };
  return { source, clip, asset: { ...source.asset, mesh, clips: [clip], animations: [] } };
}

/** Distances of the tracked frames, and of the skin, from the frames. */
async function measureDistances(
  context: TrackContext,
  meshes: readonly Mesh[],
  clip: Clip,
  skin: SkinFile | undefined,
): Promise<TrackedDistance[]> {
  const shown = [clip, ...(skin ? [skin.played] : [])];
  return context.finish('measure', async () =>
    measureTracked(
      await context.compute(),
      meshes,
      shown.map((moving) => ({ triangles: moving.mesh.triangles, positionsAt: (k) => frameOf(moving, k) })),
    ),
  );
}

interface TrackedFiles extends TrackedResult {
  sequence: Sequence;
  tracked: TrackedClip;
  warnings: string[];
  skin: SkinFile | undefined;
  files: OutputFile[];
  /** Of the tracked frames, and of the skin. */
  distances: TrackedDistance[];
}

/** The files and the facts of the report. */
function makeFacts(context: TrackContext, made: TrackedFiles): JobFacts {
  const { sequence, tracked, warnings, skin, files, distances, source, clip, asset } = made;
  const { frames, file } = sequence;
  const byteLength = frames.reduce((sum, frame) => sum + frame.asset.byteLength, 0);
  const [ofClip, ofSkin] = distances;
  return {
    inputs: [{ ...source, input: context.job.inputs[0], asset: { ...asset, byteLength } }],
    files,
    result: {
      template: file ? file.input : frames[tracked.template ?? 0].input,
      frames: frames.length,
      vertices: clip.mesh.positions.length / 3,
      ...(skin ? { bones: skin.bones, skin: ofSkin, ...skin.facts } : {}),
      tracked: ofClip,
      coverage: tracked.coverage,
      minCoverage: Math.min(...tracked.coverage),
      misfits: tracked.misfits,
      ...(warnings.length > 0 ? { warnings } : {}),
    },
    bytes: { file: files[0].bytes.length },
    ...(skin?.gate ? { gate: skin.gate } : {}),
  };
}

async function writeClip(clip: Clip, path: string): Promise<OutputFile[]> {
  const format = findFramesFormat(path);
  if (!format) throw new UsageError('--clip', `must end in ${listExtensions(FRAMES_EXTENSIONS)}`);
  return (await format.load())(clip, path);
}

const listClipPaths = (path: string, frameCount: number): string[] =>
  findFramesFormat(path)?.listPaths(path, frameCount) ?? [path];

function describeTracked(report: Report) {
  const { result, files } = report;
  const row = (name: string, { mean, worst, max }: TrackedDistance): string[] => [
    name,
    `${formatNumber(mean)} %`,
    `${formatNumber(worst)} %`,
    `${formatNumber(max)} %`,
  ];
  const skin = result.skin as TrackedDistance | undefined;
  return [
    `${formatCount(Number(result.frames), 'frame')}, ${formatCount(Number(result.vertices), 'vertex', 'vertices')} of ${result.template}${result.bones === undefined ? '' : `, ${formatCount(Number(result.bones), 'bone')}`}`,
    {
      rows: [
        ['', 'mean', 'worst frame', 'largest'],
        row('tracked', result.tracked as TrackedDistance),
        ...(skin ? [row('skin', skin)] : []),
      ],
      align: 'lrrr',
      hasHeading: true,
    },
    `distances between the surfaces, both ways, in percent of the box diagonal; at least ${formatNumber(100 * Number(result.minCoverage), 3)} % of every frame within 0.5 %`,
    ...(result.rmsPercent === undefined
      ? []
      : [`root mean square error of the vertices: ${formatNumber(Number(result.rmsPercent))} % of the box diagonal`]),
    { rows: files.map(({ path, bytes }) => ['wrote', path, formatBytes(bytes)]) },
    describeWork(report),
  ];
}
