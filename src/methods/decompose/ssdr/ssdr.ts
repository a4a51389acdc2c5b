// SPDX-License-Identifier: MIT
// B. H. Le and Z. Deng, "Smooth skinning decomposition with rigid bones", ACM Transactions on Graphics 31(6), 2012, doi:10.1145/2366145.2366218;
// SIGGRAPH course 2014, §1, Algorithm 3. A clip becomes bones, their motion and at most K convex weights per vertex:
//   min Σᵢₖ |Σⱼ wᵢⱼ Mⱼₖ ũᵢ − vᵢₖ|²,  w ≥ 0, Σⱼ wᵢⱼ = 1, at most K of them, M rigid (or similar, or affine).
//
// symbol  here                          shape
// u, v    NormalizedClip.trajectories    points x 3, points x 3 frames
// w       SkinFit.weights                points x K
// R, T    SkinFit.bones                  3 frames x 4 bones
//
// step of Algorithm 3                      file
// bone initialization (§1.4)               ../cluster/rigid-clusters.ts: seeds by error instead of splitting
// weights (§1.5.1)                         ../kernels/convex-weights.ts: exact gains and exchange; ../fit/effect-weights.ts: the course's rule
// bone transformations (§1.5.2, Alg. 4)    ../kernels/skin-moments.ts: sums over vertices; ../kernels/bone-sweep.ts: one bone at a time from these sums
// the iteration over both                  ../fit/skin-fit.ts: with over-relaxation
// rest pose correction (line 6)            ../fit/correct-rest.ts, after Kavan et al. 2010
//
// Ours (docs/benchmarks/ssdr.md has the measured effects): rigid pieces first (pieces-first.ts); relocation of bones (../fit/relocate-bones.ts); the structure is found on a random sample of the points, and only
// the last iterations use all of them; clips are reduced in time during the search (../fit/reduce-trajectories.ts); large clips are searched on some of their frames (solve-large.ts).

