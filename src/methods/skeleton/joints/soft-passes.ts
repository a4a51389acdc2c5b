// SPDX-License-Identifier: MIT
// B. H. Le and Z. Deng, "Robust and accurate skeletal rigging from mesh sequences", ACM Transactions on Graphics 33(4), 2014; Course 2014, §2.3:
//   min E_D + ω E_S + λ E_J  over weights, rigid bones, the tree and its joints (Eq. 24),
// in passes: topology and joints (Eq. 21, 23), bones under soft joints (Eq. 25–29), weights with smoothness (Eq. 24c), and removal of bones with faded weights (Eq. 30).
//
// Soft joints on moments: |Mⱼõ − Mₗõ|² for every joint adds λ n õõᵀ to Cⱼⱼ and Cₗₗ and subtracts it from Cⱼₗ; the sweep over bones is then exactly Eq. 26–29, with
// weights that are not squared (Eq. 28 as published squares them). λ grows and ω falls from pass to pass. Ours: the schedules of λ and ω.

import { boneSweep } from '../../../core/kernels/bones/bone-sweep.ts';
import { pairOffset } from '../../../core/kernels/bones/skin-moments.ts';
import { powerOf } from '../../../core/math/sine.ts';
import { addOuterSym4 } from '../../../core/math/sym4.ts';
import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import { type SkinFit, SmoothWeightSolver } from '../../../fit/skin/index.ts';
import type { JointSolver } from '../options.ts';
import { dropBones } from '../prune/drop-bones.ts';
import { jointTopology } from './joint-topology.ts';
import type { JointEdge } from './joint-tree.ts';

/** λ of the first and the last pass, in units of the enclosing ball. Chosen on horse-gallop, cat-poses, samba, pdance, lion-poses and horse-poses. */
const LAMBDA = [1e-3, 1];
const SWEEPS = 3;
/** Passes between searches of supports from scratch. */
const COLD_EVERY = 5;
/** Eq. 30: a bone is removed if its sum of squared weights is below this ratio of the largest sum. */
const FADED = 1e-2;
/** ω falls to this ratio in the last pass with smoothness; the last quarter of the passes has none. Chosen by hand. */
const OMEGA_FALL = 1e-2;
const WITH_SMOOTHNESS = 0.75;

/** Maximum size of the copy of the clip that smoothness needs; larger clips are solved without smoothness. */
const MAX_BYTES = 1e9;

export interface SoftPassesOptions {
  passes: number;
  /** ω of the first pass; 0: no smoothness. Relative to the mean squared error, in units of the enclosing ball. */
  smoothness: number;
  /** Remove bones with faded weights. */
  prune: boolean;
  jointSolver: JointSolver;
  /** Neighbours of points; required for smoothness. */
  adjacency?: Adjacency;
  /** Called after every pass with the present fit; return true to stop. */
  onPass?: (fit: SkinFit) => boolean | Promise<boolean>;
}

/** Runs passes on a fit with solved weights. Returns the given fit, or a smaller one in its scope if bones were removed. */
export async function softPasses(given: SkinFit, options: SoftPassesOptions): Promise<SkinFit> {
  let fit = given;
  for (let pass = 0; pass < options.passes; ) {
    const part = await passUntilFaded(fit, pass, options);
    fit = part.fit;
    if (part.isStopped) break;
    pass = part.pass;
  }
  return fit;
}

/** Runs passes from a given one until a bone was removed, or all are done. */
function passUntilFaded(given: SkinFit, first: number, options: SoftPassesOptions): Promise<PassesDone> {
  const { passes, smoothness, adjacency } = options;
  const { vertexCount, frameCount } = given.trajectories;
  return given.compute.scope(async (memory) => {
    const fits = 24 * vertexCount * (frameCount + given.boneCount / 3) < MAX_BYTES;
    const smooth = smoothness > 0 && adjacency && fits ? new SmoothWeightSolver(memory, given, adjacency) : undefined;
    let fit = given;
    let isStopped = false;
    let pass = first;
    while (pass < passes && fit === given && !isStopped) {
      const done = passes > 1 ? pass / (passes - 1) : 1;
      const lambda = LAMBDA[0] * powerOf(LAMBDA[1] / LAMBDA[0], done);
      await fit.measureMoments();
      pinSoftly(fit, jointTopology(fit, options.jointSolver).edges, lambda);
      await boneSweep(fit.compute, fit.bones, fit.boneCount, fit.moments, {
        sweeps: SWEEPS,
        kind: 'rigid',
        axes: fit.axes,
      });
      fit.dropHistory();
      const start = pass % COLD_EVERY === COLD_EVERY - 1 ? 'both' : 'warm';
      const part = done / WITH_SMOOTHNESS;
      if (smooth && part < 1) await smooth.solve(smoothness * powerOf(OMEGA_FALL, part), start);
      else await fit.solveWeights(start);
      const faded = options.prune ? findFaded(fit) : -1;
      if (faded >= 0) {
        fit = dropBones(fit, (j) => j === faded);
        await fit.solveWeights('warm');
      }
      isStopped = (await options.onPass?.(fit)) ?? false;
      pass++;
    }
    return { fit, pass, isStopped };
  });
}

interface PassesDone {
  fit: SkinFit;
  /** The next pass. */
  pass: number;
  isStopped: boolean;
}

/** Adds soft joints to the moments of a fit. */
function pinSoftly(fit: SkinFit, edges: readonly JointEdge[], lambda: number): void {
  const { boneCount } = fit;
  const pairs = fit.moments.pairs.view();
  const strength = lambda * fit.trajectories.vertexCount;
  for (const { a, b, joint } of edges) {
    const [x, y, z] = joint;
    addOuterSym4(strength, x, y, z, pairs, pairOffset(boneCount, a, a));
    addOuterSym4(strength, x, y, z, pairs, pairOffset(boneCount, b, b));
    addOuterSym4(-strength, x, y, z, pairs, pairOffset(boneCount, a, b));
  }
}

/** The bone with the smallest sum of squared weights if it has faded, or -1: one at a time, since a removal changes the others. */
function findFaded(fit: SkinFit): number {
  if (fit.boneCount < 2) return -1;
  const sums = new Float64Array(fit.boneCount);
  const ids = fit.weights.bones.view();
  const values = fit.weights.weights.view();
  for (let e = 0; e < values.length; e++) sums[ids[e]] += values[e] ** 2;
  let lowest = 0;
  let largest = 0;
  for (let j = 0; j < sums.length; j++) {
    if (sums[j] < sums[lowest]) lowest = j;
    largest = Math.max(largest, sums[j]);
  }
  return sums[lowest] < FADED * largest ? lowest : -1;
}
