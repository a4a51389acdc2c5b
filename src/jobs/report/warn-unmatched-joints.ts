// SPDX-License-Identifier: MIT
import type { Clip } from '../../core/model/clip/clip.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import { InputError } from '../../core/model/errors.ts';
import { matchJoints } from '../../methods/convert/index.ts';
import { formatCount } from '../engine/index.ts';

/** Warns if joints of a given skeleton match the motion of no vertex. Throws if none of them does. */
export function warnUnmatchedJoints(file: string, clip: Clip, motion: Motion, note: (text: string) => void): void {
  const { moving, matched } = matchJoints(clip, motion);
  if (matched === moving) return;
  const joints = formatCount(moving, 'moving joint');
  if (matched === 0)
    throw new InputError(
      file,
      `none of its ${joints} matches the motion of any vertex; give the bones that moved this clip, at its frame rate and size`,
    );
  note(`only ${matched} of the ${joints} of ${file} ${matched === 1 ? 'matches' : 'match'} the motion of some vertex`);
}