import type { Compute } from '../../../core/kernels/compute.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { makeRandom, type Random } from '../../../core/math/random.ts';
import { makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
import { pointTriangles, weldClip } from '../../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf } from '../../../core/model/clip/clip.ts';
import { InputError, UsageError } from '../../../core/model/errors.ts';
import { fillDefaults } from '../../../core/options/fill-defaults.ts';
import type { SolvePlan } from '../../../core/options/method.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { rigidClusters } from '../../../fit/clusters/index.ts';
import { NORM_ITERATIONS, refineNorm } from '../../../fit/norm/index.ts';
import { correctRest, settleNoisy } from '../../../fit/rest/index.ts';
import {
  boneAxesInto,
  type FitState,
  makeSkinnedModel,
  type NormalizedClip,
  normalizeBones,
  normalizeClip,
  reduceTrajectories,
  relocateBones,
  SkinFit,
  type SkinFitOptions,
  selectTrajectories,
} from '../../../fit/skin/index.ts';
import type { Decomposition } from '../decomposition.ts';
import type { LargeClip } from '../define-decompose-method.ts';
import { canSolveInBlocks, isLarge } from '../large/can-solve-in-blocks.ts';
import { makeClipSource } from '../large/make-clip-source.ts';
import { solveLarge } from '../large/solve-large.ts';
import type { RigidGroup } from '../pieces/group-rigid-pieces.ts';
import { piecesFirst } from '../pieces/pieces-first.ts';
import { checkSsdrOptions, SSDR_OPTIONS, type SsdrOptions, type SsdrSettings } from './options.ts';
import { planSsdr } from './plan-ssdr.ts';

/** Result of ssdr. */
export interface SsdrResult extends Decomposition {
  /** Error before the rest pose was corrected; equal to eRms if it was kept. */
  eRmsBeforeRest: number;
  /** Iterations over all vertices. */
  iterations: number;
  /** Number of relocated bones. */
  relocations: number;
  /** Number of empty clusters that were seeded again. */
  reseeds: number;
}

// The constants were chosen on horse-gallop with 20 bones (ten seeds), cat-poses with 15, and for dense weights on horse-gallop with 15 and 30.

/** Number of points for the search: the error is per vertex, so they are drawn uniformly. */
export const SAMPLE_POINTS = 2000;
/** Number of starts, and iterations of each before the best is chosen. */
const STARTS = 3;
const START_ITERATIONS = 6;
/** Maximum numbers of relocation trials and of consecutive failures. */
const RELOCATE = { tries: 100, failures: 24 };
/** Iterations on the sample after the last relocation. */
const SETTLE_ITERATIONS = 20;
/** Maximum number of weights per vertex during the search: with more, relocation fails (horse-gallop, 15 bones, dense: 2.08 against 1.88). */
const SEARCH_INFLUENCES = 8;
/** Iterations on the sample with more weights than that. */
const DENSE_ITERATIONS = 250;
/** Maximum sum of squares outside the basis of the reduction in time, relative to the first squared error. */
const TAIL_RATIO = 0.01;
/** How much longer the sample of a large clip is iterated: few passes over all points follow (sheet, 20 bones, mean of three seeds: E_RMS 0.065 with 1, 0.061 with 2). */
const SMALL_PATIENCE = 2;
/** Sweeps over bones per iteration. */
const SWEEPS = 2;

/** Decomposes a clip. Same clip, options and seed give the same bytes for any number of threads. */
export async function ssdr(compute: Compute, clip: Clip, options: SsdrOptions = {}): Promise<SsdrResult> {
  const o = settleSsdrOptions(options);
  checkFrames(clip);
  const size = { vertexCount: clip.mesh.positions.length / 3, frameCount: frameCountOf(clip), noise: o.deviation };
  return solvePiecesFirst(compute, clip, o, planSsdr(o, undefined, size));
}

/** All options. Throws a UsageError for invalid values. */
export function settleSsdrOptions(options: SsdrOptions): SsdrSettings {
  const { deviation = 0, signal, onProgress, ...own } = options;
  const settled = fillDefaults(SSDR_OPTIONS, own);
  checkSsdrOptions(settled);
  return { ...settled, deviation, signal, onProgress };
}

/** Rigid pieces, and the rest as planned. */
export function solvePiecesFirst(compute: Compute, clip: Clip, o: SsdrSettings, plan: SolvePlan): Promise<SsdrResult> {
  return piecesFirst(clip, o, {
    bones: o.bones,
    exact: () => ({ eRmsBeforeRest: 0, iterations: 0, relocations: 0, reseeds: 0 }),
    solve: (part, own, groups) =>
      plan.strategy === 'blocks' && isLarge(part.mesh.positions.length / 3, frameCountOf(part)) && !groups
        ? solveInBlocks(compute, part, own)
        : solve(compute, part, own, groups),
  });
}

function solveInBlocks(compute: Compute, clip: Clip, o: SsdrSettings): Promise<SsdrResult> {
  const weld = weldClip(clip);
  const { pointOfVertex } = weld;
  return solveLargeClip(compute, { source: makeClipSource(clip, weld), mesh: clip.mesh, pointOfVertex }, o);
}

/** Decomposes a large clip whose points are read in blocks (solve-large.ts). Rigid pieces are not solved apart. */
export async function ssdrInBlocks(compute: Compute, large: LargeClip, options: SsdrOptions = {}): Promise<SsdrResult> {
  const o = settleSsdrOptions(options);
  if (!canSolveInBlocks(o))
    throw new UsageError('ssdr', 'in blocks, norm must be 2, support exchange, and deviation 0; solve the whole clip');
  return solveLargeClip(compute, large, o);
}

async function solveLargeClip(compute: Compute, large: LargeClip, o: SsdrSettings): Promise<SsdrResult> {
  const { keepRest = false } = o;
  const { small, solved } = await solveLarge(compute, large, { ...o, keepRest }, (part, monitor) =>
    solve(compute, part, {
      ...{ ...o, ...monitor, keepRest: true },
      iterations: SMALL_PATIENCE * o.iterations,
      tolerance: o.tolerance / SMALL_PATIENCE,
    }),
  );
  const { relocations, reseeds } = small;
  return { ...solved, relocations, reseeds };
}

async function solve(
  compute: Compute,
  clip: Clip,
  o: SsdrSettings,
  groups?: readonly RigidGroup[],
): Promise<SsdrResult> {
  const monitor = new SolveMonitor(o);
  const random = makeRandom(o.seed);
  return compute.scope(async (memory) => {
    const normalized = normalizeClip(memory, clip);
    const all = normalized.trajectories;
    const boneCount = Math.min(o.bones, all.vertexCount);
    const fitOptions = fitOptionsOf(o);
    const first = groups && groups.length === boneCount ? bonesOfGroups(normalized, groups) : undefined;
    const sought = await memory.scope((own) =>
      searchStructure(own, all, boneCount, fitOptions, { monitor, random, first, effort: o.effort }),
    );
    const fit = new SkinFit(memory, all, boneCount, fitOptions);
    fit.bones.view().set(sought.bones);
    fit.axes.view().set(sought.axes);
    monitor.enter('finish', 0.7, 0.97);
    await fit.solveWeights('cold');
    const { iterations, status } = await settle(fit, o.iterations, o.tolerance, monitor);
    const eRmsBeforeRest = fit.eRms;
    if (o.deviation > 0 && !o.keepRest) {
      const adjacency = makeAdjacency(all.vertexCount, pointTriangles(clip.mesh.triangles, normalized.weld));
      await settleNoisy(fit, adjacency, (o.deviation / normalized.size) ** 2, () => monitor.tick(1, fit.eRms));
    } else if (!o.keepRest) {
      correctRest(fit);
      await fit.solveWeights('warm');
    }
    monitor.enter('rest', 0.97, 1);
    await monitor.tick(1, fit.eRms);
    if (o.norm !== 2) await refine(fit, o, monitor);
    return {
      model: makeSkinnedModel(clip, normalized, fit, !o.keepRest),
      eRms: fit.eRms,
      eRmsBeforeRest,
      iterations,
      relocations: sought.relocations,
      reseeds: sought.reseeds,
      status: monitor.isStopped ? 'stopped' : status,
    };
  });
}

async function refine(fit: SkinFit, { norm, keepRest }: SsdrSettings, monitor: SolveMonitor): Promise<void> {
  monitor.enter('refine', 0.97, 1);
  let count = 0;
  await refineNorm(fit, { norm, keepRest, onIteration: () => monitor.tick(++count / NORM_ITERATIONS, fit.eRms) });
}

/** The motions of groups in solver units: 3 frameCount x 4 boneCount */
function bonesOfGroups(normalized: NormalizedClip, groups: readonly RigidGroup[]): Float64Array {
  const matrices = new Float64Array(groups.length * groups[0].matrices.length);
  groups.forEach((group, j) => {
    for (let o = 0; o < group.matrices.length; o += 16)
      matrices.set(group.matrices.subarray(o, o + 16), o * groups.length + 16 * j);
  });
  return normalizeBones(normalized, matrices, groups.length);
}

/** The options that an alternating solve needs. */
export type FitChoice = Pick<SsdrSettings, 'influences' | 'transforms' | 'ridge' | 'support'>;

/** The options of the alternating solve. */
export function fitOptionsOf(options: FitChoice): SkinFitOptions {
  const { influences, transforms, ridge, support } = options;
  return { influences, transforms, ridge, sweeps: SWEEPS, support };
}

/** First bones of a solve, found on a sample of the points. */
export interface Structure {
  /** 3 frameCount x 4 boneCount */
  bones: Float64Array;
  /** boneCount x 9 */
  axes: Float64Array;
  relocations: number;
  reseeds: number;
}

export interface SearchOptions {
  monitor: SolveMonitor;
  random: Random;
  /** 3 frameCount x 4 boneCount: the bones of one of the starts. */
  first?: Float64Array;
  /** See SsdrOptions. */
  effort?: number;
}

/** Bones for a sample of the points: several starts, one of them given or not, iterations of the best, relocation of its cheapest bones while that lowers the error. */
export async function searchStructure(
  compute: Compute,
  all: Trajectories,
  boneCount: number,
  fitOptions: SkinFitOptions,
  { monitor, random, first, effort = 1 }: SearchOptions,
): Promise<Structure> {
  const sample = selectTrajectories(
    compute,
    all,
    drawSample(all.vertexCount, Math.max(Math.round(effort * SAMPLE_POINTS), 20 * boneCount), random),
  );
  const fit = new SkinFit(compute, sample, boneCount, {
    ...fitOptions,
    influences: Math.min(fitOptions.influences, SEARCH_INFLUENCES),
  });
  let best: FitState | undefined;
  let reseeds = 0;
  monitor.enter('cluster', 0, 0.15);
  for (let n = 0; n < STARTS; n++) {
    const seeds = n === 0 ? first : undefined;
    const clusters = await rigidClusters(compute, sample, fit.bones, boneCount, random, seeds);
    fit.dropHistory();
    if (fitOptions.transforms === 'similarity')
      boneAxesInto(sample.rest.view(), clusters.labels, boneCount, fit.axes.view());
    await fit.solveWeights('cold');
    if (n === 0) sample.reduced = await reduceTrajectories(compute, sample, TAIL_RATIO * fit.error, random);
    let count = 0;
    await fit.alternate(START_ITERATIONS, () => monitor.tick((n + ++count / START_ITERATIONS) / STARTS, fit.eRms));
    if (!best || fit.error < best.error) {
      best = fit.save();
      reseeds = clusters.reseeds;
    }
    if (await monitor.tick((n + 1) / STARTS, fit.eRms)) break;
  }
  if (best) fit.restore(best);
  monitor.enter('alternate', 0.15, 0.2);
  await fit.alternate(START_ITERATIONS, () => monitor.tick(0.5, fit.eRms));
  monitor.enter('relocate', 0.2, 0.65);
  let trials = 0;
  const tries = Math.ceil(effort * RELOCATE.tries);
  const relocations = monitor.isStopped
    ? 0
    : await relocateBones(fit, random, {
        tries,
        failures: Math.ceil(effort * RELOCATE.failures),
        onTrial: () => monitor.tick(++trials / tries, fit.eRms),
      });
  monitor.enter('alternate', 0.65, 0.7);
  if (!monitor.isStopped) await fit.alternate(SETTLE_ITERATIONS, () => monitor.tick(0.5, fit.eRms));
  const structure = { bones: fit.bones.view().slice(), axes: fit.axes.view().slice(), relocations, reseeds };
  if (fitOptions.influences > SEARCH_INFLUENCES && boneCount > SEARCH_INFLUENCES)
    await settleDense(compute, sample, boneCount, fitOptions, structure, monitor);
  return structure;
}

/** Iterates on the sample with the full number of weights. The structure is changed in place. */
async function settleDense(
  compute: Compute,
  sample: Trajectories,
  boneCount: number,
  fitOptions: SkinFitOptions,
  structure: Structure,
  monitor: SolveMonitor,
): Promise<void> {
  const fit = new SkinFit(compute, sample, boneCount, fitOptions);
  fit.bones.view().set(structure.bones);
  fit.axes.view().set(structure.axes);
  let count = 0;
  await fit.solveWeights('cold');
  await fit.alternate(DENSE_ITERATIONS, () => monitor.tick(++count / DENSE_ITERATIONS, fit.eRms));
  structure.bones = fit.bones.view().slice();
}

/** Iterates over all vertices until the error reduction is below the tolerance. */
async function settle(
  fit: SkinFit,
  iterations: number,
  tolerance: number,
  monitor: SolveMonitor,
): Promise<{ iterations: number; status: SsdrResult['status'] }> {
  let count = 0;
  let status: SsdrResult['status'] = 'max-iterations';
  let before = fit.eRms;
  let slow = 0;
  await fit.alternate(iterations, async () => {
    count++;
    // over-relaxed steps are uneven: two consecutive small ones end the loop
    slow = fit.eRms > before * (1 - tolerance) ? slow + 1 : 0;
    before = fit.eRms;
    if (slow >= 2) status = 'converged';
    return (await monitor.tick(count / iterations, fit.eRms)) || slow >= 2;
  });
  return { iterations: count, status };
}

/** Indices of at most wanted points, drawn without replacement, ascending. */
export function drawSample(vertexCount: number, wanted: number, random: Random): Uint32Array {
  const ids = Uint32Array.from({ length: vertexCount }, (_, i) => i);
  if (vertexCount <= wanted) return ids;
  for (let n = 0; n < wanted; n++) {
    const other = n + random.below(vertexCount - n);
    const swap = ids[n];
    ids[n] = ids[other];
    ids[other] = swap;
  }
  return ids.slice(0, wanted).sort();
}

/** Throws an InputError for a clip without frames. */
export function checkFrames(clip: Clip): void {
  if (frameCountOf(clip) < 1) throw new InputError('ssdr', 'the clip has no frames');
}
