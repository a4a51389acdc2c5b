// SPDX-License-Identifier: MIT
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import type { PlayedClip } from '../../deformers/playback/index.ts';
import { measureFor } from '../../measure/index.ts';
import { type JobContext, type JobFacts, makeGoalGate, reportMetricsOf, reportWritten } from '../engine/index.ts';
import { reportPlayers } from './report-players.ts';

/**
 * Measures a result again in the file of another format than GLB, for JobFacts.measure: what is printed is true of the file that is stored.
 * @param references what the GLB was measured against: listReferences of the input, or the clips that were solved
 */
export function measureAgain(
  context: Pick<JobContext, 'compute' | 'finish' | 'measuring'>,
  references: readonly PlayedClip[],
  goal?: ErrorGoal,
): NonNullable<JobFacts['measure']> {
  return (file) =>
    context.finish('measure', async () => {
      const options = {
        player: 'runtime',
        up: file.up,
        compute: await context.compute(),
        ...context.measuring,
      } as const;
      const written = await measureFor(file, references, options);
      const players = await reportPlayers(context, file, references);
      return {
        metrics: reportMetricsOf(written.error),
        // the file has no extensions: it is the same in any viewer
        result: { ...reportWritten(written), anyViewer: undefined, fourInfluences: undefined, ...players },
        gate: makeGoalGate(goal, written),
      };
    });
}
