// SPDX-License-Identifier: MIT
import {
  formatBytes,
  formatCount,
  formatMean,
  formatNumber,
  type Report,
  type ReportMetrics,
} from '../engine/index.ts';
import { MUSH_DEFAULTS } from '../mush/index.ts';
import { briefErrors, describeModel, type ErrorRow, playerRows } from '../report/index.ts';
import { describePoses, isGlb } from '../shared/index.ts';

/** The report of compress as a table. */
export function describeCompressed(report: Report) {
  const { result, bytes, inputs, files } = report;
  const isWhole = isGlb(files[0].path);
  type Rung = Pick<Report, 'result' | 'metrics' | 'bytes'>;
  const rungs = (result.ladder as Rung[] | undefined) ?? [report];
  const bonesOf = (rung: Rung) => formatCount(rung.result.virtualBones ?? 0, 'virtual bone');
  return describeModel(report, {
    before: `, ${formatCount(inputs[0].bones, 'bone')}; Direct Delta Mush takes ${formatBytes(bytes.ddm ?? 0)}`,
    after: rungs.map((rung) =>
      !isWhole
        ? `plain skin, at most ${formatCount(MUSH_DEFAULTS.influences, 'weight')} per vertex`
        : `${bonesOf(rung)}, ${formatMean(rung.result.blendsPerVertex ?? 0, 'weight')} per vertex (${formatBytes(rung.bytes.model ?? 0)})`,
    ),
    errors: [
      ...rungs.map((rung): ErrorRow => {
        const { rmseFitPercent = Number.NaN } = rung.metrics;
        const fit = Number.isFinite(rmseFitPercent) ? `fit ${formatNumber(rmseFitPercent)} %, ` : '';
        const name = isWhole ? 'two layers' : 'plain skin';
        return [
          name,
          briefErrors(rung.metrics),
          `${isWhole ? '' : 'of '}${bonesOf(rung)}; ${fit}${rung.result.status}`,
        ];
      }),
      ...(isWhole ? [['plain skin', result.plain as ReportMetrics, 'what other viewers show'] as ErrorRow] : []),
      ['own skin', result.lbs as ReportMetrics, "the input's linear blend skinning"],
      ...playerRows(result),
    ],
    more: [`${describePoses(result)}, against Direct Delta Mush${describeBetween(report)}`],
  });
}

/** The largest error halfway between frames, if it is larger than that at the frames. */
function describeBetween({ result, metrics: { max = 0, maxPercent = 0 } }: Report): string {
  const { max: between = 0 } = (result.between ?? {}) as { max?: number };
  if (!(between > max && max > 0)) return '';
  return `; between frames at most ${formatNumber((maxPercent * between) / max)} % of the size`;
}
