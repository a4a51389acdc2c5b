// SPDX-License-Identifier: MIT
// Reads the frames and the template of track: several files, or a file with several frames.

import type { Clip } from '../../core/model/clip/clip.ts';
import { faultOf, InputError } from '../../core/model/errors.ts';
import { makeAsset } from '../../core/model/make-asset.ts';
import { makeMesh } from '../../core/model/mesh/mesh.ts';
import { checkMemory } from '../../deformers/playback/index.ts';
import { describeMissing } from '../../formats/assets/index.ts';
import { frameIndexOf, isFrameIndex, trackMethod } from '../../methods/track/index.ts';
import { formatCount, type OpenedInput } from '../engine/index.ts';
import { sizeOf } from './track.ts';
import type { TrackContext } from './track-steps.ts';

/** Frames that were read, and the template if it is a file. */
export interface OpenedSequence {
  frames: OpenedInput[];
  /** Names of the frames in messages. */
  names: string[];
  /** Times of the frames, if their file states them. */
  times?: Float64Array;
  file?: OpenedInput;
}

/** Reads the frames and the template. Throws an InputError if tracking them needs more memory than --max-memory. */
export async function openSequence(context: TrackContext): Promise<OpenedSequence> {
  const { template } = context.options;
  const { frames, names, times } = await openFrames(context);
  const isFile = template !== undefined && !isFrameIndex(template);
  if (!isFile) frameIndexOf({ template }, frames.length);
  const file = isFile ? await context.open(template) : undefined;
  checkTrackMemory(context, frames, file);
  noteSameTopology(context, frames);
  return { frames, names, times, file };
}

/** Reads every frame. Frames of a flip-book are named by their index in messages. */
async function openFrames(
  context: TrackContext,
): Promise<{ frames: OpenedInput[]; names: string[]; times?: Float64Array }> {
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

/** The frames of a file that has several, each as an asset of its own. */
async function openFlipBook(
  context: TrackContext,
  input: string,
): Promise<{ frames: OpenedInput[]; times: Float64Array }> {
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

/** Throws an InputError if tracking needs more memory than --max-memory. */
function checkTrackMemory(context: TrackContext, frames: readonly OpenedInput[], file?: OpenedInput): void {
  const meshes = frames.map(({ asset }) => asset.mesh);
  const size = sizeOf(meshes, file?.asset.mesh);
  try {
    checkMemory(
      `${formatCount(frames.length, 'frame')} of ${formatCount(Math.round(size.vertexCount), 'vertex', 'vertices')}`,
      trackMethod.plan(context.options, undefined, size).bytes,
      context.options.maxMemory,
      'track fewer frames at a time, or give a template with fewer vertices (--template)',
    );
  } catch (error) {
    throw new InputError(context.job.inputs[0], faultOf(error), { cause: error });
  }
}

/** Frames with one topology may still be scans, as the grids of depth cameras are, so that they are registered. */
function noteSameTopology(context: TrackContext, [first, ...others]: readonly OpenedInput[]): void {
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
