// SPDX-License-Identifier: MIT
import { type ListClipsOptions, listClips } from '../deform/list-clips.ts';
import type { Clip } from '../model/clip.ts';
import { frameCountOf, frameRateOf } from '../model/clip.ts';
import { UsageError } from '../model/errors.ts';
import { formatNumber } from './format-number.ts';
import type { JobFacts, OpenedInput } from './job.ts';
import type { JobContext } from './job-context.ts';
import { type FramesFormat, listSequencePaths, meshPathOf } from './output-formats.ts';

/** Bakes one motion of an input and makes its files in a format of frames. A file that does not move gives one frame. */
export async function bakeFrames(
  context: JobContext<ListClipsOptions>,
  opened: OpenedInput,
  format: FramesFormat,
): Promise<Pick<JobFacts, 'files'> & { frames: number }> {
  const { options, output } = context;
  const clip = await context.phase('bake', () => bakeOne(opened, options));
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
  return { files, frames: frameCountOf(clip) };
}

function bakeOne(opened: OpenedInput, options: ListClipsOptions & { restPose?: boolean }): Clip {
  const { mesh, name } = opened.asset;
  if (options.restPose) return { kind: 'clip', name, mesh, positions: mesh.positions, times: new Float64Array(1) };
  const clips = listClips(opened, options);
  if (clips.length > 1)
    throw new UsageError('--animation', `the input has ${clips.length} animations; choose one by name or index`);
  return clips[0];
}
