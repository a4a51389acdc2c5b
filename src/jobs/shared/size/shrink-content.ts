// SPDX-License-Identifier: MIT
// --for size of content that is rounded as it is, without another fit: the smallest file that meets an error against the motion of the input.

import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { UsageError } from '../../../core/model/errors.ts';
import type { ErrorGoal } from '../../../core/progress/error-goal.ts';
import { listPlayedClips, type PlayedClip } from '../../../deformers/playback/index.ts';
import { type GlbContent, writeGlb } from '../../../formats/gltf/index.ts';
import { measureFor } from '../../../measure/index.ts';
import type { JobContext, OpenedInput } from '../../engine/index.ts';
import { readWritten } from '../../report/index.ts';
import { REORDERED_NOTE, ROUNDED } from './shrink-model.ts';
import { goalOf, type SizeValues } from './size-options.ts';
import { type WrittenSmall, writeSmall } from './write-small.ts';

/** Error that rounding may have where the content has none, relative to the diagonal. */
const LEAST_ERROR = 1e-4;

/** A file and the error that it was written for. */
export interface ShrunkContent extends WrittenSmall {
  /** Undefined if none was given. */
  goal?: ErrorGoal;
}

/**
 * Writes the smallest file of some content. Without an error, it may have a tenth more than the content in floats.
 * @param reference the input, whose motion the file is measured against
 */
export async function shrinkContent(
  context: JobContext<SizeValues>,
  reference: Pick<OpenedInput, 'input' | 'asset'>,
  asset: Asset,
  content: GlbContent,
): Promise<ShrunkContent> {
  const { options, storing } = context;
  const played = await context.phase('bake', () => listPlayedClips(reference));
  const goal = goalOf(
    options,
    reference.asset,
    played.map(({ clip }) => clip),
  );
  const small = await context.finish('shrink', async () =>
    writeSmall({
      ...{ asset, played, codec: options.codec, storing, compute: await context.compute() },
      goal: goal ?? (await measureContent(context, asset, content, played)),
      onTrial: (text, fraction) => context.progress({ phase: text, fraction }),
      contentFor: async () => content,
    }),
  );
  context.note(REORDERED_NOTE);
  return { ...small, goal };
}

/** Throws a UsageError if --for size is given for an input without motion. Called before solving. */
export function checkShrinkable({ for: aim }: Pick<SizeValues, 'for'>, { animations, clips }: Asset): void {
  if (aim === 'size' && animations.length === 0 && clips.length === 0)
    throw new UsageError('--for size', 'is measured on animations, and the input has none');
}

/** The error of content in floats, with a tenth added. */
async function measureContent(
  context: JobContext,
  asset: Asset,
  content: GlbContent,
  played: readonly PlayedClip[],
): Promise<ErrorGoal> {
  const { shading, log } = context.storing;
  const bytes = await writeGlb(asset, content, { shading, log });
  const { error } = await measureFor(await readWritten(bytes), played, {
    ...{ player: 'runtime', up: asset.up, compute: await context.compute(), ...context.measuring },
  });
  const { diagonal } = measureBounds(asset.mesh.positions);
  return { kind: 'rms', limit: Math.max(ROUNDED * error.rmse, LEAST_ERROR * diagonal) };
}
