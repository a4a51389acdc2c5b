// SPDX-License-Identifier: MIT
// L. Kavan, J. Doublestein, M. Prazak, M. Cioffi, D. Roble, "Compressed skinning for facial blendshapes", SIGGRAPH 2024, doi:10.1145/3641519.3657477: a face of shapes as bones whose
// transforms are linear in the weights of the shapes, with few non-zeros,
//   v(u) = Σⱼ wᵢⱼ (I + Σₛ uₛ Dₛⱼ) ṽ₀,   w ≥ 0, Σⱼ w = 1, at most K of them,   Σₛⱼ |Dₛⱼ|₀ ≤ budget.
// The paper minimizes by Adam with projections from a random start, with D of six numbers (a linearized rigid transform about the origin). Ours:
//
// symbol  here                  shape
// W       SkinFit.weights       points x K
// D       entries               3 shapes x 4 bones, affine, about the center of each bone
// A       trajectories          points x 3 mixtures of shapes (shape-examples.ts)
//
// step                                                    file
// a start: free bones at every shape                       ../decompose/ssdr.ts, by the caller. Linear drivers reproduce free affine bones exactly
// weights for given drivers: exact, exchange of supports   ../kernels/convex-weights.ts
// drivers for given weights: one regression per coordinate driver-system.ts, solve-entries.ts
// which entries stay                                       eliminate-entries.ts; the budget falls over the iterations, and entries that were dropped may return
//
// The structure is found on a sample of the points; only the last iterations use all of them.

