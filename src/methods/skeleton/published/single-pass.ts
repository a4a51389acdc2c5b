// SPDX-License-Identifier: MIT
// Course 2014, §2.1: bones, then the tree, then joints, each once. Schaefer and Yuksel 2007: clusters by edge collapse; de Aguiar et al. 2008: spectral clustering on
// mutual distances; N. Hasler, T. Thormählen, B. Rosenhahn, H.-P. Seidel, "Learning skeletons for shape and pose", I3D 2010: a decomposition (LSSP).
//
// Differences: the papers apply the bones' own rotations at the joints, so that errors accumulate along a limb. Here poses are fitted to the frames with fixed
// joints, and weights are solved again; docs/benchmarks/skeleton.md has the errors of both.

import type { Compute } from '../../../core/kernels/compute.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { edgeCollapseClusters } from '../../../fit/clusters/index.ts';
import {
  assignLabels,
  type NormalizedClip,
  normalizeBones,
  SkinFit,
  type SkinFitOptions,
} from '../../../fit/skin/index.ts';
import { solveStrict } from '../joints/solve-strict.ts';
import { type MultipassProblem, type MultipassSolution, pruneByCost } from '../multipass.ts';
import type { Decomposer } from '../skeleton-options.ts';
import { mutualDistanceClusters } from './mutual-distance-clusters.ts';

export interface SinglePassProblem {
  compute: Compute;
  clip: Clip;
  normalized: NormalizedClip;
  /** triangleCount x 3 point indices */
  triangles: Uint32Array;
  wanted: number;
  isFree: boolean;
  decomposer: Decomposer;
  strict: MultipassProblem['strict'];
  options: MultipassProblem['options'];
  fitOptions: SkinFitOptions;
  monitor: SolveMonitor;
}

/** Solves a skeleton in one pass. */
export async function singlePass(problem: SinglePassProblem): Promise<MultipassSolution> {
  const { options, monitor } = problem;
  monitor.enter('cluster', 0.1, 0.5);
  let fit = options.method === 'hasler' ? await startDecomposed(problem) : await startClustered(problem);
  await monitor.tick(1, fit.eRms);
  if (problem.isFree) {
    fit = await pruneByCost(fit, problem.strict.size, monitor);
    await fit.solveWeights('cold');
  }
  monitor.enter('strict joints', 0.5, 1);
  const solution = await solveStrict(fit, { ...problem.strict, iterations: 0, monitor });
  return { ...solution, passes: 1 };
}

async function startDecomposed({ compute, clip, normalized, wanted, decomposer, fitOptions }: SinglePassProblem) {
  const start = await decomposer(clip, wanted, 0);
  const fit = new SkinFit(compute, normalized.trajectories, start.boneCount, fitOptions);
  fit.bones.view().set(normalizeBones(normalized, start.matrices, start.boneCount));
  await fit.solveWeights('cold');
  return fit;
}

async function startClustered({ compute, normalized, triangles, wanted, fitOptions, options }: SinglePassProblem) {
  const { trajectories } = normalized;
  const labels =
    options.method === 'schaefer'
      ? edgeCollapseClusters(trajectories, triangles, wanted)
      : mutualDistanceClusters(trajectories, triangles, wanted, makeRandom(options.seed));
  let boneCount = 0;
  for (const label of labels) boneCount = Math.max(boneCount, label + 1);
  const fit = new SkinFit(compute, trajectories, boneCount, fitOptions);
  assignLabels(fit.weights, labels);
  // every bone has its own points, so one sweep is exact
  await fit.solveBones(1);
  await fit.solveWeights('cold');
  return fit;
}
