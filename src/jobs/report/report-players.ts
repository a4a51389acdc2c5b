// SPDX-License-Identifier: MIT
// Errors of a file in players that do not evaluate the extensions of this project, or read four weights per vertex.

import type { Asset } from '../../core/model/asset.ts';
import type { PlayedClip } from '../../deformers/playback/index.ts';
import { listOtherPlayers, measureFor, type Player, type Written } from '../../measure/index.ts';
import { formatNumber, type JobContext, type Report, type ReportMetrics, reportMetricsOf } from '../engine/index.ts';

/** Errors in a player, at frames and between them. */
export interface PlayerErrors extends Omit<ReportMetrics, 'perFrame'> {
  between?: Written['between'];
}

/** The fields of the report, absent where a player shows the same as the run-time. */
export interface PlayerFields {
  /** Without the extensions of this project: any viewer. */
  anyViewer?: PlayerErrors;
  /** With the four largest weights of each vertex, without these extensions: three.js and many engines. */
  fourInfluences?: PlayerErrors;
}

const FIELDS = { plain: 'anyViewer', four: 'fourInfluences' } as const satisfies Record<
  Exclude<Player, 'runtime'>,
  keyof PlayerFields
>;

/**
 * Measures a file in players that show it otherwise than the run-time of this project: fields of the report.
 * @param written the file, read back
 * @param references what it is measured against: listReferences of the input, or the clips that were solved
 */
export async function reportPlayers(
  context: Pick<JobContext, 'compute' | 'measuring'>,
  written: Asset,
  references: readonly PlayedClip[],
): Promise<PlayerFields> {
  const fields: PlayerFields = {};
  for (const player of listOtherPlayers(written)) {
    const options = { player, up: written.up, compute: await context.compute(), ...context.measuring };
    fields[FIELDS[player]] = errorsOf(await measureFor(written, references, options));
  }
  return fields;
}

function errorsOf({ error, between }: Written): PlayerErrors {
  const { perFrame: _perFrame, ...metrics } = reportMetricsOf(error);
  return { ...metrics, ...(error.frameCount > 1 ? { between } : {}) };
}

/** Lines about other players for the printed result: "in any viewer 1.88 %, with Ossify's run-time 0.85 %". */
export function describePlayers({ metrics, result }: Report): string[] {
  const { anyViewer: plain, fourInfluences } = result as PlayerFields;
  const sizeOf = ({ max = 0, maxPercent = 0 }: ReportMetrics): number =>
    maxPercent > 0 ? max / (maxPercent / 100) : 0;
  const size = sizeOf(metrics) || sizeOf(plain ?? {}) || sizeOf(fourInfluences ?? {});
  const percentOf = ({ max = 0, between }: PlayerErrors): string => {
    const largest = Math.max(max, between?.max ?? 0);
    return `${formatNumber(size > 0 ? (100 * largest) / size : 0, 3)} %`;
  };
  const own = percentOf({ ...metrics, between: result.between as Written['between'] | undefined });
  return [
    ...(plain
      ? [
          `in any viewer ${percentOf(plain)}, with Ossify's run-time ${own}: largest error at and between frames, of the size`,
        ]
      : []),
    ...(fourInfluences
      ? [
          `with four weights per vertex, as three.js and many engines play it, ${percentOf(fourInfluences)}; with all of them ${own}`,
        ]
      : []),
  ];
}

/** Rows of other players for results that show another shape than their input on purpose: the plain skin against the input. */
export function playerRows(result: Report['result']): [string, ReportMetrics, string][] {
  const { anyViewer, fourInfluences } = result as PlayerFields;
  const row = (name: string, errors: PlayerErrors | undefined, note: string): [string, ReportMetrics, string][] => {
    if (!errors) return [];
    const { rmse, max = 0, rmseOfHeight, maxOfHeight, maxPercent = 0, between } = errors;
    const largest = Math.max(max, between?.max ?? 0);
    const scale = max > 0 ? largest / max : 1;
    const whole = { max: largest, maxPercent: scale * maxPercent, maxOfHeight: scale * (maxOfHeight ?? 0) };
    return [[name, { rmse, rmseOfHeight, ...whole }, note]];
  };
  return [
    ...row('any viewer', anyViewer, 'the plain skin, against the input at and between frames'),
    ...row('four weights', fourInfluences, 'the same with four weights per vertex, as three.js plays it'),
  ];
}
