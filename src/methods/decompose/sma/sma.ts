// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning mesh animations", ACM Transactions on Graphics 24(3), SIGGRAPH 2005, doi:10.1145/1073204.1073206; §3 to §5 and
// Appendix A. The corrections of §6 are for every method: correct/.
//
// Triangles with similar rotations throughout the clip form bones: their rotation sequences are points in R^(9S), whose density has modes (mean shift). Bones are
// computed from the triangles of each mode, influences and weights from the bones, one vertex at a time. There is no iteration.
//
// symbol  here                            shape
// z       TriangleRotations.rotations     triangles x 9S
// h       9Sε, an L1 radius               (Eq. 4 does not state the norm; the public code that the authors used is L1)
// 𝒯_b     labels                          triangles: the bone of each core triangle, |z̄_b − z̄|₁ < h/4
// η       eta                             core triangles over all triangles
// T̄_b     SkinFit.bones                   3S x 4 bones
// γ, w    chooseInfluences, solveVertexWeights
//
// Differences: weights sum to one exactly (methods/decompose/sma/vertex-weights.ts), flat flexible bones are regularized by their rigid ones (methods/decompose/sma/core-bones.ts), nearly coincident
// places are merged (methods/decompose/sma/mean-shift.ts), and bones are patches that outliers join (sma-patches.ts; bonesBy 'cores' is the paper's rule).
// src/methods/decompose/sma/README.md has the effects. Negative weights are replaced by more bones (methods/decompose/sma/convex-bones.ts).

import type { Compute } from '../../../core/kernels/compute.ts';
import { weldClip } from '../../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf } from '../../../core/model/clip/clip.ts';
import { InputError } from '../../../core/model/errors.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { makeSkinnedModel, normalizeClip, SkinFit } from '../../../fit/skin/index.ts';
import type { Decomposition } from '../decomposition.ts';
import { piecesFirst } from '../pieces/pieces-first.ts';
import { makeConvexBones } from './convex-bones.ts';
import { type CoreTriangles, coreBonesInto } from './core-bones.ts';
import { POOR_ETA } from './estimate-eta.ts';
import { meanShift } from './mean-shift.ts';
import { type SmaOptions, type SmaSettings, settleSmaOptions } from './options.ts';
import { joinOutliers, splitCores } from './sma-patches.ts';
import { type TriangleRotations, triangleRotations } from './triangle-rotations.ts';
import { chooseInfluences, solveVertexWeights } from './vertex-weights.ts';

/** Result of sma. */
export interface SmaResult extends Decomposition {
  /** The epsilon of the bones. */
  epsilon: number;
  /** Near-rigid fraction: the ratio of triangles that move with a bone. */
  eta: number;
  /** Number of bones found; a file with negative weights has more (methods/decompose/sma/convex-bones.ts). */
  bonesFound: number;
  /** The minimum weight, before negative ones are replaced. */
  minWeight: number;
  /** The maximum weight. */
  maxWeight: number;
  /** Number of frames of bones whose mean triangle rotation has no positive determinant. */
  unsureRotations: number;
  /** Number of triangle frames without area, which get the rotation of their neighbours. */
  degenerateTriangles: number;
}

/** The triangles of bones. */
export interface SmaClusters {
  epsilon: number;
  boneCount: number;
  /** One per triangle with an area at rest: its bone, -1: none */
  labels: Int32Array;
  eta: number;
}

/** Maximum distance of a core triangle from its mode, relative to the bandwidth (the paper's value). */
const CORE = 1 / 4;
/** Minimum number of points of a mode, of at most MAX_TRIANGLES triangles (the authors' code: 40 of 10000); on small meshes a ratio of the triangles. */
const SUPPORT = 40;
const MAX_TRIANGLES = 10_000;
const SUPPORT_RATIO = 0.04;
const MIN_SUPPORT = 3;
/** Minimum size of a patch, relative to the support of a mode. Not tuned. */
const PATCH_RATIO = 1 / 2;

/** Decomposes a clip. Same clip, options and seed give the same bytes for any number of threads. */
export async function sma(compute: Compute, clip: Clip, options: SmaOptions = {}): Promise<SmaResult> {
  return solveFound(compute, clip, settleSmaOptions(options));
}

/** The same with all options. */
export function solveFound(compute: Compute, clip: Clip, o: SmaSettings): Promise<SmaResult> {
  checkSmaClip(clip);
  return piecesFirst(clip, o, {
    bones: Number.POSITIVE_INFINITY,
    exact: (_, boneCount) => describeRigid(boneCount, o.epsilon),
    solve: async (part, own) => {
      const monitor = new SolveMonitor(own);
      const rotations = triangleRotations(part);
      monitor.enter('cluster', 0, 0.9);
      const clusters = await clusterTriangles(compute, part, rotations, own.epsilon, own, monitor);
      return skinClusters(compute, part, { rotations, clusters }, own, monitor);
    },
  });
}

/** The facts of a clip of rigid pieces only. */
export function describeRigid(boneCount: number, epsilon: number): Omit<SmaResult, keyof Decomposition> {
  const weights = { minWeight: 1, maxWeight: 1 };
  return { epsilon, eta: 1, bonesFound: boneCount, ...weights, unsureRotations: 0, degenerateTriangles: 0 };
}

/** Throws an InputError for a clip without frames or triangles. */
export function checkSmaClip(clip: Clip): void {
  if (frameCountOf(clip) < 1) throw new InputError('sma', 'the clip has no frames');
  if (clip.mesh.triangles.length === 0)
    throw new InputError('sma', 'the mesh has no triangles; sma finds bones from their rotations');
}

