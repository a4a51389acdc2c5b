// SPDX-License-Identifier: MIT
import type { Clip } from '../model/clip.ts';
import type { Motion } from '../model/motion.ts';
import { matchJoints } from '../rig/match-joints.ts';
import type { Context } from './command.ts';
import { JobError } from './exit-status.ts';
import { formatCount } from './format-number.ts';
import type { OpenedInput } from './open-input.ts';

/** Says when joints of a given skeleton move as nothing in the clip does, and fails when that is so of all: it is of something else. */
export function noteStrangeJoints(context: Context, file: OpenedInput, clip: Clip, motion: Motion): void {
  const { moving, matched } = matchJoints(clip, motion);
  if (matched === moving) return;
  const joints = formatCount(moving, 'moving joint');
  if (matched === 0)
    throw new JobError(
      `${file.input}: none of its ${joints} moves as any vertex of the clip does; give the bones that moved in this clip, at its frame rate and size`,
    );
  context.note(
    `${matched} of the ${joints} of ${file.input} ${matched === 1 ? 'moves' : 'move'} as some vertex does; the others may be of something else`,
  );
}
