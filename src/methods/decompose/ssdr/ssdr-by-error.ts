// SPDX-License-Identifier: MIT
// The smallest number of bones with which every vertex is within a distance. One solution grows and shrinks: a quick fit of a few bones predicts the number, and the
// structure for it is searched once (ssdr.ts). Every other number starts from the nearest solution: bones are added at the vertices of the largest distances, or
// those with the lowest removal cost are removed; then a few iterations, a few relocations, and the largest distance is lowered (fit/norm/refine-norm.ts). The next
// number follows from the distance reached, which falls about as a power of the number, within the bracket of the largest number that failed and the smallest
// that suffices. At most MAX_TRIALS numbers are tried. With a root mean square as the goal, the mean takes the place of the largest distance, and is not refined.

import type { Compute } from '../../../core/kernels/compute.ts';
import { callNormSquares } from '../../../core/kernels/errors/norm-vertices.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { makeRandom, type Random } from '../../../core/math/random.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { UsageError } from '../../../core/model/errors.ts';
import type { ErrorGoal } from '../../../core/progress/error-goal.ts';
import { type ProgressInfo, SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { rigidClusters } from '../../../fit/clusters/index.ts';
import { refineNorm } from '../../../fit/norm/index.ts';
import { correctRest } from '../../../fit/rest/index.ts';
import {
  keepBonesInto,
  listByCost,
  makeSkinnedModel,
  type NormalizedClip,
  normalizeClip,
  relocateBones,
  SkinFit,
  selectTrajectories,
} from '../../../fit/skin/index.ts';
import { piecesFirstByError } from '../pieces/pieces-first.ts';
import { growBonesInto } from '../shared/grow-bones.ts';
import { measureFarthest } from '../shared/measure-farthest.ts';
import type { SsdrOptions, SsdrSettings } from './options.ts';
import {
  drawSample,
  fitOptionsOf,
  SAMPLE_POINTS,
  type SsdrResult,
  type Structure,
  searchStructure,
  settleSsdrOptions,
} from './ssdr.ts';

/** Bones and iterations of the quick fit, and the part of its largest distance that a full solve of the same number leaves. */
const PROBE = { bones: 8, iterations: 8, left: 0.5 };
/**
 * The error falls as this power of the number of bones. The largest distance: horse-gallop 1.4 from 10 to 33 bones, flag 1.5 from 10 to 40; the mean: horse-gallop 1.25 from 36 to
 * 46 bones.
 */
const POWER = { max: 1.4, rms: 1.25 };
/** Maximum number of bones: more do not make a small model. */
const MAX_BONES = 256;
/** Maximum and minimum change of the number from one trial to the next, while the bracket is open. */
const MAX_STEP = 1.7;
const MIN_STEP = 1.2;
const MAX_TRIALS = 9;
/** The search ends when the bracket is this narrow, relative to the number that suffices. */
const BRACKET = 0.04;
/** Iterations of a trial on the sample before and after relocation, and on all points. */
const TRIAL = { before: 6, after: 6, all: 4 };
const RELOCATE = { tries: 16, failures: 8 };
const REFINE_ITERATIONS = 20;
/** Iterations of a trial for the mean. */
const MEAN_ITERATIONS = 4;
/** Part of the largest distance that a full refinement leaves (horse-gallop: 0.38, flag: 0.43, cat-poses: 0.55). */
const REFINED = 0.45;
/** A solution is refined until its largest distance is this part of the limit. */
const ENOUGH = 0.98;

/** Finds the number of bones and solves with it. The status is 'stalled' if no number up to the largest suffices. */
export async function ssdrByError(
  compute: Compute,
  clip: Clip,
  goal: ErrorGoal,
  options: SsdrOptions = {},
): Promise<SsdrResult> {
  return searchPiecesFirst(compute, clip, goal, settleSsdrOptions(options));
}

/** Rigid pieces, and the fewest bones for the rest. */
export function searchPiecesFirst(compute: Compute, clip: Clip, goal: ErrorGoal, o: SsdrSettings): Promise<SsdrResult> {
  if (!(goal.limit > 0)) throw new UsageError('ssdr', `the error must be positive, got ${goal.limit}`);
  return piecesFirstByError<SsdrSettings, SsdrResult>(clip, o, goal.limit, {
    exact: () => ({ eRmsBeforeRest: 0, iterations: 0, relocations: 0, reseeds: 0 }),
    solve: (part, own) => compute.scope((memory) => searchCount(memory, part, goal, own)),
  });
}

/** A solved number of bones. */
interface Solution extends Pick<Structure, 'bones' | 'axes'> {
  count: number;
  model: SkinnedModel;
  /** The error of the goal, file units. */
  error: number;
  /** What a full refinement would leave of it, file units: estimated, since the refinement ends at the limit. */
  potential: number;
  /** Largest distance of each point, solver units. */
  distances: Float64Array;
  eRms: number;
  eRmsBeforeRest: number;
}

interface CountSearch {
  compute: Compute;
  clip: Clip;
  normalized: NormalizedClip;
  /** Rest positions of all points, uncorrected. */
  rest: Float64Array;
  sample: Trajectories;
  goal: ErrorGoal;
  options: SsdrSettings;
  monitor: SolveMonitor;
  random: Random;
}

async function searchCount(compute: Compute, clip: Clip, goal: ErrorGoal, options: SsdrSettings): Promise<SsdrResult> {
  let done = 0;
  // numbers rise and fall; the reported progress still never falls
  const onProgress = (info: ProgressInfo) => {
    done = Math.max(done, info.fraction);
    options.onProgress?.({ ...info, fraction: done });
  };
  const monitor = new SolveMonitor({ ...options, onProgress });
  const random = makeRandom(options.seed);
  const normalized = normalizeClip(compute, clip);
  const { trajectories: all } = normalized;
  const ids = drawSample(all.vertexCount, SAMPLE_POINTS, random);
  const sample = selectTrajectories(compute, all, ids);
  const rest = all.rest.view().slice();
  const search = { compute, clip, normalized, rest, sample, goal, options, monitor, random };
  const maxBones = Math.min(MAX_BONES, all.vertexCount);
  monitor.enter('count', 0, 0.1);
  let count = Math.min(maxBones, await predictCount(search));
  let held: Solution | undefined;
  let failed: Solution | undefined;
  let trials = 0;
  let relocations = 0;
  const structureOf = async (wanted: number): Promise<Structure> => {
    const from = held ?? failed;
    if (from) return adaptStructure(search, from, wanted);
    return compute.scope((own) => searchStructure(own, all, wanted, fitOptionsOf(options), { monitor, random }));
  };
  while (trials < MAX_TRIALS && !(trials > 0 && monitor.isStopped)) {
    monitor.enter(describeBracket(search, count, held, failed), 0.1 + (0.8 * trials) / MAX_TRIALS, 0.95);
    await monitor.tick(0, (held ?? failed)?.eRms);
    const structure = await structureOf(count);
    relocations += structure.relocations;
    const tried = await solveCount(search, structure, count);
    trials++;
    if (tried.error <= goal.limit) held = tried;
    else if (!failed || tried.count > failed.count) failed = tried;
    const next = chooseNext(held, failed, goal, maxBones);
    if (next === undefined) break;
    count = next;
  }
  const best = held ?? failed!;
  return {
    model: best.model,
    eRms: best.eRms,
    eRmsBeforeRest: best.eRmsBeforeRest,
    iterations: trials,
    relocations,
    reseeds: 0,
    status: monitor.isStopped ? 'stopped' : held ? 'converged' : 'stalled',
  };
}

/** The next number to try; undefined if the bracket is narrow enough, or the largest number fails. */
function chooseNext(
  held: Solution | undefined,
  failed: Solution | undefined,
  { kind, limit, close = 1 }: ErrorGoal,
  maxBones: number,
): number | undefined {
  if (held && held.error >= close * limit) return undefined;
  const predict = ({ count, potential }: Solution) => count * (potential / limit) ** (1 / POWER[kind]);
  if (!held) {
    if (!failed || failed.count >= maxBones) return undefined;
    const wanted = Math.min(MAX_STEP * failed.count, predict(failed));
    return Math.min(maxBones, Math.max(failed.count + 1, Math.ceil(Math.max(wanted, failed.count * MIN_STEP))));
  }
  const low = failed?.count ?? 0;
  if (held.count - low <= Math.max(1, Math.floor(BRACKET * held.count))) return undefined;
  const wanted = failed
    ? Math.sqrt(held.count * failed.count)
    : Math.max(held.count / MAX_STEP, Math.min(held.count / MIN_STEP, predict(held)));
  return Math.max(low + 1, Math.min(held.count - 1, Math.round(wanted)));
}

/** `31 bones: 1.2 %, 24 bones: too few`, and the number that is tried; percent of the box diagonal. */
function describeBracket({ clip }: CountSearch, count: number, held?: Solution, failed?: Solution): string {
  const { diagonal } = measureBounds(clip.mesh.positions);
  const parts = [
    ...(held ? [`${held.count} bones: ${((100 * held.error) / diagonal).toPrecision(2)} %`] : []),
    ...(failed ? [`${failed.count} bones: too few`] : []),
    `trying ${count}`,
  ];
  return parts.join(', ');
}

/** The number of bones by the error of a quick fit on the sample. */
async function predictCount({
  compute,
  normalized,
  sample,
  goal,
  options,
  monitor,
  random,
}: CountSearch): Promise<number> {
  const bones = Math.min(PROBE.bones, sample.vertexCount);
  return compute.scope(async (memory) => {
    const fit = new SkinFit(memory, sample, bones, fitOptionsOf(options));
    await rigidClusters(memory, sample, fit.bones, bones, random);
    await fit.solveWeights('cold');
    await fit.alternate(PROBE.iterations, () => monitor.tick(0.5, fit.eRms));
    const error = goal.kind === 'rms' ? rmsOf(fit) : Math.max(...(await listFarthest(fit)));
    const predicted = bones * ((PROBE.left * error * normalized.size) / goal.limit) ** (1 / POWER[goal.kind]);
    // articulated motion needs fewer bones for its largest distance than the power predicts; too few cost less to try than too many
    const isHalved = predicted > bones && goal.kind === 'max';
    return Math.max(1, Math.round(isHalved ? Math.sqrt(bones * predicted) : predicted));
  });
}

/** The bones of a solution with some added or removed, on the sample. */
function adaptStructure(search: CountSearch, from: Solution, count: number): Promise<Structure> {
  const { compute, normalized, sample, options, monitor, random } = search;
  const fitOptions = fitOptionsOf(options);
  return compute.scope(async (memory) => {
    let fit: SkinFit;
    if (count < from.count) fit = await removeBones(memory, sample, from, count, options);
    else {
      fit = new SkinFit(memory, sample, count, fitOptions);
      growBonesInto(normalized.trajectories, from, fit.bones.view(), count);
      fit.axes.view().set(from.axes);
    }
    await fit.solveWeights('cold');
    await fit.alternate(TRIAL.before, () => monitor.tick(0.2, fit.eRms));
    const relocations = await relocateBones(fit, random, { ...RELOCATE, onTrial: () => monitor.tick(0.4, fit.eRms) });
    await fit.alternate(TRIAL.after, () => monitor.tick(0.5, fit.eRms));
    return { bones: fit.bones.view().slice(), axes: fit.axes.view().slice(), relocations, reseeds: 0 };
  });
}

/** A fit without the bones of the lowest removal cost. */
async function removeBones(
  compute: Compute,
  sample: Trajectories,
  from: Solution,
  count: number,
  options: SsdrSettings,
): Promise<SkinFit> {
  const whole = new SkinFit(compute, sample, from.count, fitOptionsOf(options));
  whole.bones.view().set(from.bones);
  whole.axes.view().set(from.axes);
  await whole.solveWeights('cold');
  const order = await listByCost(whole);
  const kept = order.slice(from.count - count).sort((a, b) => a - b);
  const fit = new SkinFit(compute, sample, count, fitOptionsOf(options));
  keepBonesInto(whole, fit, kept);
  const axes = fit.axes.view();
  kept.forEach((j, n) => {
    axes.set(from.axes.subarray(9 * j, 9 * j + 9), 9 * n);
  });
  return fit;
}

/** All points with the bones of a structure: a few iterations, the rest pose, and the largest distance. */
function solveCount(search: CountSearch, structure: Structure, count: number): Promise<Solution> {
  const { compute, clip, normalized, rest, goal, options, monitor } = search;
  const { keepRest } = options;
  return compute.scope(async (memory) => {
    normalized.trajectories.rest.view().set(rest);
    const fit = new SkinFit(memory, normalized.trajectories, count, fitOptionsOf(options));
    fit.bones.view().set(structure.bones);
    fit.axes.view().set(structure.axes);
    await fit.solveWeights('cold');
    await fit.alternate(TRIAL.all, () => monitor.tick(0.6, fit.eRms));
    const eRmsBeforeRest = fit.eRms;
    if (!keepRest) {
      correctRest(fit);
      await fit.solveWeights('warm');
    }
    const reached =
      goal.kind === 'rms'
        ? await settleMean(search, fit)
        : await refineNorm(fit, {
            ...{ norm: 'max', keepRest, iterations: REFINE_ITERATIONS, maxGrowth: Number.POSITIVE_INFINITY },
            enough: (ENOUGH * goal.limit) / normalized.size,
            onIteration: () => monitor.tick(0.8, fit.eRms),
          });
    const model = makeSkinnedModel(clip, normalized, fit, !keepRest);
    const error = goal.kind === 'rms' ? rmsOf(fit) * normalized.size : measureFarthest(clip, model);
    const potential = reached ? Math.min(error, REFINED * reached.farthestBefore * normalized.size) : error;
    return {
      ...{ count, model, eRmsBeforeRest, error, potential, distances: await listFarthest(fit) },
      ...{ eRms: fit.eRms, bones: fit.bones.view().slice(), axes: fit.axes.view().slice() },
    };
  });
}

/** More iterations for the mean, with the rest pose corrected after each. */
async function settleMean({ options, monitor }: CountSearch, fit: SkinFit): Promise<undefined> {
  for (let n = 0; n < MEAN_ITERATIONS; n++) {
    await fit.alternate(1);
    if (!options.keepRest) {
      correctRest(fit);
      await fit.solveWeights('warm');
    }
    if (await monitor.tick(0.8, fit.eRms)) break;
  }
}

/** The root mean square distance, solver units. */
function rmsOf({ error, trajectories: { vertexCount, frameCount } }: SkinFit): number {
  return Math.sqrt(error / (vertexCount * frameCount));
}

/** The largest distance of each point over the frames. */
function listFarthest(fit: SkinFit): Promise<Float64Array> {
  const { frameCount, vertexCount } = fit.trajectories;
  return fit.compute.scope(async (memory) => {
    const squares = memory.float64(vertexCount * frameCount);
    await fit.compute.runAll([callNormSquares(memory, fit, squares)]);
    const view = squares.view();
    const distances = new Float64Array(vertexCount);
    for (let e = 0; e < view.length; e++) {
      const i = Math.floor(e / frameCount);
      distances[i] = Math.max(distances[i], view[e]);
    }
    return distances.map(Math.sqrt);
  });
}
