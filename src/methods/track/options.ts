// SPDX-License-Identifier: MIT
// Options of tracking. Rules about their values stand here, and nowhere else.

import { UsageError } from '../../core/model/errors.ts';
import { fileOrWord, group, type OptionsOf, option } from '../../core/options/option.ts';

export const TRACK_OPTIONS = group('Model options:', {
  /** The mesh that is registered: a frame by its index. The name of a file is read by the job, which gives its mesh. */
  template: option(
    fileOrWord(isFrameIndex, '<frame|file>'),
    'mesh that is registered to all frames: a frame from 0, or a file (default: the frame nearest to all others)',
  ),
});

/** Values of all options of tracking. */
export type TrackValues = OptionsOf<typeof TRACK_OPTIONS>;

/** Whether the template is a number, and not the name of a file. */
export function isFrameIndex(template: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(template);
}

/** The index of the frame that is the template; undefined if none was chosen. Throws a UsageError if there is no such frame. */
export function frameIndexOf({ template }: TrackValues, frameCount: number): number | undefined {
  if (template === undefined) return undefined;
  const index = Number(template);
  if (!(Number.isInteger(index) && index >= 0 && index < frameCount))
    throw new UsageError('--template', `must be a frame from 0 to ${frameCount - 1} or a file, not ${template}`);
  return index;
}
