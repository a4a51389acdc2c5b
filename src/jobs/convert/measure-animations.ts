// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import { measureReduced, type ReducedErrors } from '../../measure/index.ts';
import { type JobContext, type ReportResult, reportMetricsOf } from '../engine/index.ts';
import { briefErrors, type PlayerFields, reportPlayers } from '../report/index.ts';
import type { HelperSource } from './convert-input.ts';

/** Errors in animations, and those that other players show. */
export interface AnimatedErrors extends ReducedErrors {
  players: PlayerFields;
}

/**
 * Measures a converted rig in the animations of its input, as players without controllers show it: by the keys of the helpers. Undefined without animations, and for morph targets
 * with drivers, whose weights the animations do not have.
 */
export async function measureAnimations(
  context: Pick<JobContext, 'compute' | 'measuring'>,
  { source, asset, drivers }: Pick<HelperSource, 'source' | 'asset' | 'drivers'>,
  written: Asset,
): Promise<AnimatedErrors | undefined> {
  if (source.kind !== 'asset' || drivers !== undefined || asset.animations.length === 0) return undefined;
  const keyed = { ...written, helpers: undefined };
  const errors = await measureReduced(asset, keyed, undefined, context.measuring);
  return { ...errors, players: await reportPlayers(context, keyed, listReferences(asset)) };
}

/** Its fields of the report. */
export function reportAnimations(errors: AnimatedErrors | undefined): Pick<ReportResult, string> {
  if (!errors) return {};
  const brief = (error: ReducedErrors['error']) => briefErrors(reportMetricsOf(error));
  return {
    ...errors.players,
    animations: { frames: errors.error.frameCount, ...brief(errors.error) },
    clips: errors.clips.map(({ name, error }) => ({ name, frames: error.frameCount, metrics: brief(error) })),
  };
}