/** Bones as modes of the triangles' rotation sequences (§4.2). */
export async function clusterTriangles(
  compute: Compute,
  clip: Clip,
  { rotations, triangles }: TriangleRotations,
  epsilon: number,
  { seed, bonesBy }: Pick<SmaSettings, 'seed' | 'bonesBy'>,
  monitor: SolveMonitor,
): Promise<SmaClusters> {
  const width = 9 * frameCountOf(clip);
  const bandwidth = width * epsilon;
  const support = supportOf(triangles.length);
  const { modeCount, labels, distances } = await meanShift(compute, rotations, width, bandwidth, {
    ...{ support, seed },
    onStep: (part) => monitor.tick(part),
  });
  for (let f = 0; f < labels.length; f++) if (!(distances[f] < CORE * bandwidth)) labels[f] = -1;
  const patches =
    bonesBy === 'cores'
      ? { boneCount: modeCount, labels }
      : splitCores(cornersOf(clip, triangles, weldClip(clip).pointOfVertex), labels, PATCH_RATIO * support);
  const core = patches.labels.reduce((sum, label) => sum + (label >= 0 ? 1 : 0), 0);
  return { epsilon, ...patches, eta: core / (clip.mesh.triangles.length / 3) };
}

function supportOf(count: number): number {
  const few = Math.max(MIN_SUPPORT, Math.ceil(SUPPORT_RATIO * count));
  return Math.min(few, SUPPORT * Math.max(1, Math.ceil(count / MAX_TRIANGLES)));
}

/** Rotations of triangles, and the clusters that they form. */
export interface ClusteredTriangles {
  rotations: TriangleRotations;
  clusters: SmaClusters;
}

/** Bones, influences and weights from the triangles of bones (§4.3 to §5); onWeights receives the weights before negative ones are replaced: pointCount x influences. */
export async function skinClusters(
  compute: Compute,
  clip: Clip,
  { rotations, clusters }: ClusteredTriangles,
  o: SmaSettings,
  monitor: SolveMonitor,
  onWeights?: (weights: Float64Array) => void,
): Promise<SmaResult> {
  const warnings: string[] = [];
  // without finished mean shift there are no modes
  const found = mendClusters(clusters, monitor.isStopped ? [] : warnings);
  const boneCount = found.boneCount;
  return compute.scope(async (memory) => {
    const normalized = normalizeClip(memory, clip);
    const points = normalized.trajectories;
    const influences = Math.min(o.influences, boneCount);
    const fitOptions = { influences, transforms: o.transforms, ridge: 0, sweeps: 1, support: 'exchange' } as const;
    const fit = new SkinFit(memory, points, boneCount, fitOptions);
    const space = { frameCount: points.frameCount, rest: points.rest.view(), posed: points.posed.view() };
    const triangles: CoreTriangles = {
      count: rotations.triangles.length,
      corners: cornersOf(clip, rotations.triangles, normalized.weld.pointOfVertex),
      areas: rotations.areas,
      rotations: rotations.rotations,
      labels: found.labels,
    };
    if (o.bonesBy === 'patches') triangles.labels = joinOutliers(triangles, space, o.transforms, boneCount);
    const unsureRotations = coreBonesInto(triangles, space, o.transforms, fit.bones.view(), boneCount);
    monitor.enter('weights', 0.9, 1);
    await monitor.tick(0);
    const chosen = await chooseInfluences(memory, points, fit.bones, boneCount, fit.products, influences);
    const bones = fit.bones.view().slice();
    const solved = solveVertexWeights(points, bones, boneCount, chosen, o.weightsBy, o.negativity);
    onWeights?.(solved.weights);
    const convex = makeConvexBones(bones, boneCount, solved);
    const whole = new SkinFit(memory, points, convex.boneCount, {
      ...fitOptions,
      influences: convex.weights.influences,
    });
    whole.bones.view().set(convex.bones);
    whole.weights.bones.view().set(convex.weights.bones);
    whole.weights.weights.view().set(convex.weights.weights);
    whole.error = solved.error;
    await monitor.tick(1, whole.eRms);
    return {
      model: makeSkinnedModel(clip, normalized, whole, false),
      eRms: whole.eRms,
      status: monitor.isStopped ? 'stopped' : 'converged',
      epsilon: clusters.epsilon,
      eta: clusters.eta,
      bonesFound: boneCount,
      minWeight: solved.weights.reduce((min, w) => Math.min(min, w), 1),
      maxWeight: solved.weights.reduce((max, w) => Math.max(max, w), 0),
      unsureRotations,
      degenerateTriangles: rotations.degenerateCount,
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  });
}

/** One bone for all triangles if none was found; warns about that, and if too few triangles move with a bone. */
function mendClusters(clusters: SmaClusters, warnings: string[]): SmaClusters {
  const eta = Math.round(100 * clusters.eta);
  if (clusters.boneCount === 0) {
    warnings.push(
      'no triangles turn alike, so there is one bone for all of them; try a larger epsilon or another method',
    );
    return { ...clusters, boneCount: 1, labels: new Int32Array(clusters.labels.length) };
  }
  if (clusters.eta < POOR_ETA)
    warnings.push(
      `only ${eta} % of the triangles move with a bone (eta below ${POOR_ETA}): this motion is a poor candidate for skinning by sma; try ssdr or corrections`,
    );
  return clusters;
}

/** count x 3: the points at the corners of the triangles. */
function cornersOf(clip: Clip, triangles: Uint32Array, pointOfVertex: Uint32Array): Uint32Array {
  const corners = new Uint32Array(3 * triangles.length);
  for (let n = 0; n < triangles.length; n++)
    for (let c = 0; c < 3; c++) corners[3 * n + c] = pointOfVertex[clip.mesh.triangles[3 * triangles[n] + c]];
  return corners;
}
