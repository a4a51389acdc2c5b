// SPDX-License-Identifier: MIT
import type { OpenedInput } from './job.ts';
import type { JobContext } from './job-context.ts';
import { refuseUnread } from './refuse-unread.ts';

/** Opens an input. With --plain, its OSSIFY extensions are ignored. */
export async function openPlain(context: JobContext<{ plain?: boolean }>, input: string): Promise<OpenedInput> {
  const opened = await context.open(input);
  if (opened.asset.clips.length > 0)
    refuseUnread(context.job, ['keys'], `is for animations, and ${input} has frames of positions; remove it`);
  if (!context.options.plain) return opened;
  const {
    ddm: _ddm,
    twoLayer: _two,
    linearTwoLayer: _linear,
    helpers: _helpers,
    correction: _shapes,
    light: _light,
    ...asset
  } = opened.asset;
  return { ...opened, asset };
}
