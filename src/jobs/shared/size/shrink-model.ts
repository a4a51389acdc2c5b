// SPDX-License-Identifier: MIT
// --for size: a solved model is rounded, fitted to its rounding, written and measured with several steps (write-small.ts); the smallest file that meets the error is kept.

import type { TransformKind } from '../../../core/kernels/bones/bone-sweep.ts';
import type { Asset, SkinnedModel } from '../../../core/model/asset.ts';
import { joinClips } from '../../../core/model/clip/join-clips.ts';
import type { ErrorGoal } from '../../../core/progress/error-goal.ts';
import type { PlayedClip } from '../../../deformers/playback/index.ts';
import { RoundedFit } from '../../../methods/size/index.ts';
import type { JobContext } from '../../engine/index.ts';
import type { SizeCodec } from './size-codecs.ts';
import { type WrittenSmall, writeSmall } from './write-small.ts';

/** The part of a largest error that a solve may have, the rest being rounding. */
export const SOLVED_OF_MAX = 0.75;
/** Without an error: that of the file relative to that of the solve. */
export const ROUNDED = 1.1;

export const REORDERED_NOTE =
  'the file stores vertices in the order of its compressed mesh; compare matches them by position';

export interface ShrinkModelOptions {
  goal: ErrorGoal;
  transforms?: TransformKind;
  /** Whether bones may be fitted again, default true. */
  isFree?: boolean;
  codec?: SizeCodec;
}

/** Writes the smallest file of a model that meets an error. */
export async function shrinkModel(
  context: JobContext,
  asset: Asset,
  played: readonly PlayedClip[],
  model: SkinnedModel,
  { goal, transforms, isFree, codec }: ShrinkModelOptions,
): Promise<WrittenSmall> {
  const compute = (await context.compute()).child();
  try {
    const fit = new RoundedFit(compute, joinClips(played.map(({ clip }) => clip)), model, goal, { transforms, isFree });
    const small = await context.finish('shrink', () =>
      writeSmall({
        ...{ asset, played, goal, codec, storing: context.storing, compute },
        onTrial: (text, fraction) => context.progress({ phase: text, fraction }),
        contentFor: async (precision) => ({ kind: 'skin', model: await fit.round(precision) }),
      }),
    );
    context.note(REORDERED_NOTE);
    return small;
  } finally {
    compute.dispose();
  }
}

/** Where bytes went, the steps, and what was tried, for the report. */
export function reportSize({ parts, codec, precision, tried }: WrittenSmall) {
  return { size: { codec, parts, precision, tried } };
}
