// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import { measureFor, type Written } from '../../measure/index.ts';
import { type JobContext, type ReportResult, reportMetricsOf } from '../engine/index.ts';
import { briefErrors, type PlayerFields, reportPlayers } from '../report/index.ts';
import type { HelperSource } from './convert-input.ts';

/** Errors in animations, and those that other players show. */
export interface AnimatedErrors extends Pick<Written, 'error' | 'between' | 'clips'> {
  players: PlayerFields;
}

/**
 * Measures a converted rig in the animations of its input, or in the frames of its clip, at frames and between them, as players without controllers show it: by the keys
 * of the helpers. Undefined without animations, and for morph targets with drivers, whose weights the animations do not have.
 */
export async function measureAnimations(
  context: Pick<JobContext, 'compute' | 'measuring'>,
  { source, asset, drivers, played }: Pick<HelperSource, 'source' | 'asset' | 'drivers' | 'played'>,
  written: Asset,
): Promise<AnimatedErrors | undefined> {
  const isAnimated = source.kind === 'asset' && drivers === undefined && asset.animations.length > 0;
  const references = played ?? (isAnimated ? listReferences(asset) : []);
  if (references.length === 0) return undefined;
  const keyed = { ...written, helpers: undefined };
  const options = { player: 'runtime', up: asset.up, compute: await context.compute(), ...context.measuring } as const;
  const errors = await measureFor(keyed, references, options);
  return { ...errors, players: await reportPlayers(context, keyed, references) };
}

/** Its fields of the report. */
export function reportAnimations(errors: AnimatedErrors | undefined): Pick<ReportResult, string> {
  if (!errors) return {};
  const brief = (error: Written['error']) => briefErrors(reportMetricsOf(error));
  return {
    ...errors.players,
    animations: { frames: errors.error.frameCount, ...brief(errors.error) },
    between: errors.between,
    clips: errors.clips.map(({ name, error }) => ({ name, frames: error.frameCount, metrics: brief(error) })),
  };
}
