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
import { type FramesFormat, listSequencePaths, meshPathOf } from '../shared/index.ts';
import { chooseDeformer, type DeformerName, type DeformerWeights } from './choose-deformer.ts';
import { evenFrames } from './even-frames.ts';
import { type BakedErrors, measureFrames } from './measure-baked.ts';

/** Formats whose frames have no times. */
const TIMELESS: readonly string[] = ['.pc2', '.obj'];

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
  format: FramesFormat,
): Promise<Pick<JobFacts, 'files' | 'metrics'> & { frames: number; measured: BakedErrors['result'] }> {
  const { options, output } = context;
  const { deformer: name, weights, threads, ...played } = options;
  if (name !== undefined && opened.asset.clips.length > 0)
    throw new UsageError('--deformer', 'requires a skinned file; this one has frames of positions');
  const deformer =
    name && (await context.phase('solve', () => chooseDeformer(opened.asset, name, { weights, threads })));
  // Alembic keeps the times of frames; programs play the frames of other caches at one rate
  const filled = format.extension === '.abc';
  const one = await context.phase('bake', () => bakeOne(opened, { ...played, deformer, filled }));
  const even = TIMELESS.includes(format.extension)
    ? evenFrames(one, { ...played, rate: played.rate ?? played.fps })
    : undefined;
  const clip = even ?? one.clip;
  if (even)
    context.note(
      `${format.extension.slice(1).toUpperCase()} holds frames at one rate, and those of the input are uneven: they were sampled anew at ${formatNumber(frameRateOf(clip.times), 4)} frames per second`,
    );
  const paths =
    format.extension === '.obj'
      ? listSequencePaths(output, frameCountOf(clip))
      : format.hasMeshBeside
        ? [output, meshPathOf(output)]
        : [output];
  await context.claim(paths);
  const files = await context.phase('write', () => format.write(clip, { asset: opened.asset, path: output }));
  if (format.extension === '.pc2')
    context.note(`a .pc2 file has no frame rate; read this one with --fps ${formatNumber(frameRateOf(clip.times))}`);
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
