// SPDX-License-Identifier: MIT
// B. H. Le and Z. Deng, "Robust and accurate skeletal rigging from mesh sequences", ACM Transactions on Graphics 33(4), 2014, doi:10.1145/2601097.2601161; SIGGRAPH
// course 2014, §2.3: over-estimated bones; passes of weights, bones under soft joints, joints, topology and pruning (soft-passes.ts); then, which the course leaves
// open, the strict form (solve-strict.ts).
//
// symbol   here                        shape
// R, T     SkinFit.bones               3 frames x 4 bones
// w        SkinFit.weights             points x K
// o        JointTree.joints            bones x 3
// S        JointTree.parents           bones
//
// What differs (docs/skeleton.md has the measured effects): bones start from a decomposition (SSDR) and not from clusters; where the number is given they start with
// that number; where it is not, bones are removed by exact cost unless the paper's rule is asked for; and the result is strict.
import { selectTrajectories } from '../fit/normalize-clip.ts';
import { SkinFit } from '../fit/skin-fit.ts';
import type { SolveMonitor } from '../fit/solve-monitor.ts';
import type { Adjacency } from '../mesh/adjacency.ts';
import { insertBones } from './insert-bones.ts';
import { mergeStiff } from './merge-stiff.ts';
import { refineTopology } from './refine-topology.ts';
import { measureLimit, removeBones } from './remove-bones.ts';
import { replaceIdle } from './replace-idle.ts';
import type { SKELETON_DEFAULTS } from './skeleton-options.ts';
import { softPasses } from './soft-passes.ts';
import { type SolveStrictOptions, type StrictSolution, solveStrict } from './solve-strict.ts';

/** Points on which bones are removed. */
const SAMPLE_POINTS = 2000;
/** Decompositions with fewer bones that are tried where the fit is nearly exact, and alternations of each. */
const RESTARTS = 4;
const RESTART_ITERATIONS = 10;
/** Passes of the paper's own pruning: redundant bones need time to fade. */
const PRUNING_PASSES = 20;

export interface MultipassProblem {
  /** Bones of a decomposition, weights not yet solved. */
  fit: SkinFit;
  /** Bones of another decomposition, with so many of them; weights not yet solved. */
  restart: (bones: number) => Promise<SkinFit>;
  /** Neighbours of points. */
  adjacency: Adjacency;
  /** Whether the number of bones is to be found. */
  isFree: boolean;
  strict: Omit<SolveStrictOptions, 'monitor'>;
  options: typeof SKELETON_DEFAULTS;
  monitor: SolveMonitor;
}

export interface MultipassSolution extends StrictSolution {
  /** The fit to read the result from, in the scope of the given one. */
  fit: SkinFit;
  passes: number;
}

/** Solves a skeleton; bones, weights and joints are in the fit and the tree that come back. */
export async function multipass(problem: MultipassProblem): Promise<MultipassSolution> {
  const { options, monitor, adjacency, isFree } = problem;
  let { fit } = problem;
  if (isFree && options.prune === 'cost') {
    monitor.enter('prune', 0.5, 0.6);
    fit = await pruneByCost(fit, problem.strict.size, monitor);
  }
  await fit.solveWeights('cold');
  if (isFree && options.prune === 'cost') fit = await pruneByRestart(problem, fit);
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
  monitor.enter('strict joints', 0.75, 0.95);
  const strict = { ...problem.strict, monitor };
  const solution = await solveStrict(fit, strict);
  monitor.enter('strict joints', 0.95, 1);
  const refined = await refineTopology(fit, solution, strict);
  if (!isFree) return { ...(await replaceIdle(refined, strict)), passes: done };
  const whole = options.prune === 'cost' ? await insertBones(refined, strict) : refined;
  return { ...whole, passes: done };
}

/** A fit with as many bones as pay, found on a sample of the points; in the scope of the given one. */
export async function pruneByCost(fit: SkinFit, size: number, monitor: SolveMonitor): Promise<SkinFit> {
  const { compute, trajectories, options, boneCount } = fit;
  const step = Math.max(1, trajectories.vertexCount / Math.max(SAMPLE_POINTS, 20 * boneCount));
  // points are in the order of the shape, so every so many of them are spread evenly over it
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

/**
 * Where the fit is exact but for what nobody sees, a bone too many no longer shows in the error, and bones that share one part cannot become one by small steps: a
 * decomposition with one bone less is tried, while it is as good.
 */
async function pruneByRestart({ restart, strict, monitor }: MultipassProblem, given: SkinFit): Promise<SkinFit> {
  let fit = given;
  for (let n = 0; n < RESTARTS && fit.boneCount > 2 && !monitor.isStopped; n++) {
    if (!measureLimit(fit, strict.size).isUnseen) break;
    if (n === 0) await fit.alternate(RESTART_ITERATIONS);
    const { limit } = measureLimit(fit, strict.size);
    const trial = await restart(fit.boneCount - 1);
    await trial.solveWeights('cold');
    await trial.alternate(RESTART_ITERATIONS, () => monitor.tick(1, fit.eRms));
    if (trial.error > limit) break;
    fit = trial;
  }
  return fit;
}
