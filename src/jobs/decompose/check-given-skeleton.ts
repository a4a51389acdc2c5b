// SPDX-License-Identifier: MIT

import type { Clip } from '../../core/model/clip/clip.ts';
import { joinClips } from '../../core/model/clip/join-clips.ts';
import { type GivenParts, giveSkeleton } from '../../methods/decompose/index.ts';
import type { JobContext, OpenedInput } from '../engine/index.ts';
import { warnDurations, warnUnmatchedJoints } from '../report/index.ts';

/** The bones of --skeleton and their motion at the frames of the clips of an input. Warns if they do not match the clips. */
export function checkGivenSkeleton(
  context: JobContext<{ animation?: string }>,
  file: OpenedInput,
  input: OpenedInput,
  clips: Clip[],
): Required<Pick<GivenParts, 'skeleton' | 'motion'>> {
  const { skeleton, motion } = giveSkeleton(file, clips, context.options.animation);
  const note = (text: string) => context.note(text);
  if (clips.length === 1 && file.asset.animations.length === 1)
    warnDurations({ ...input.asset, clips }, file.asset, [{ name: clips[0].name, reference: 0, result: 0 }], note);
  warnUnmatchedJoints(file.input, joinClips(clips), motion!, note);
  return { skeleton: skeleton!, motion: motion! };
}
