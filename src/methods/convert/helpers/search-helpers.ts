// SPDX-License-Identifier: MIT
// Helper, §5.2 and §5.3, on the points with errors: helpers are added one at a time, and weights and helpers are solved alternately after each. If there are many
// points, a sample is used: some thousands are enough to place helpers, and all points get their weights later.

import type { Random } from '../../../core/math/random.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { type FitState, normalizeBones, normalizeClip, type SkinFitOptions } from '../../../fit/skin/index.ts';
import { type LearnedHelpers, learnControllers, widenLearned } from '../controllers/learn-controllers.ts';
import { listFollows } from '../controllers/list-follows.ts';
import type { ConvertRun, FitSettings } from '../helper-input.ts';
import { carryBones } from './carry-bones.ts';
import { HelperFit, weighTrajectories } from './helper-fit.ts';
import { insertHelper } from './insert-helpers.ts';
import type { NarrowProblem } from './narrow-problem.ts';

/** Fraction of the total error that the used points account for. */
const ERROR_PART = 0.995;
/** Maximum number of used points. */
const MAX_POINTS = 2500;
/** Number of searches with different proposals; the lowest error wins. Chosen by hand. */
const STARTS = 3;
/** Maximum number of points times poses times bones for several searches; beyond, there is one, since each takes minutes. */
const MAX_WORK = 1e8;

/** The points with errors, in ascending order. @param isOpen pointCount: 1 for points where helpers may start; default: all */
export function listPointsOff(fit: HelperFit, isOpen: Uint8Array | undefined, random: Random): Uint32Array {
  const errors = fit.weights.errors.view().map((error, i) => (isOpen && !isOpen[i] ? 0 : error));
  const total = errors.reduce((sum, error) => sum + error, 0);
  const order = Array.from(errors.keys()).sort((a, b) => errors[b] - errors[a] || a - b);
  let sum = 0;
  let count = 0;
  while (count < order.length && (sum < ERROR_PART * total || (isOpen?.[order[count]] ?? 0) === 1))
    sum += errors[order[count++]];
  const chosen = order.slice(0, count);
  for (let n = 0; n < Math.min(count, MAX_POINTS); n++) {
    const other = n + random.below(count - n);
    [chosen[n], chosen[other]] = [chosen[other], chosen[n]];
  }
  return Uint32Array.from(chosen.slice(0, MAX_POINTS)).sort();
}

/** Progress of the search; the rest is that of learning first controllers. */
const SEARCH_PART = 0.9;

/** Helpers that were found, for a search of more that continues from them. */
export interface SearchedHelpers {
  helperCount: number;
  state: FitState;
}

export interface SearchOptions extends Pick<FitSettings, 'iterations' | 'order' | 'beta' | 'joints' | 'delay'> {
  helpers: number;
  fitOptions: SkinFitOptions;
  random: Random;
}

/**
 * Finds helpers and first controllers for them, in terms of the whole skeleton; undefined if there is no error.
 * @param from the result of a search for fewer, of the same problem: more helpers are added to it, in one search
 */
export async function searchHelpers(
  { compute, monitor }: ConvertRun,
  problem: NarrowProblem,
  { fitOptions, random, ...o }: SearchOptions,
  jointCount: number,
  from?: SearchedHelpers,
): Promise<{ learned: LearnedHelpers; search: SearchedHelpers } | undefined> {
  const { clip, set, skeleton } = problem;
  const normalized = normalizeClip(compute, clip);
  const joints = normalizeBones(normalized, carryBones(set, skeleton), skeleton.names.length);
  const roots = weighTrajectories(normalized.trajectories, set.weights);
  const isLarge = clip.positions.length * (skeleton.names.length + o.helpers) > 3 * MAX_WORK;
  const starts = isLarge || from ? 1 : STARTS;
  const insertAll = async (start: number): Promise<HelperFit> => {
    // steps: the first weights, each helper, the last iterations
    const partOf = (step: number) => (SEARCH_PART * (start + step / (o.helpers + 2))) / starts;
    const helperCount = from?.helperCount ?? 0;
    const fit = new HelperFit(compute, normalized.trajectories, { roots, joints, helperCount }, fitOptions);
    if (from) fit.restore(from.state);
    await fit.solveWeights(from ? 'warm' : 'cold');
    const full = await insertHelpers(fit, monitor, partOf, { ...o, joints, fitOptions, random });
    if (full.helperCount > 0) {
      full.turnAxes();
      full.dropHistory();
      let count = 0;
      const onIteration = () => monitor.tick(partOf(o.helpers + 1 + ++count / o.iterations), full.eRms);
      await full.alternate(o.iterations, onIteration);
    }
    return full;
  };
  let best: HelperFit | undefined;
  for (let start = 0; start < starts && !(best && monitor.isStopped); start++) {
    const fit = await insertAll(start);
    if (!best || fit.error < best.error) best = fit;
  }
  if (!best || best.helperCount === 0) return undefined;
  const follows = listFollows(o.delay, set.times);
  const dense = {
    order: o.order,
    beta: o.beta,
    joints: o.joints,
    isSparse: false,
    follows,
    onStep: async (ratio: number) => monitor.isStopped || monitor.tick(SEARCH_PART + (1 - SEARCH_PART) * ratio),
  };
  const learned = widenLearned(
    await learnControllers(best, normalized, skeleton, set, dense),
    problem.joints,
    jointCount,
  );
  return { learned, search: { helperCount: best.helperCount, state: best.save() } };
}

/** Adds helpers one at a time, to the wanted number or until there is no error. */
async function insertHelpers(
  first: HelperFit,
  monitor: SolveMonitor,
  partOf: (step: number) => number,
  {
    helpers,
    iterations,
    joints,
    fitOptions,
    random,
  }: Pick<SearchOptions, 'helpers' | 'iterations' | 'fitOptions' | 'random'> & { joints: Float64Array },
): Promise<HelperFit> {
  let fit = first;
  while (fit.helperCount < helpers && !monitor.isStopped) {
    const step = fit.helperCount + 1;
    let count = 0;
    const onIteration = () => monitor.tick(partOf(step + ++count / iterations));
    const more = await insertHelper(fit, joints, fitOptions, random, { iterations, onIteration });
    if (!more) break;
    fit = more;
    await monitor.tick(partOf(step + 1), fit.eRms);
  }
  return fit;
}
