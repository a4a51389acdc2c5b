// SPDX-License-Identifier: MIT
// Extends a skeleton that was solved on some points of a mesh to all of them. Bones and joints are known, so only weights are missing. A few iterations over poses and weights follow; joints stay.

import type { Compute } from '../../../core/kernels/compute.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { SkinFit } from '../../../fit/skin/index.ts';
import type { StrictSolution } from '../joints/solve-strict.ts';
import { StrictFit } from '../joints/strict-fit.ts';

/** Iterations over poses and weights, and Gauss-Newton steps of poses in each. */
const ITERATIONS = 3;
const STEPS = 2;

/** Solves a skeleton on all points, in the same frames. The fit of the result is allocated from the given compute. */
export async function extendPoints(
  compute: Compute,
  solved: StrictSolution,
  trajectories: Trajectories,
  monitor: SolveMonitor,
): Promise<StrictSolution> {
  const { tree } = solved;
  const fit = new SkinFit(compute, trajectories, solved.fit.boneCount, solved.fit.options);
  fit.bones.view().set(solved.fit.bones.view());
  await fit.solveWeights('cold');
  await compute.scope(async (memory) => {
    const strict = new StrictFit(memory, fit, tree, {
      ...{ size: 1, relative: 0, absolute: 0, hinges: false, hold: true, reuse: true },
    });
    for (let n = 0; n < ITERATIONS && !(await monitor.tick(n / ITERATIONS, fit.eRms)); n++) {
      await strict.measure();
      await strict.pose(STEPS);
      await fit.solveWeights('warm');
    }
  });
  return { ...solved, fit };
}
