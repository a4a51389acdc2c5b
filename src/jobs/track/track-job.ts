// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { type Clip, frameOf } from '../../core/model/clip/clip.ts';
import { faultOf, InputError, InterruptedError, UsageError } from '../../core/model/errors.ts';
import { makeAsset } from '../../core/model/make-asset.ts';
import { type Mesh, makeMesh } from '../../core/model/mesh/mesh.ts';
import { normalizeAxes } from '../../core/model/mesh/normalize-axes.ts';
import { count, flag, group, length, type OptionsOf, option, outputFile, text } from '../../core/options/option.ts';
import { bakeAt, checkMemory } from '../../deformers/playback/index.ts';
import { describeMissing } from '../../formats/assets/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import type { ScanFrame } from '../../methods/track/index.ts';
import { decompose } from '../decompose/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  formatBytes,
  formatCount,
  formatNumber,
  type JobContext,
  type OpenedInput,
  type OutputFile,
  READ_OPTIONS,
  type Report,
  refuseUnread,
  STORE_OPTIONS,
} from '../engine/index.ts';
import { describeWork, readWritten, warnStopped } from '../report/index.ts';
import {
  ALL_EXTENSIONS,
  CHARACTER_EXTENSIONS,
  checkSizeOptions,
  FRAMES_EXTENSIONS,
  findOutputFormat,
  listExtensions,
  listSequencePaths,
  meshPathOf,
  SIZE_OPTIONS,
} from '../shared/index.ts';
import { checkMisfits, listMisfitWarnings } from './judge-misfits.ts';
import { measureTracked, type TrackedDistance } from './measure-tracked.ts';
import { prepareFrames } from './prepare-frames.ts';
import { stiffenClip } from './stiffen-clip.ts';
import { trackPrepared } from './track.ts';
import { checkSmall, type SmallTracked, trackSmall } from './track-small.ts';

/** Bones of the skin if none are given. */
const BONES = 60;
const MAX_BONES = 65_535;
/** Memory per vertex of a frame and of the template, bytes: the dancer scan (21,000 vertices) needs 251 MB for two frames and 362 MB for ten, and the program itself 90 MB. */
const FRAME_BYTES = 660;
const TEMPLATE_BYTES = 6000;
const { rest: _rest, ...READ } = READ_OPTIONS;

