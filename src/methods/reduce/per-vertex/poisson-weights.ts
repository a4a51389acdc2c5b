// SPDX-License-Identifier: MIT
// E. Landreneau, S. Schaefer, "Poisson-based weight reduction of animated meshes", Computer Graphics Forum 29(6), 2010, doi:10.1111/j.1467-8659.2010.01661.x;
// Course 2014, §3.4: weights whose shapes have the gradients of the poses, so that normals are kept:
//   min Σ_poses ∫|∇(Σⱼ wⱼMⱼu − v')|²,  w ≥ 0, Σⱼ wⱼ = 1, at most k of them above zero                              (Eq. 41)
//
// Where we differ, and why:
// - Eq. 42 and 43 replace the gradient by the Laplacian. Without constraints on w the two have the same solution. With them they do not, and the Laplacian does not bound the error of
//   normals: on the bones of Eq. 37 it raises it from 15.6 to 16.2 degrees (horse-gallop, 15 dense bones to 4; 60 sweeps), and the gradient lowers it to 15.3.
// - Each point counts alike, not each area (gradient-edges.ts): errors of normals are measured per vertex.
// - The bones of a point follow its neighbours: bones are exchanged during the descent (poisson-descent.ts), for the same objective. Weights can then be continuous across the border
//   between two sets of bones, because a bone leaves where its weight is small. Bones that are chosen by each point alone differ between neighbours, and no weights on them are smooth.
// - Only sets of bones near the start are found. There are several starts, and the one with the lowest objective after a few sweeps is continued.
// - The gradient does not change with a translation of a whole region. `attachment` adds |e|² per point, times that number.
import { SolveMonitor, type SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import { makeGradientEdges } from '../objective/gradient-edges.ts';
import type { WeightProblem, WeightRows } from '../weight-problem.ts';
import { makePoissonDescent, type PoissonDescent } from './poisson-descent.ts';

export interface PoissonWeightsOptions extends SolveMonitorOptions {
  /** Maximum weights per point. */
  influences: number;
  /** Maximum number of sweeps over all points. */
  sweeps?: number;
  /** Stop when a sweep lowers the objective by less than this ratio. */
  tolerance?: number;
  /** Weight of squared distances relative to squared gradients, per squared radius of the model. */
  attachment?: number;
}

export const POISSON_WEIGHTS_DEFAULTS = { sweeps: 60, tolerance: 0.002, attachment: 10 } as const;

/** Poses of the bones, and targets of the points in the same coordinates. */
export interface PoissonPoses {
  /** rows x 4 boneCount, from reducePoseRows */
  bones: Float64Array;
  /** Fills the target of a point: one number per row. */
  targetInto(point: number, out: Float64Array): void;
}

/** Sweeps of every start before the best one is chosen. */
const FIRST_SWEEPS = 3;

/**
 * Solves weights and the choice of bones with poses.
 * @param starts weights of at most `influences` bones per point
 */
export async function poissonWeights(
  problem: Pick<WeightProblem, 'pointCount' | 'boneCount' | 'rest' | 'triangles'>,
  starts: readonly WeightRows[],
  poses: PoissonPoses,
  options: PoissonWeightsOptions,
): Promise<WeightRows> {
  const { influences } = options;
  const sweeps = options.sweeps ?? POISSON_WEIGHTS_DEFAULTS.sweeps;
  const tolerance = options.tolerance ?? POISSON_WEIGHTS_DEFAULTS.tolerance;
  const attachment = options.attachment ?? POISSON_WEIGHTS_DEFAULTS.attachment;
  const edges = makeGradientEdges(problem.rest, problem.triangles);
  const monitor = new SolveMonitor(options);
  monitor.enter('Poisson', 0, 1);
  const first = Math.min(FIRST_SWEEPS, sweeps);
  const total = starts.length * first + sweeps - first;
  let done = 0;
  let best: PoissonDescent | undefined;
  for (const start of starts) {
    const descent = makePoissonDescent(problem, start, poses, edges, influences, attachment);
    for (let sweep = 0; sweep < first; sweep++) {
      if (await monitor.tick(done++ / total)) break;
      descent.sweep();
    }
    if (!best || descent.energy < best.energy) best = descent;
  }
  for (let sweep = first; best && sweep < sweeps; sweep++) {
    if (await monitor.tick(done++ / total)) break;
    if (best.sweep() < tolerance * best.energy) break;
  }
  return best!.rows();
}
