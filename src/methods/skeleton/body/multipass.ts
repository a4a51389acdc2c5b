// SPDX-License-Identifier: MIT
// B. H. Le and Z. Deng, "Robust and accurate skeletal rigging from mesh sequences", ACM Transactions on Graphics 33(4), 2014, doi:10.1145/2601097.2601161;
// section and equation numbers are those of their SIGGRAPH course of 2014, §2.
//
// step                                   course               here
// first bones                            §2.2                 a decomposition (SSDR) instead of clusters; with the final number of bones if it is given. Rigs: start-clusters.ts
// number of bones                        ours                 remove-bones.ts: by exact removal cost (the course's rule is prune: 'weights')
// passes: topology                       §2.2.1, Eq. 21       joint-topology.ts
// passes: joints                         §2.2.2, Eq. 22–23    pair-joints.ts
// passes: bones under soft joints        §2.3, Eq. 25–29      soft-passes.ts
// passes: weights with smoothness        §2.3, Eq. 24c        ../fit/smooth-weight-solver.ts
// passes: pruning by faded weights       §2.3.2, Eq. 30       soft-passes.ts, only with prune: 'weights'
// bones over stiff joints are merged     ours                 merge-stiff.ts, if the number of bones is not given
// exactly connected joints               ours                 solve-strict.ts, strict-fit.ts; the course keeps soft joints
// joints inside the body                 ours                 center-joints.ts, place-inside.ts
// idle bones are replaced or removed     ours                 replace-idle.ts, if the number of bones is given; prune-leaves.ts otherwise
// structure from connected joints        ours                 search-structure.ts, if the number of bones is not given and the motion is that of a rig
// joints that slide are released         ours                 release-joints.ts, if the number of bones is not given and connected joints cannot explain the motion
// symmetry                               ours                 symmetrize.ts, if the number of bones is not given and the rest pose is symmetric
// leaves without effect are removed      ours                 prune-weak.ts, if the number of bones is not given
// root                                   ours                 find-root.ts; the course takes a bone of the joint nearest to the centroid (§2.2.1)
//
// symbol   here                        shape
// R, T     SkinFit.bones               3 frames x 4 bones
// w        SkinFit.weights             points x K
// o        JointTree.joints            bones x 3
// S        JointTree.parents           bones
//
// docs/benchmarks/skeleton.md has the measured effect of each step.

import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { SkinFit, selectTrajectories } from '../../../fit/skin/index.ts';
import { connectAll, releaseJoints } from '../joints/release-joints.ts';
import { softPasses } from '../joints/soft-passes.ts';
import { type StrictSettings, type StrictSolution, solveStrict } from '../joints/solve-strict.ts';
import { symmetrize } from '../mirror/symmetrize.ts';
import type { SkeletonValues } from '../options.ts';
import { dropBones } from '../prune/drop-bones.ts';
import { mergeStiff } from '../prune/merge-stiff.ts';
import { pruneLeaves } from '../prune/prune-leaves.ts';
import { pruneWeak } from '../prune/prune-weak.ts';
import { removeBones } from '../prune/remove-bones.ts';
import { replaceIdle } from '../prune/replace-idle.ts';
import { searchStructure } from '../search/search-structure.ts';

/** Number of points for the removal of bones. Chosen by hand. */
const SAMPLE_POINTS = 2000;
/** Minimum number of passes with prune: 'weights': the weights of redundant bones fade slowly. Chosen by hand. */
const PRUNING_PASSES = 20;

/** Options of the search for bones. */
export type MultipassOptions = Pick<SkeletonValues, 'prune' | 'overestimate' | 'smoothness' | 'passes'> & {
  /** What happens to joints whose bones share no point. */
  sliding?: SkeletonValues['joints'];
};

export interface MultipassProblem {
  /** Bones of a decomposition; weights are not solved yet. */
  fit: SkinFit;
  /** Neighbours of points. */
  adjacency: Adjacency;
  /** triangleCount x 3 point indices, if the skeleton may be made symmetric */
  triangles?: Uint32Array;
  /** Whether the number of bones is to be found. */
  isFree: boolean;
  /** Whether the points are those of a denser mesh: its bones have many points, and several are removed at once. */
  isDense?: boolean;
  strict: StrictSettings;
  options: MultipassOptions;
  monitor: SolveMonitor;
}

