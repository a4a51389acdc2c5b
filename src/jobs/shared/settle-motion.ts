// SPDX-License-Identifier: MIT
// What happens to the animations of a character before a job works on it: some are chosen, and their root motion is placed. The job then measures against that.

import type { FrameRange } from '../../core/model/clip/select-frames.ts';
import { choice, group, type OptionsOf, option } from '../../core/options/option.ts';
import { defineStep } from '../../core/options/step.ts';
import type { RootMotion } from '../../formats/root-motion/index.ts';
import { FRAME_OPTIONS, type JobContext, type OpenedInput } from '../engine/index.ts';

const ROOT_WORDS = ['keep', 'extract', 'none'] as const satisfies readonly RootMotion[];

/** Where the motion on the ground is. */
export const ROOT_OPTION = group('Animation options:', {
  root: option(
    choice(ROOT_WORDS),
    'horizontal motion and turn of the hips: keep, extract (move it to a root bone, as engines expect), none (remove it: animations in place)',
    { default: 'keep' },
  ),
});
export const ROOT_STEP = defineStep({ name: 'root motion', options: ROOT_OPTION });

/** The animations of a character that are used. */
export const TAKE_OPTIONS = {
  ...group('Animation options:', {
    frames: { ...FRAME_OPTIONS.frames, help: 'frames of the animations to keep, from 0, both ends included: 10:50' },
    animation: { ...FRAME_OPTIONS.animation, help: 'animation to keep, by name or index (default: all)' },
  }),
  ...ROOT_OPTION,
};
export const TAKE_STEP = defineStep({ name: 'animations', options: TAKE_OPTIONS });

export type TakeValues = Partial<OptionsOf<typeof TAKE_OPTIONS>>;

/** An input whose animations were settled. */
export interface SettledInput extends OpenedInput {
  /** What the result is measured against: the animations before their root motion was extracted, or in place. */
  reference: OpenedInput['asset'];
}

/** An input whose animations are those that the options choose, with their root motion where they say. */
export async function settleMotion(
  context: JobContext<TakeValues>,
  opened: OpenedInput,
  {
    animation,
    frames,
    root = 'keep',
  }: { animation?: string; frames?: FrameRange; root?: TakeValues['root'] } = context.options,
): Promise<SettledInput> {
  if (opened.asset.clips.length > 0) return { ...opened, reference: opened.asset };
  // loaded when they are needed: forms have the options
  const [{ selectTakes }, { moveRoot }] = await Promise.all([
    import('../../formats/takes/index.ts'),
    import('../../formats/root-motion/index.ts'),
  ]);
  const note = (text: string): void => context.note(text);
  const chosen = await selectTakes(opened.asset, { animation, frames }, note);
  const asset = await moveRoot(chosen, root, note);
  return { ...opened, asset, reference: root === 'extract' ? chosen : asset };
}
