// SPDX-License-Identifier: MIT
// The last iterations of a decomposition of a clip with noise: bones, weights and the rest shape. One correction of the rest pose is enough for exact frames; here the rest shape is as noisy as a frame
// at first, and bones and weights follow its noise. Weights are held near those of the neighbours, as much as the noise leaves them undetermined: with noise of variance s² per coordinate, and weights that
// differ from the mean of their neighbours by about SPREAD, the term is s² |w − w̄|² / SPREAD² (smooth-weight-solver.ts).
import type { Adjacency } from '../../core/mesh/topology/adjacency.ts';
import { type SkinFit, SmoothWeightSolver } from '../skin/index.ts';
import { correctRest } from './correct-rest.ts';

/** Standard deviation of a weight from the mean of its neighbours. The weights of rigs change from 0 to 1 over two to four edges, but almost linearly. Chosen on the spider and the fox. */
export const SPREAD = 0.05;
/** Weight of the given rest shape: that of about this number of frames. */
export const REST_FRAMES = 3;
const ITERATIONS = 8;
/** Iterations between searches of supports from scratch. */
const COLD_EVERY = 3;

/**
 * Settles bones, weights and rest positions of a fit, in place.
 * @param adjacency neighbours of its points
 * @param noise variance of the noise per coordinate, solver units
 */
export async function settleNoisy(
  fit: SkinFit,
  adjacency: Adjacency,
  noise: number,
  onIteration?: () => boolean | Promise<boolean>,
): Promise<void> {
  await fit.compute.scope(async (memory) => {
    const smooth = new SmoothWeightSolver(memory, fit, adjacency);
    const omega = noise / (SPREAD ** 2 * fit.trajectories.frameCount);
    const anchor = { positions: fit.trajectories.rest.view().slice(), strength: REST_FRAMES };
    fit.dropHistory();
    for (let n = 0; n < ITERATIONS; n++) {
      await smooth.solve(omega, n % COLD_EVERY === COLD_EVERY - 1 ? 'both' : 'warm');
      correctRest(fit, anchor);
      await fit.solveBones();
      if (await onIteration?.()) break;
    }
    await smooth.solve(omega, 'warm');
  });
}