export interface MultipassSolution extends StrictSolution {
  /** Number of passes with soft joints. */
  passes: number;
}

/** Solves a skeleton. The fit of the result is in the scope of the given fit. */
export async function multipass(problem: MultipassProblem): Promise<MultipassSolution> {
  const { options, monitor, adjacency, isFree } = problem;
  let { fit } = problem;
  if (isFree && options.prune === 'cost') {
    monitor.enter('prune', 0.5, 0.6);
    const expected = problem.isDense ? options.overestimate : undefined;
    fit = await pruneByCost(fit, problem.strict.size, monitor, { noise: problem.strict.noise, expected });
  }
  const free = isFree && !problem.strict.noise && options.sliding !== 'exact' ? dropBones(fit, () => false) : undefined;
  await fit.solveWeights('cold');
  const byWeights = isFree && options.prune === 'weights';
  const passes = byWeights ? Math.max(PRUNING_PASSES, options.passes) : options.passes;
  let done = 0;
  monitor.enter('soft joints', 0.6, 0.75);
  if (fit.boneCount > 1 && passes > 0 && !monitor.isStopped) {
    fit = await softPasses(fit, {
      passes,
      smoothness: options.smoothness,
      prune: byWeights,
      jointSolver: problem.strict.jointSolver,
      adjacency,
      onPass: (one) => monitor.tick(++done / passes, one.eRms),
    });
  }
  if (isFree && !monitor.isStopped) fit = await mergeStiff(fit, problem.strict.jointSolver);
  monitor.enter('strict joints', 0.75, isFree ? 0.85 : 0.95);
  const strict = { ...problem.strict, monitor };
  const solution = await solveStrict(fit, strict);
  if (isFree) {
    monitor.enter('structure', 0.85, 0.95);
    // noise hides what this search looks for, and makes it slow
    const found = strict.noise
      ? solution
      : await searchStructure(solution, { ...strict, maxBones: options.overestimate, isDense: problem.isDense });
    const slid = free && !monitor.isStopped ? await releaseJoints(free, found, strict) : undefined;
    const searched = slid
      ? await searchStructure(slid, { ...strict, maxBones: options.overestimate, isDense: problem.isDense })
      : found;
    const pruned = await pruneLeaves(searched, strict);
    if (strict.noise) return { ...pruned, passes: done };
    const { solution: last, partners } = problem.triangles
      ? await symmetrize(pruned, problem.triangles, strict)
      : { solution: pruned };
    const leaved = await pruneWeak(last, partners, strict);
    const isConnected = options.sliding === 'connected' && leaved.tree.released;
    return { ...(isConnected ? await connectAll(leaved, strict) : leaved), passes: done };
  }
  monitor.enter('strict joints', 0.95, 1);
  return { ...(await replaceIdle(solution, strict)), passes: done };
}

/** Removes bones on a sample of the points; the fit of the result is in the scope of the given fit, and its weights are not solved. */
export async function pruneByCost(
  fit: SkinFit,
  size: number,
  monitor: SolveMonitor,
  { noise = 0, expected }: { noise?: number; expected?: number } = {},
): Promise<SkinFit> {
  const { compute, trajectories, options, boneCount } = fit;
  const step = Math.max(1, trajectories.vertexCount / Math.max(SAMPLE_POINTS, 20 * boneCount));
  // points are in the order of the shape, so evenly spaced indices are spread evenly over it
  const count = Math.floor(trajectories.vertexCount / step);
  const chosen = Uint32Array.from({ length: count }, (_, n) => Math.floor(n * step));
  const { bones, left } = await compute.scope(async (memory) => {
    const start = new SkinFit(memory, selectTrajectories(memory, trajectories, chosen), boneCount, options);
    start.bones.view().set(fit.bones.view());
    await start.solveWeights('cold');
    let [part, error] = [0, start.eRms];
    const tick = (): Promise<boolean> => monitor.tick(part, error);
    const pruned = await removeBones(start, {
      size,
      noise,
      expected,
      onIteration: tick,
      onRemoved: (one) => {
        [part, error] = [(boneCount - one.boneCount) / boneCount, one.eRms];
        return tick();
      },
    });
    return { bones: pruned.bones.view().slice(), left: pruned.boneCount };
  });
  const result = new SkinFit(compute, trajectories, left, options);
  result.bones.view().set(bones);
  return result;
}
