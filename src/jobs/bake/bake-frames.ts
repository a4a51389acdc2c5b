// SPDX-License-Identifier: MIT

import { frameCountOf, frameRateOf } from '../../core/model/clip/clip.ts';
import { UsageError } from '../../core/model/errors.ts';
import {
  type ListClipsOptions,
  listPlayedClips,
  type PlayClipsOptions,
  type PlayedClip,
} from '../../deformers/playback/index.ts';
import { formatNumber, type JobContext, type JobFacts, type OpenedInput } from '../engine/index.ts';
import type { FramesOutput } from '../shared/index.ts';
import { chooseDeformer, type DeformerName, type DeformerWeights } from './choose-deformer.ts';
import { evenFrames } from './even-frames.ts';
import { type BakedErrors, measureFrames } from './measure-baked.ts';

/** Options of the frames that are baked. */
export interface BakeFramesOptions extends ListClipsOptions {
  restPose?: boolean;
  deformer?: DeformerName;
  weights?: DeformerWeights;
  threads?: number;
}

/** Bakes one motion of an input and makes its files in a format of frames. A file that does not move gives one frame. */
export async function bakeFrames(
  context: JobContext<BakeFramesOptions>,
  opened: OpenedInput,
  format: FramesOutput,
): Promise<Pick<JobFacts, 'files' | 'metrics'> & { frames: number; measured: BakedErrors['result'] }> {
  const { options, output } = context;
  const { deformer: name, weights, threads, ...played } = options;
  if (name !== undefined && opened.asset.clips.length > 0)
    throw new UsageError('--deformer', 'requires a skinned file; this one has frames of positions');
  const deformer =
    name && (await context.phase('solve', () => chooseDeformer(opened.asset, name, { weights, threads })));
  // where programs show each frame at its time, frames between uneven keys are worth having
  const filled = format.timing === 'exact';
  const one = await context.phase('bake', () => bakeOne(opened, { ...played, deformer, filled }));
  const even = format.timing === 'none' ? evenFrames(one, { ...played, rate: played.rate ?? played.fps }) : undefined;
  const clip = even ?? one.clip;
  if (even)
    context.note(
      `${format.extension.slice(1).toUpperCase()} holds frames at one rate, and those of the input are uneven: they were sampled anew at ${formatNumber(frameRateOf(clip.times), 4)} frames per second`,
    );
  await context.claim(format.listPaths(output, frameCountOf(clip)));
  const files = await context.phase('write', async () => (await format.load())(clip, output));
  if (format.timing === 'none' && frameCountOf(clip) > 1)
    context.note(
      `${format.extension} files have no frame rate; read this one with --fps ${formatNumber(frameRateOf(clip.times))}`,
    );
  const { metrics, result } = options.restPose ? { result: {} } : await measureFrames(context, files, one, clip.times);
  return { files, frames: frameCountOf(clip), metrics, measured: result };
}

function bakeOne(opened: OpenedInput, options: PlayClipsOptions & { restPose?: boolean }): PlayedClip {
  const { mesh, name } = opened.asset;
  if (options.restPose)
    return { clip: { kind: 'clip', name, mesh, positions: mesh.positions, times: new Float64Array(1) } };
  const clips = listPlayedClips(opened, options);
  if (clips.length > 1)
    throw new UsageError('--animation', `the input has ${clips.length} animations; choose one by name or index`);
  return clips[0];
}
