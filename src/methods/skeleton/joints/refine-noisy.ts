// SPDX-License-Identifier: MIT
// The last iterations on a clip with noise, over all frames: rest shape, joints with poses, and weights. The rest shape that was built from patches (methods/noise/build-rest.ts) still has noise, and joins the unknowns: with
// known bones and weights, the best position of a point is the mean over all frames (fit/rest/correct-rest.ts). Weights are held near those of the neighbours (fit/rest/settle-noisy.ts).

import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { correctRest, REST_FRAMES, SPREAD } from '../../../fit/rest/index.ts';
import { SmoothWeightSolver } from '../../../fit/skin/index.ts';
import { makeStrictFit, type StrictSettings, type StrictSolution } from './solve-strict.ts';

/** Iterations, and Gauss-Newton steps of poses in each. */
const ITERATIONS = 6;
const STEPS = 2;

/** Refines a skeleton in place; the rest positions of its trajectories change. */
export async function refineNoisy(
  solved: StrictSolution,
  adjacency: Adjacency,
  noise: number,
  options: StrictSettings,
  monitor: SolveMonitor,
): Promise<void> {
  const { fit, tree } = solved;
  await fit.compute.scope(async (memory) => {
    const strict = makeStrictFit(memory, fit, tree, { ...options, monitor, hold: true });
    const smooth = new SmoothWeightSolver(memory, fit, adjacency);
    const anchor = { positions: fit.trajectories.rest.view().slice(), strength: REST_FRAMES };
    const omega = noise / (SPREAD ** 2 * fit.trajectories.frameCount);
    for (let n = 0; n < ITERATIONS; n++) {
      await smooth.solve(omega, n % 3 === 2 ? 'both' : 'warm');
      correctRest(fit, anchor);
      const blends = await strict.measure();
      await strict.solveJoints(blends);
      await strict.pose(STEPS);
      if (await monitor.tick(n / ITERATIONS, fit.eRms)) break;
    }
    await smooth.solve(omega, 'warm');
  });
}
