// SPDX-License-Identifier: MIT
import { POSES_NAME } from '../../fit/poses/index.ts';
import { formatCount, formatMean, type Report, type ReportMetrics } from '../engine/index.ts';
import { describeModel, describePlayers, type ErrorRow, withoutHeight } from '../report/index.ts';

/** The report of reduce as a table. */
export function describeReduced(report: Report) {
  const { result, metrics } = report;
  const r = result as Record<string, number>;
  const isTwo = result.virtualBones !== undefined;
  const mean = formatMean(result.blendsPerVertex ?? 0, isTwo ? 'blend' : 'weight');
  const weights = `${mean} per vertex${isTwo ? '' : `, maximum ${r.influences}`}`;
  const virtual = isTwo ? `, ${formatCount(r.virtualBones, 'virtual bone')}` : '';
  const pruned = r.bones < r.bonesBefore ? `, ${r.bones} of ${formatCount(r.bonesBefore, 'bone')}` : '';
  const pieces = r.pieces > (r.piecesBefore ?? r.pieces) ? `, ${formatCount(r.pieces, 'piece')}` : '';
  const clips = (result.clips ?? []) as (ReportMetrics & { name: string; frames: number })[];
  const frames = clips.reduce((sum, clip) => sum + clip.frames, 0);
  return describeModel(report, {
    before: `, ${formatMean(r.blendsPerVertexBefore, 'weight')} per vertex, maximum ${r.influencesBefore}`,
    after: `${weights}, by ${result.method}${virtual}${pruned}${pieces}`,
    errors: [
      ...clips.map((clip): ErrorRow => [clip.name || 'clip', clip, formatCount(clip.frames, nounOf(clip.name))]),
      ...(clips.length === 1 ? [] : [['all', withoutHeight(metrics), formatCount(frames, 'frame')] as ErrorRow]),
      ...(result.between
        ? [['between', result.between, 'between frames, as players interpolate both files'] as ErrorRow]
        : []),
      ...(result.plain ? [['plain skin', result.plain, 'what other viewers show'] as ErrorRow] : []),
    ],
    more: describePlayers(report),
  });
}

/** What a clip has: frames, or drawn poses. */
const nounOf = (name: string): string => (name === POSES_NAME ? 'pose' : 'frame');