const OPTIONS = {
  ...group('Model options:', {
    template: option(
      text('<frame|file>'),
      'mesh that is registered to all frames: a frame from 0, or a file (default: the frame nearest to all others)',
    ),
    bones: option(count(1, MAX_BONES), 'number of bones of the skin', { default: BONES }),
    influences: option(count(1, 32), 'maximum weights per vertex', { default: 4 }),
    force: option(flag, 'write the result also if the template does not fit a frame, such as one of another object'),
  }),
  ...group('Output options:', {
    clip: option(outputFile, `also write the tracked frames: ${listExtensions(FRAMES_EXTENSIONS)}`),
  }),
  ...group('Compute options:', {
    gpu: option(flag, 'search nearest points on the GPU; requires the npm package webgpu (default: on threads)'),
  }),
  ...SIZE_OPTIONS,
  ...group('Size options:', {
    rms: option(
      length,
      'with --for size: root mean square distance from the frames (--codec ossify) or from the tracked vertices: 0.01, 1mm or 0.5%; exit with status 3 if it is exceeded (default: 0.03% with --codec ossify)',
    ),
  }),
  ...STORE_OPTIONS,
  ...READ,
  ...COMMON_OPTIONS,
};
type TrackValues = OptionsOf<typeof OPTIONS>;
type Context = JobContext<TrackValues>;

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
    description: `a skin (.glb, .fbx, .usda, .usdz) or frames (${listExtensions(FRAMES_EXTENSIONS)})`,
    extensions: ALL_EXTENSIONS,
    isCharacter: true,
  },
  examples: [
    { line: "track 'scan/*.obj' dancer.glb --fps 30", does: 'a skin of 60 bones' },
    { line: "track 'scan/*.ply' dancer.glb --clip dancer.abc", does: 'the skin, and the frames it was made from' },
    { line: "track 'scan/*.obj' dancer.glb --for size --codec ossify", does: 'the smallest file, with displacements' },
    { line: 'track scan dancer.abc --template 12', does: 'frames only; frame 12 is registered to the others' },
    { line: "track 'scan/*.obj' dancer.glb --template clean.obj --bones 40", does: 'a mesh of your own, with its UVs' },
  ],
  options: OPTIONS,
  isStoppable: true,
  check(options, job) {
    const { output = '' } = job;
    const { clip } = options;
    if (FRAMES_EXTENSIONS.some((extension) => output.toLowerCase().endsWith(extension)))
      refuseUnread(
        job,
        ['bones', 'influences', ...Object.keys(STORE_OPTIONS)],
        `is for a skin, and the output has frames; remove it, or write ${listExtensions(CHARACTER_EXTENSIONS)}`,
      );
    checkSizeOptions(options, output);
    if (options.for === undefined && options.rms !== undefined) throw new UsageError('--rms', 'requires --for size');
    if (clip === undefined) return;
    if (!FRAMES_EXTENSIONS.some((extension) => clip.toLowerCase().endsWith(extension)))
      throw new UsageError('--clip', `must end in ${listExtensions(FRAMES_EXTENSIONS)}, not "${clip}"`);
    if (findOutputFormat(output).holds === 'frames')
      throw new UsageError('--clip', 'requires a skin as output; the output has the frames already');
  },
  async run(context) {
    const { options, output } = context;
    const format = findOutputFormat(output);
    const { frames, names, times } = await openFrames(context);
    const { file, template } = await openTemplate(context, frames.length);
    checkTrackMemory(context, frames, file);
    noteSameTopology(context, frames);
    // numbers of formats without a unit are not changed, but a character is in metres with y up, as glTF has it
    const unitScale = format.holds === 'character' ? (frames[0].asset.metresPerUnit ?? 1) : 1;
    if (format.holds === 'character')
      for (const input of [...frames, ...(file ? [file] : [])]) input.asset = normalizeAxes(input.asset);
    const { meshes, given } = prepareMeshes(context, frames, names, file);
    if (options.for !== undefined) checkSmall(options, meshes, given);
    const clipPath = options.clip ?? (format.holds === 'frames' ? output : undefined);
    await context.claim([
      ...(format.holds === 'frames' ? [] : [output]),
      ...(clipPath === undefined ? [] : listClipPaths(clipPath, frames.length)),
    ]);
    const { fps, threads, seed } = options;
    const searchDevice = options.gpu ? await context.searchDevice() : undefined;
    const tracked = await context.phase('track', () =>
      trackPrepared(meshes, {
        ...{ searchDevice, template: given ?? template, names, templateName: file?.input },
        ...{ fps, threads, seed, signal: context.signal, onProgress: context.progress },
      }).catch((error: unknown) => {
        if (!context.signal.aborted) throw error;
        throw new InterruptedError('interrupted before all frames were tracked; nothing was written');
      }),
    );
    const { misfits } = tracked;
    if (!options.force) checkMisfits(misfits, names, file?.input, 'use --force to write the result anyway');
    const warnings = listMisfitWarnings(misfits, names, file?.input);
    for (const warning of warnings) context.note(warning);
    const source = file ?? frames[tracked.template ?? 0];
    const mesh = given ?? meshes[tracked.template ?? 0];
    const clip: Clip = { ...tracked.clip, name: source.asset.name, mesh, ...(fps === undefined && times && { times }) };
    const asset: Asset = { ...source.asset, mesh, clips: [clip], animations: [] };
    const files: OutputFile[] = [];
    let skin: Skinned | undefined;
    if (format.holds === 'character') {
      skin = await solveSkin(context, asset, clip, meshes, unitScale);
      files.push({ path: output, bytes: skin.bytes });
    }
    if (format.holds !== 'character') warnStopped(context);
    if (clipPath !== undefined) files.push(...(await context.finish('write', () => writeClip(asset, clip, clipPath))));
    const [ofClip, ofSkin] = await context.finish('measure', async () => {
      const shown = [clip, ...(skin ? [skin.played] : [])];
      return measureTracked(
        await context.compute(),
        meshes,
        shown.map((moving) => ({ triangles: moving.mesh.triangles, positionsAt: (k) => frameOf(moving, k) })),
      );
    });
    const byteLength = frames.reduce((sum, frame) => sum + frame.asset.byteLength, 0);
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
        misfits,
        ...(warnings.length > 0 ? { warnings } : {}),
      },
      bytes: { file: files[0].bytes.length },
      ...(skin?.gate ? { gate: skin.gate } : {}),
    };
  },
  describe: describeTracked,
});

/** Reads every frame. Frames of a flip-book are named by their index in messages. */
async function openFrames(context: Context): Promise<{ frames: OpenedInput[]; names: string[]; times?: Float64Array }> {
  const [input] = context.job.inputs;
  const paths = await context.list(input);
  if (paths.length < 2) {
    const { frames, times } = await openFlipBook(context, input);
    return { frames, times, names: frames.map((frame, k) => `${frame.input}, frame ${k}`) };
  }
  const missing = describeMissing(paths);
  if (missing !== undefined) context.note(missing);
  const frames: OpenedInput[] = [];
  for (const path of paths) frames.push(await context.open(path));
  return { frames, names: frames.map((frame) => frame.input) };
}

/** Throws an InputError if tracking needs more memory than --max-memory. */
function checkTrackMemory(context: Context, frames: readonly OpenedInput[], file?: OpenedInput): void {
  const counts = frames.map(({ asset }) => asset.mesh.positions.length / 3);
  const template = file ? file.asset.mesh.positions.length / 3 : Math.max(...counts);
  const vertices = counts.reduce((sum, own) => sum + own, 0);
  try {
    checkMemory(
      `${formatCount(frames.length, 'frame')} of ${formatCount(Math.round(vertices / frames.length), 'vertex', 'vertices')}`,
      FRAME_BYTES * vertices + TEMPLATE_BYTES * template,
      context.options.maxMemory,
      'track fewer frames at a time, or give a template with fewer vertices (--template)',
    );
  } catch (error) {
    throw new InputError(context.job.inputs[0], faultOf(error), { cause: error });
  }
}

