// SPDX-License-Identifier: MIT
export {
  animationRows,
  briefErrors,
  describeInfluences,
  describeModel,
  describeWork,
  type ErrorRow,
  withoutHeight,
} from './describe-report.ts';
export { formatTree } from './format-tree.ts';
export { measureAgain } from './measure-again.ts';
export { readWritten } from './read-written.ts';
export { describePlayers, type PlayerErrors, type PlayerFields, playerRows, reportPlayers } from './report-players.ts';
export { formatTable } from './table.ts';
export { warnBetween } from './warn-between.ts';
export { warnDurations } from './warn-durations.ts';
export { warnImprecise } from './warn-imprecise.ts';
export { warnStopped } from './warn-stopped.ts';
export { warnUnmatchedJoints } from './warn-unmatched-joints.ts';
