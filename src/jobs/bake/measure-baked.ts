// SPDX-License-Identifier: MIT
// What a baked file shows, compared with what the input shows, at frames and between them.

import type { Asset } from '../../core/model/asset.ts';
import { frameRateOf } from '../../core/model/clip/clip.ts';
import type { PlayedClip } from '../../deformers/playback/index.ts';
import { readAsset } from '../../formats/assets/index.ts';
import { measureFor, type Written } from '../../measure/index.ts';
import {
  formatNumber,
  type JobContext,
  type OutputFile,
  type Report,
  type ReportMetrics,
  reportMetricsOf,
} from '../engine/index.ts';
import { type PlayerFields, reportPlayers } from '../report/index.ts';

/** For the report. */
export interface BakedErrors {
  metrics?: ReportMetrics;
  /** diagonal: of the box at rest, file units, which percentages refer to */
  result: PlayerFields & { between?: Written['between']; diagonal?: number };
}

/**
 * Measures frames as they are read back.
 * @param times of the frames
 */
export async function measureFrames(
  context: JobContext,
  files: readonly OutputFile[],
  played: PlayedClip,
  times: Float64Array,
): Promise<BakedErrors> {
  const encoder = new TextEncoder();
  const inputs = files.map(({ path, bytes }) => ({
    name: path,
    bytes: typeof bytes === 'string' ? encoder.encode(bytes) : bytes,
  }));
  // a mesh beside a cache comes first
  const ordered = inputs.length === 2 && inputs[1].name.endsWith('.obj') ? inputs.reverse() : inputs;
  const written = await readAsset(ordered, { fps: frameRateOf(times) });
  // caches without times start at zero
  const clips = written.clips.map((clip) => ({
    ...clip,
    times: clip.times.length === times.length ? times : clip.times,
  }));
  return measureAsset(context, { ...written, clips }, [played]);
}

/** Measures a file that was read back; nothing if it has other vertices. */
export function measureAsset(
  context: JobContext,
  written: Asset,
  references: readonly PlayedClip[],
): Promise<BakedErrors> {
  return context.finish('measure', async () => {
    const isSame = references.every(({ clip }) => clip.mesh.positions.length === written.mesh.positions.length);
    if (!isSame) return { result: {} };
    const options = {
      player: 'runtime',
      up: written.up,
      compute: await context.compute(),
      ...context.measuring,
    } as const;
    const { error, between } = await measureFor(written, references, options);
    return {
      metrics: reportMetricsOf(error),
      result: {
        diagonal: error.diagonal,
        ...(error.frameCount > 1 ? { between } : {}),
        ...(await reportPlayers(context, written, references)),
      },
    };
  });
}

/** A line of the printed result: "off by at most 0.12 % of the size at the frames, and 1.3 % between them". */
export function describeBakedErrors({ metrics, result }: Report): string[] {
  const { max = 0, maxPercent = 0, rmse } = metrics;
  if (rmse === undefined) return [];
  const between = result.between as Written['between'] | undefined;
  const { diagonal } = result as { diagonal?: number };
  const percent = (length: number): string => `${formatNumber(diagonal ? (100 * length) / diagonal : 0, 3)} %`;
  const also = between ? ` at the frames, and ${percent(between.max)} between them` : '';
  return [`off by at most ${formatNumber(max > 0 ? maxPercent : 0, 3)} % of the size${also}`];
}