/** Frames with one topology may still be scans, as the grids of depth cameras are, so that they are registered. */
function noteSameTopology(context: Context, [first, ...others]: readonly OpenedInput[]): void {
  const { triangles, positions } = first.asset.mesh;
  const isSame = others.every(
    ({ asset: { mesh } }) =>
      mesh.positions.length === positions.length &&
      mesh.triangles.length === triangles.length &&
      mesh.triangles.every((i, c) => i === triangles[c]),
  );
  if (isSame)
    context.note(
      'all frames have the same triangles. If their vertices correspond, use "ossify decompose" or "ossify skeleton", which keep them. They are registered as scans here.',
    );
}

/** The meshes of the frames and of the template file, without specks and turned outward. */
function prepareMeshes(
  context: Context,
  opened: readonly OpenedInput[],
  names: readonly string[],
  file?: OpenedInput,
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

/** The frames of a file that has several, each as an asset of its own. */
async function openFlipBook(context: Context, input: string): Promise<{ frames: OpenedInput[]; times: Float64Array }> {
  const opened = await context.open(input, { topology: 'any' });
  const { sequence, clips, rig, up, metresPerUnit, byteLength } = opened.asset;
  if (!sequence && (clips.length > 0 || rig))
    throw new InputError(input, 'has the same vertices and triangles in all frames already; use "ossify decompose"');
  if (!sequence)
    throw new InputError(input, "is a single mesh; give a sequence: 'scan/*.obj', a folder, or a.obj+b.obj");
  const frames = sequence.frames.map(({ name, positions, triangles, colors }, k) => {
    const attributes = colors ? [{ name: 'COLOR_0', size: 3, values: colors }] : [];
    const mesh = { ...makeMesh(positions, triangles, opened.asset.name), attributes };
    const clip: Clip = { kind: 'clip', name, mesh, positions, times: sequence.times.slice(k, k + 1) };
    const asset = { ...makeAsset(clip), clips: [], up, metresPerUnit, byteLength: k === 0 ? byteLength : 0 };
    return { ...opened, input: `${input} (${name})`, asset };
  });
  return { frames, times: sequence.times };
}

async function openTemplate(context: Context, frameCount: number): Promise<{ file?: OpenedInput; template?: number }> {
  const { template } = context.options;
  if (template === undefined) return {};
  if (!/^-?\d+(\.\d+)?$/.test(template)) return { file: await context.open(template) };
  const index = Number(template);
  if (!(Number.isInteger(index) && index >= 0 && index < frameCount))
    throw new UsageError('--template', `must be a frame from 0 to ${frameCount - 1} or a file, not ${template}`);
  return { template: index };
}

interface Skinned extends Pick<SmallTracked, 'bytes' | 'gate' | 'played'>, Partial<Pick<SmallTracked, 'facts'>> {
  bones: number;
}

async function solveSkin(
  context: Context,
  asset: Asset,
  clip: Clip,
  frames: readonly ScanFrame[],
  unitScale: number,
): Promise<Skinned> {
  const { bones, influences, threads, seed } = context.options;
  const { signal, progress } = context;
  const solved = await context.finish('solve', async () => {
    const still = await stiffenClip(await context.compute(), frames, clip);
    return decompose(still ?? clip, { bones, influences, threads, seed, signal, onProgress: progress });
  });
  const { model } = solved;
  const boneCount = model.skeleton.names.length;
  warnStopped(context);
  if (boneCount < bones && solved.rigidPieces !== undefined)
    context.note(
      `the frames need only ${formatCount(boneCount, 'bone')}, not ${bones}: ${boneCount === 1 ? 'the body moves as a whole, or not at all' : 'its parts are rigid'}`,
    );
  else if (boneCount < bones)
    context.note(
      `the template has only ${formatCount(boneCount, 'distinct vertex', 'distinct vertices')}; using ${formatCount(boneCount, 'bone')} instead of ${bones}`,
    );
  if (context.options.for !== undefined)
    return { bones: boneCount, ...(await trackSmall(context, asset, clip, frames, solved, unitScale)) };
  const bytes = await context.finish('write', () => writeGlb(asset, { kind: 'skin', model }, context.storing));
  const back = await readWritten(bytes);
  return { bones: boneCount, bytes, played: bakeAt(back, back.animations[0], clip.times) };
}

function writeClip(asset: Asset, clip: Clip, path: string): Promise<OutputFile[]> {
  const format = findOutputFormat(path);
  if (format.holds !== 'frames') throw new UsageError('--clip', `must end in ${listExtensions(FRAMES_EXTENSIONS)}`);
  return format.write(clip, { asset, path });
}

function listClipPaths(path: string, frameCount: number): string[] {
  const format = findOutputFormat(path);
  if (format.extension === '.obj') return listSequencePaths(path, frameCount);
  return format.holds === 'frames' && format.hasMeshBeside ? [path, meshPathOf(path)] : [path];
}

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