import type { Compute } from '../../../core/kernels/compute.ts';
import { squareTrajectories, type Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { SolveMonitor, type SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import {
  makeFitSkin,
  type NormalizedClip,
  normalizeBones,
  normalizeClip,
  reduceTrajectories,
  SkinFit,
  selectTrajectories,
} from '../../../fit/skin/index.ts';
import type { ShapeExamples } from '../shape-examples.ts';
import { type DriverSystem, makeDriverSystem } from './driver-system.ts';
import { eliminateEntries } from './eliminate-entries.ts';
import { solveEntries } from './solve-entries.ts';

/** Options of fitDrivers. */
export interface FitDriversOptions extends SolveMonitorOptions {
  /** Maximum number of weights per vertex. */
  influences: number;
  /** Maximum number of non-zeros of the drivers; 0: no limit. */
  nonzeros: number;
  /** Random seed. */
  seed: number;
  /** First weights, for the vertices of the mesh. Default: solved for the first bones. */
  skin?: Skin;
}

/** Fitted drivers, file units. */
export interface FittedDrivers {
  skin: Skin;
  /** boneCount x 3, file units */
  centers: Float64Array;
  /** (3 shapeCount) x 4 boneCount: rows of [A t] about the centers; t in file units */
  entries: Float64Array;
  /** Squared error in file units, summed over points and mixtures. */
  error: number;
}

/** Points of the sample. */
const SAMPLE_POINTS = 3000;
/** Iterations on the sample over which the budget falls, and at the final budget. */
const FALLING = 10;
const SETTLING = 14;
/** Iterations over all points. */
const FINAL = 4;
/** Rounds at the end in which the chosen entries stay and only values and weights change. */
const FIXED = 2;
/** Relative regularization of the weights. */
const RIDGE = 1e-9;
/** Maximum energy outside the reduced rows, relative to the squared error. */
const TAIL_RATIO = 0.01;
/** Maximum squared error, relative to that of free bones, at which one bone may stay without drivers. */
const MAX_STILL_COST = 1.02;
/** Displacements relative to the size that are due to single precision. */
const STILL = 1e-7;

/**
 * Fits weights and drivers.
 * @param start mixtures x boneCount x 16: bones at the frames of examples.clip, file units
 */
export async function fitDrivers(
  compute: Compute,
  examples: ShapeExamples,
  start: Float64Array,
  o: FitDriversOptions,
): Promise<FittedDrivers> {
  const monitor = new SolveMonitor(o);
  const boneCount = start.length / (16 * examples.clip.times.length);
  return compute.scope(async (memory) => {
    const normalized = normalizeClip(memory, examples.clip);
    keepCenters(normalized);
    const bones = normalizeBones(normalized, start, boneCount);
    const all = normalized.trajectories;
    const total = 3 * examples.shapes.names.length * 4 * boneCount;
    const budget = o.nonzeros > 0 ? Math.min(o.nonzeros, total) : total;
    const random = makeRandom(o.seed);
    let state: DriverState | undefined;
    /** A fit of some points that starts from the given bones and weights. */
    const open = async (own: Compute, points: Trajectories, ids: Uint32Array | undefined): Promise<SkinFit> => {
      const fit = makeFit(own, points, boneCount, o.influences, bones);
      if (o.skin) adoptSkin(fit, o.skin, ids, normalized.weld.vertexOfPoint);
      await fit.solveWeights(o.skin ? 'warm' : 'cold');
      points.reduced = await reduceTrajectories(own, points, TAIL_RATIO * fit.error, random);
      return fit;
    };
    if (budget < total) {
      monitor.enter('drivers', 0, 0.6);
      state = await memory.scope(async (own) => {
        const ids = drawPoints(all.vertexCount, random.below.bind(random));
        const fit = await open(own, selectTrajectories(own, all, ids), ids);
        return iterate(fit, examples, monitor, {
          iterations: FALLING + SETTLING,
          budgetOf: (n) => budgetAt(n, total, budget),
        });
      });
    }
    monitor.enter('finish', 0.6, 1);
    const fit = await open(memory, all, undefined);
    const freeError = fit.error;
    if (state) {
      mixInto(state, examples, fit.bones.view());
      await fit.solveWeights('both');
    }
    const final = { iterations: FINAL + FIXED, budgetOf: (n: number) => (n < FINAL ? budget : 0) };
    const before = fit.save();
    let last = await iterate(fit, examples, monitor, { ...final, from: state });
    if (budget === total && fit.error > MAX_STILL_COST * freeError) {
      // few bones: every one must move
      fit.restore(before);
      last = await iterate(fit, examples, monitor, { ...final, still: -1 });
    }
    return finish(normalized, fit, last);
  });
}

/** Positions relative to the rest center in every frame: a bone that no shape moves is then the identity, with no entries. */
function keepCenters({ trajectories, size, restCenter, frameCenters }: NormalizedClip): void {
  const rows = 3 * trajectories.frameCount;
  const posed = trajectories.posed.view();
  const shift = frameCenters.map((center, row) => (center - restCenter[row % 3]) / size);
  for (let e = 0; e < posed.length; e++) posed[e] += shift[e % rows];
  for (let row = 0; row < rows; row++) frameCenters[row] = restCenter[row % 3];
  squareTrajectories(trajectories);
}

function makeFit(memory: Compute, points: Trajectories, boneCount: number, influences: number, bones: Float64Array) {
  const options = { influences, transforms: 'affine', ridge: RIDGE, sweeps: 1, support: 'exchange' } as const;
  const fit = new SkinFit(memory, points, boneCount, options);
  fit.bones.view().set(bones);
  return fit;
}

/** Sets the weights of a fit to those of a skin. Point i is ids[i] of the weld, or i. */
function adoptSkin({ weights }: SkinFit, skin: Skin, ids: Uint32Array | undefined, vertexOfPoint: Uint32Array): void {
  const { influences } = weights;
  const [bones, values] = [weights.bones.view(), weights.weights.view()];
  values.fill(0);
  for (let i = 0; i * influences < values.length; i++) {
    const row = skin.rowStart[vertexOfPoint[ids ? ids[i] : i]];
    const count = Math.min(influences, skin.rowStart[vertexOfPoint[ids ? ids[i] : i] + 1] - row);
    let sum = 0;
    for (let e = 0; e < count; e++) sum += skin.weights[row + e];
    for (let e = 0; e < count; e++) {
      bones[i * influences + e] = skin.boneIndices[row + e];
      values[i * influences + e] = skin.weights[row + e] / sum;
    }
  }
}

/** Indices of the points of the sample, ascending. */
function drawPoints(count: number, below: (limit: number) => number): Uint32Array {
  const ids = Uint32Array.from({ length: count }, (_, i) => i);
  if (count <= SAMPLE_POINTS) return ids;
  for (let n = 0; n < SAMPLE_POINTS; n++) {
    const other = n + below(count - n);
    [ids[n], ids[other]] = [ids[other], ids[n]];
  }
  return ids.slice(0, SAMPLE_POINTS).sort();
}

/** The budget of an iteration: falls geometrically from all entries. */
function budgetAt(n: number, total: number, budget: number): number {
  const part = Math.min(1, (n + 1) / FALLING);
  return Math.round(total * (budget / total) ** part);
}

interface DriverState {
  /** The bone that does not move. */
  still: number;
  system: DriverSystem;
  entries: Float64Array;
  support: Uint8Array;
}

interface IterateOptions {
  iterations: number;
  /** Number of entries by iteration; 0 keeps the chosen ones. */
  budgetOf(n: number): number;
  from?: DriverState;
  /** The bone that does not move, -1 for none; found by default. */
  still?: number;
}

/** Alternates: drivers for the weights, weights for the drivers. */
async function iterate(
  fit: SkinFit,
  examples: ShapeExamples,
  monitor: SolveMonitor,
  { iterations, budgetOf, from, still: given }: IterateOptions,
): Promise<DriverState> {
  const { metric, mixtures, shapes } = examples;
  const count = shapes.names.length;
  const importance = Float64Array.from({ length: count }, (_, s) => metric[s * (count + 1)]);
  let state = from;
  for (let n = 0; n < iterations; n++) {
    const { boneCount, moments } = fit;
    await fit.measureMoments();
    const still: number = state?.still ?? given ?? findStill(makeDriverSystem(moments, boneCount, mixtures));
    const system = makeDriverSystem(moments, boneCount, mixtures, still);
    const budget = budgetOf(n);
    const isFull = budget >= system.right.length;
    const support: Uint8Array =
      budget === 0 && state
        ? state.support
        : isFull
          ? fullSupport(system)
          : eliminateEntries(system, budget, importance);
    const entries = state?.entries.slice() ?? new Float64Array(system.right.length);
    solveEntries(system, support, metric, entries);
    state = { system, entries, support, still };
    const bones = fit.bones.view();
    mixInto(state, examples, bones);
    await fit.solveWeights(n % 4 === 3 ? 'both' : 'warm');
    if ((await monitor.tick((n + 1) / iterations, fit.eRms)) && budget !== 0) {
      // a stopped solve still meets the budget: one more iteration at the final one
      if (n + 1 < iterations) n = iterations - 2;
    }
  }
  return state!;
}

/**
 * The bone that moves least: it gets no drivers. Points that no shape moves then follow it alone, and cost nothing to store or to pose. A single bone moves.
 */
function findStill({ boneCount, gram, right, isUsable }: DriverSystem): number {
  const n = isUsable.length;
  if (boneCount < 2) return -1;
  let [best, least] = [-1, Number.POSITIVE_INFINITY];
  for (let j = 0; j < boneCount; j++) {
    let energy = 0;
    for (let e = 0; e < right.length; e += n) {
      // the translation that fits this bone alone
      const o = 4 * j + 3;
      energy += right[e + o] ** 2 / gram[o * n + o];
    }
    if (isUsable[4 * j] && energy < least) [best, least] = [j, energy];
  }
  return best;
}

function fullSupport({ right, isUsable }: DriverSystem): Uint8Array {
  return Uint8Array.from(right, (_, e) => isUsable[e % isUsable.length]);
}

/** Bones at the mixtures: I + Σₛ Lₛₖ Dₛⱼ, as the solver's 3 mixtures x 4 bones. */
function mixInto({ system, entries }: DriverState, { mixtures }: ShapeExamples, bones: Float64Array): void {
  const { boneCount, shapeCount, centers } = system;
  const n = 4 * boneCount;
  bones.fill(0);
  for (let k = 0; k < shapeCount; k++) {
    for (let s = k; s < shapeCount; s++) {
      const amount = mixtures[s * shapeCount + k];
      if (amount === 0) continue;
      for (let e = 0; e < 3 * n; e++) bones[3 * k * n + e] += amount * entries[3 * s * n + e];
    }
    for (let row = 3 * k; row < 3 * k + 3; row++) {
      for (let j = 0; j < boneCount; j++) {
        const o = row * n + 4 * j;
        for (let c = 0; c < 3; c++) bones[o + 3] -= bones[o + c] * centers[3 * j + c];
        bones[o + (row % 3)] += 1;
      }
    }
  }
}

/** Points that no mixture moves follow the bone that does not move, alone. */
function bindStill({ trajectories, weights }: SkinFit, still: number): void {
  const rows = 3 * trajectories.frameCount;
  const [rest, posed] = [trajectories.rest.view(), trajectories.posed.view()];
  const [ids, values] = [weights.bones.view(), weights.weights.view()];
  for (let i = 0; i < trajectories.vertexCount; i++) {
    let isStill = true;
    for (let row = 0; row < rows && isStill; row++)
      isStill = Math.abs(posed[i * rows + row] - rest[3 * i + (row % 3)]) < STILL;
    if (!isStill) continue;
    const o = i * weights.influences;
    ids[o] = still;
    values[o] = 1;
    values.fill(0, o + 1, o + weights.influences);
  }
}

function finish(normalized: NormalizedClip, fit: SkinFit, { system, entries, still }: DriverState): FittedDrivers {
  const { size, restCenter, weld } = normalized;
  if (still >= 0) bindStill(fit, still);
  return {
    skin: makeFitSkin(weld, fit.weights),
    centers: system.centers.map((c, e) => c * size + restCenter[e % 3]),
    entries: entries.map((value, e) => (e % 4 === 3 ? value * size : value)),
    error: fit.error * size * size,
  };
}
