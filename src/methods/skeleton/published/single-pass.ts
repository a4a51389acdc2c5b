// SPDX-License-Identifier: MIT
// Course 2014, §2.1: bones, then the tree, then joints, each once. Schaefer and Yuksel 2007: clusters by edge collapse; de Aguiar et al. 2008: spectral clustering on
// mutual distances; N. Hasler, T. Thormählen, B. Rosenhahn, H.-P. Seidel, "Learning skeletons for shape and pose", I3D 2010: a decomposition (LSSP).
//
// Differences: the papers apply the bones' own rotations at the joints, so that errors accumulate along a limb. Here poses are fitted to the frames with fixed
// joints, and weights are solved again; docs/benchmarks/skeleton.md has the errors of both.

import { makeRandom } from '../../../core/math/random.ts';
import { edgeCollapseClusters } from '../../../fit/clusters/index.ts';
import { assignLabels, normalizeBones, SkinFit } from '../../../fit/skin/index.ts';
import { type MultipassSolution, pruneByCost } from '../body/multipass.ts';
import { solveStrict } from '../joints/solve-strict.ts';
import type { BoneSearch } from '../search/open-search.ts';
import { mutualDistanceClusters } from './mutual-distance-clusters.ts';

/** Solves a skeleton in one pass. */
export async function singlePass(search: BoneSearch): Promise<MultipassSolution> {
  const { options, monitor, strict } = search;
  monitor.enter('cluster', 0.1, 0.5);
  let fit = options.method === 'hasler' ? await startDecomposed(search) : await startClustered(search);
  await monitor.tick(1, fit.eRms);
  if (search.isFree) {
    fit = await pruneByCost(fit, strict.size, monitor);
    await fit.solveWeights('cold');
  }
  monitor.enter('strict joints', 0.5, 1);
  const solution = await solveStrict(fit, { ...strict, iterations: 0, monitor });
  return { ...solution, passes: 1 };
}

async function startDecomposed({ compute, searched, wanted, input, options }: BoneSearch): Promise<SkinFit> {
  const { clip, normalized } = searched;
  const start = await input.decomposer(clip, wanted, 0);
  const fit = new SkinFit(compute, normalized.trajectories, start.boneCount, options.fit);
  fit.bones.view().set(normalizeBones(normalized, start.matrices, start.boneCount));
  await fit.solveWeights('cold');
  return fit;
}

async function startClustered({ compute, searched, triangles, wanted, input, options }: BoneSearch): Promise<SkinFit> {
  const { trajectories } = searched.normalized;
  const labels =
    options.method === 'schaefer'
      ? edgeCollapseClusters(trajectories, triangles, wanted)
      : mutualDistanceClusters(trajectories, triangles, wanted, makeRandom(input.seed));
  let boneCount = 0;
  for (const label of labels) boneCount = Math.max(boneCount, label + 1);
  const fit = new SkinFit(compute, trajectories, boneCount, options.fit);
  assignLabels(fit.weights, labels);
  // every bone has its own points, so one sweep is exact
  await fit.solveBones(1);
  await fit.solveWeights('cold');
  return fit;
}
