// SPDX-License-Identifier: MIT
// Fewer weights per vertex, in one layer or in two.

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { LinearTwoLayer } from '../../core/model/deformed/two-layer.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import { maxInfluencesOf, type Skin } from '../../core/model/skin/skin.ts';
import type { SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import { normalizePoses } from './normalize-poses.ts';
import type { ErrorQuadratics } from './objective/error-quadratics.ts';
import { makeDistanceQuadratics } from './objective/make-distance-quadratics.ts';
import { makePoseQuadratics } from './objective/make-pose-quadratics.ts';
import { makePoseTargets } from './objective/pose-targets.ts';
import { reducePoseRows } from './objective/reduce-pose-rows.ts';
import { makeRowLaplacian } from './objective/row-laplacian.ts';
import { exchangeWeights } from './per-vertex/exchange-weights.ts';
import { geometricWeights } from './per-vertex/geometric-weights.ts';
import { kLargestWeights } from './per-vertex/k-largest-weights.ts';
import { optimalWeights } from './per-vertex/optimal-weights.ts';
import { type PoissonPoses, poissonWeights } from './per-vertex/poisson-weights.ts';
import { smoothWeights } from './per-vertex/smooth-weights.ts';
import { pruneBones } from './prune-bones.ts';
import type { ReducePoses, ReducePosesOptions } from './reduce-poses.ts';
import { compressWeights } from './two-layer/compress-weights.ts';
import { compressWeightsAsPublished } from './two-layer/compress-weights-as-published.ts';
import { compressWeightsByPursuit, PURSUITS } from './two-layer/compress-weights-by-pursuit.ts';
import type { Dictionary } from './two-layer/dictionary.ts';
import { makeWeightProblem, skinOfRows, sortRows, type WeightProblem, type WeightRows } from './weight-problem.ts';

/** Names of all weight reduction methods. */
export const REDUCE_METHODS = ['exchange', 'klargest', 'smooth', 'geometric', 'poisson', 'twolayer'] as const;
/** Name of a weight reduction method. */
export type ReduceMethod = (typeof REDUCE_METHODS)[number];

/** Exact pairs of virtual bones, or a pursuit of methods/reduce/two-layer/compress-weights-by-pursuit.ts. */
export const REDUCE_PURSUITS = ['pairs', ...PURSUITS] as const;
export type ReducePursuit = (typeof REDUCE_PURSUITS)[number];

/** Methods that need poses. */
export const METHODS_WITH_POSES: readonly ReduceMethod[] = ['exchange', 'geometric', 'poisson'];

/** Options of reduce. */
export interface ReduceOptions extends SolveMonitorOptions, ReducePosesOptions {
  /** Absent: exchange with poses, klargest without. */
  method?: ReduceMethod;
  /** Maximum weights per vertex; with two layers, maximum blends per vertex (entries of both layers divided by vertices). */
  influences?: number;
  /** Two layers: number of virtual bones, instead of influences. */
  virtualBones?: number;
  /** Two layers: maximum root mean square error over poses and vertices, file units; the fewest virtual bones that meet it are used. */
  error?: number;
  /** Two layers: Algorithms 7 and 8 as published, for comparison. */
  printed?: boolean;
  /** Two layers: how vertices choose virtual bones; 'pairs' is the method's own, the others are general pursuits for comparison. */
  pursuit?: ReducePursuit;
  /** Weight of normals: length, relative to the radius of the enclosing ball, over which blended matrices are preserved along the surface; 0: positions only. */
  normals?: number;
  /** Remove bones that move the mesh by at most this ratio of the radius of its enclosing ball (root mean square over vertices and poses). */
  prune?: number;
  /** Number of threads; 0: one per core. */
  threads?: number;
  /** Compute to use. Default: one that is made for this call. */
  compute?: Compute;
}

/** Defaults of ReduceOptions. */
export const REDUCE_DEFAULTS = { influences: 4, poses: 'auto', normals: 0.02, seed: 0, threads: 0 } as const;

/** Entries of either layer that bring less than this part of what an entry leaves on average are left out of two layers. */
const PRICE = 2;

/** A skin with fewer influences per vertex, or two layers. */
export interface ReduceResult {
  method: ReduceMethod;
  /** The reduced skin; beside two layers, a plain skin for viewers without the extension. */
  skin: Skin;
  twoLayer?: LinearTwoLayer;
  /** Weights per welded vertex, of both layers. */
  blendsPerVertex: number;
  /** Source of the poses. */
  poses: ReducePoses['source'] | 'none';
  /** Number of bones with weight, before and after. */
  bones: { before: number; after: number };
  status: 'converged' | 'stalled' | 'stopped';
}

/** What is reduced: a mesh on bones. */
export interface ReduceSource {
  mesh: Mesh;
  skeleton: Skeleton;
  skin: Skin;
  /** Weights may be negative, as those of cages; reduced ones are not, but for k-largest and smooth. */
  isSigned?: boolean;
}

/** Reduces the weights of a skin by given poses, or by none. */
export async function reduceSkin(
  source: ReduceSource,
  poses: ReducePoses | undefined,
  options: ReduceOptions = {},
): Promise<ReduceResult> {
  const reducer = await makeSkinReducer(source, poses, options);
  try {
    return await reducer.reduce();
  } finally {
    reducer.dispose();
  }
}

/** What may differ between results of one reducer. */
export interface ReduceCount extends Pick<ReduceOptions, 'influences' | 'virtualBones' | 'onProgress'> {
  /** Two layers: a result of the same reducer with fewer virtual bones. The solve continues from it. */
  from?: ReduceResult;
}

/** Reduces one skin to several numbers; the error of weights in the poses is computed once. */
export interface SkinReducer {
  reduce(count?: ReduceCount): Promise<ReduceResult>;
  /** Frees the memory of a compute that was made for it. */
  dispose(): void;
}

/** Makes a reducer of a skin. Throws on invalid options. */
export async function makeSkinReducer(
  source: ReduceSource,
  poses: ReducePoses | undefined,
  options: ReduceOptions = {},
): Promise<SkinReducer> {
  const o = { ...REDUCE_DEFAULTS, ...dropUndefined(options) };
  const { mesh, skeleton, skin: given, isSigned = false } = source;
  const present = maxInfluencesOf(given);
  checkReduceOptions(o, present);
  const boneCount = skeleton.names.length;
  const method = o.method ?? (poses ? 'exchange' : 'klargest');
  if (!poses && METHODS_WITH_POSES.includes(method))
    throw new InputError('reduce', `${method} needs poses; use klargest, smooth or twolayer without`);
  const problem = makeWeightProblem(mesh, given, boneCount, isSigned, poses?.targets !== undefined);
  const compute = o.compute ?? (await makeCompute({ threads: o.threads }));
  const isNeeded = (method !== 'klargest' && method !== 'smooth') || o.prune !== undefined;
  const dispose = () => {
    if (!o.compute) compute.dispose();
  };
  let forms: ErrorQuadratics | undefined;
  try {
    const { normals } = o;
    if (poses && isNeeded)
      forms = await makePoseQuadratics(compute, problem, poses.matrices, boneCount, { ...poses, normals });
  } catch (error) {
    dispose();
    throw error;
  }
  const dictionaries = new WeakMap<ReduceResult, Dictionary>();
  const shared: SharedLayers = {};
  return {
    async reduce({ from, ...count } = {}) {
      const own = { ...o, ...dropUndefined(count) };
      checkReduceOptions(own, present);
      const made: Made =
        method === 'twolayer'
          ? await reduceToTwoLayers(source, problem, forms, poses, own, shared, from && dictionaries.get(from))
          : await reduceToOne(source, problem, forms, poses, method, own);
      const before = new Set(problem.rows.columns).size;
      const { skin, dictionary, ...rest } = made;
      const after = new Set((rest.twoLayer?.virtualBones ?? skin).boneIndices).size;
      const result: ReduceResult = { method, skin, poses: poses?.source ?? 'none', bones: { before, after }, ...rest };
      if (dictionary) dictionaries.set(result, dictionary);
      return result;
    },
    dispose,
  };
}

type Merged = ReduceOptions & { influences: number; normals: number };
type Made = Pick<ReduceResult, 'skin' | 'twoLayer' | 'blendsPerVertex' | 'status'> & { dictionary?: Dictionary };

/** What all results of two layers share, once it is computed. */
interface SharedLayers {
  /** The best weights of the points, and their errors. */
  best?: { rows: WeightRows; errors: Float64Array };
  /** The plain skin beside two layers. */
  plain?: Skin;
}

async function reduceToOne(
  source: ReduceSource,
  problem: WeightProblem,
  forms: ErrorQuadratics | undefined,
  poses: ReducePoses | undefined,
  method: Exclude<ReduceMethod, 'twolayer'>,
  o: Merged,
): Promise<Made> {
  let rows = await solveOne(source, problem, forms, poses, method, o);
  if (o.prune !== undefined)
    rows = pruneBones(forms ?? makeDistanceQuadratics(problem, 'distance'), rows, o.influences, o.prune);
  return {
    skin: skinOfRows(problem, rows),
    blendsPerVertex: rows.columns.length / problem.pointCount,
    status: o.signal?.aborted ? 'stopped' : 'converged',
  };
}

async function solveOne(
  { skeleton, isSigned }: ReduceSource,
  problem: WeightProblem,
  forms: ErrorQuadratics | undefined,
  poses: ReducePoses | undefined,
  method: Exclude<ReduceMethod, 'twolayer'>,
  o: Merged,
): Promise<WeightRows> {
  const { rows } = problem;
  if (method === 'klargest' || !forms || !poses) {
    if (method !== 'smooth') return kLargestWeights(rows, o.influences);
  }
  if (method === 'exchange') return (await exchangeWeights(forms!, rows, o.influences, o)).rows;
  if (method === 'geometric') return geometricWeights(forms!, o.influences);
  if (method === 'smooth') {
    const laplacian = makeRowLaplacian(problem.rest, problem.triangles);
    const cage = isSigned ? cageOf(problem, skeleton) : undefined;
    return smoothWeights(rows, problem.boneCount, laplacian, o.influences, { ...o, cage });
  }
  const starts = [
    geometricWeights(forms!, o.influences),
    kLargestWeights(isSigned ? clampRows(rows) : rows, o.influences),
    (await exchangeWeights(forms!, rows, o.influences, o)).rows,
  ];
  return poissonWeights(problem, starts, poissonPosesOf(problem, poses!, skeleton), o);
}

/** The poses of a reduction and their targets, in coordinates of the space of the bones. */
function poissonPosesOf(problem: WeightProblem, poses: ReducePoses, skeleton: Skeleton): PoissonPoses {
  const { bones: all, centers } = posesOf(problem, poses, skeleton);
  const { bones, targetInto } = reducePoseRows(all, problem.boneCount);
  // what the skin itself makes of poses is in the span of its bones
  if (!poses.targets) return { bones, targetInto: makePoseTargets(problem, bones, centers) };
  const fullInto = makePoseTargets(problem, all, centers, poses.targets);
  const full = new Float64Array(all.length / (4 * problem.boneCount));
  return {
    bones,
    targetInto(i, out) {
      fullInto(i, full);
      targetInto(full, out);
    },
  };
}

function posesOf(problem: WeightProblem, { matrices, targets, shares }: ReducePoses, skeleton: Skeleton) {
  return normalizePoses(problem, matrices, skeleton.names.length, targets, shares);
}

/** Places of a cage's vertices, which are its bones, and of the points, in the units of the problem. */
function cageOf({ boneOf, boneCount, rest, center, size }: WeightProblem, { bindMatrices }: Skeleton) {
  const vertices = new Float64Array(3 * boneCount);
  boneOf.forEach((bone, j) => {
    for (let r = 0; r < 3; r++) vertices[3 * j + r] = (bindMatrices[16 * bone + 12 + r] - center[r]) / size;
  });
  return { vertices, points: rest };
}

/** Weights without negative ones, scaled. */
function clampRows({ rowStart, columns, values }: WeightRows): WeightRows {
  return sortRows({ rowStart, columns, values: values.map((w) => Math.max(0, w)) });
}

async function reduceToTwoLayers(
  source: ReduceSource,
  problem: WeightProblem,
  forms: ErrorQuadratics | undefined,
  poses: ReducePoses | undefined,
  o: Merged,
  shared: SharedLayers,
  from: Dictionary | undefined,
): Promise<Made> {
  const { size, weld, boneOf } = problem;
  const rows = source.isSigned ? clampRows(problem.rows) : problem.rows;
  const isClip = poses?.targets !== undefined || source.isSigned === true;
  const own = forms ?? makeDistanceQuadratics(problem, o.printed ? 'plain' : 'distance');
  shared.best ??= await findBest(problem, forms, isClip, rows, own, o);
  const { best } = shared;
  const budget = o.virtualBones === undefined && o.error === undefined ? o.influences : undefined;
  const { pursuit = 'pairs' } = o;
  const two =
    pursuit !== 'pairs'
      ? await compressWeightsByPursuit(own, best.rows, { ...o, pursuit, budget: o.influences })
      : o.printed && budget !== undefined
        ? await compressWeightsAsPublished(own, best.rows, best.errors, problem.adjacency, { ...o, budget })
        : await compressWeights(own, best.rows, best.errors, problem.adjacency, {
            ...{ onProgress: o.onProgress, signal: o.signal, time: o.time },
            ...{ budget, virtualBones: o.virtualBones, price: forms ? PRICE : 0, from },
            error: o.error === undefined ? undefined : o.error / (Math.sqrt(3) * size),
          });
  const { rowStart, columns, values } = two.atoms;
  const virtualBones: Skin = {
    rowStart,
    boneIndices: columns.map((j) => boneOf[j]),
    weights: Float32Array.from(values),
  };
  const identity = Uint32Array.from({ length: rowStart.length - 1 }, (_, k) => k);
  shared.plain ??= skinOfRows(
    problem,
    forms ? (await exchangeWeights(forms, rows, PLAIN_INFLUENCES)).rows : kLargestWeights(rows, PLAIN_INFLUENCES),
  );
  return {
    skin: shared.plain,
    twoLayer: {
      kind: 'linear-two-layer',
      mesh: source.mesh,
      skeleton: source.skeleton,
      virtualBones,
      skin: skinOfRows({ weld, boneOf: identity }, two.points),
    },
    blendsPerVertex: two.blendsPerVertex,
    status: two.status,
    dictionary: two.dictionary,
  };
}

/** The weights that two layers approximate, and the errors that they leave. */
async function findBest(
  problem: WeightProblem,
  forms: ErrorQuadratics | undefined,
  isClip: boolean,
  rows: WeightRows,
  quadratics: ErrorQuadratics,
  o: Merged,
): Promise<{ rows: WeightRows; errors: Float64Array }> {
  // against what the skin itself makes, its weights leave nothing
  const best =
    !forms || !isClip
      ? { rows, errors: new Float64Array(problem.pointCount) }
      : problem.boneCount <= MAX_DENSE_BONES
        ? optimalWeights(forms, rows)
        : await exchangeWeights(forms, rows, MANY_INFLUENCES, { signal: o.signal });
  if (o.prune !== undefined) best.rows = pruneBones(quadratics, best.rows, problem.boneCount, o.prune);
  return best;
}

/** With more bones, weights are solved on the best few bones of a vertex: dense solves take the cube of the number of bones. */
const MAX_DENSE_BONES = 64;
const MANY_INFLUENCES = 16;

/** Weights per vertex of the plain skin beside two layers. */
const PLAIN_INFLUENCES = 4;

/** Throws when options are invalid, or ask for more weights than there are. */
export function checkReduceOptions(o: Merged, present: number): void {
  const { influences, virtualBones, error, method } = o;
  if (method !== undefined && !REDUCE_METHODS.includes(method))
    throw new UsageError('reduce', `the method must be ${REDUCE_METHODS.join(', ')}, got ${method}`);
  const isTwo = method === 'twolayer';
  if (isTwo ? !(influences > 1) : !(Number.isInteger(influences) && influences >= 1))
    throw new UsageError(
      'reduce',
      `influences must be a ${isTwo ? 'number above 1' : 'whole number, at least 1'}, got ${influences}`,
    );
  if (!isTwo && influences > present)
    throw new InputError(
      'reduce',
      `no vertex has more than ${present} ${present === 1 ? 'weight' : 'weights'}, so ${influences} need no reduction`,
    );
  if (!isTwo && (virtualBones !== undefined || error !== undefined))
    throw new InputError('reduce', 'virtual bones and an error to reach are for the method twolayer');
  if (o.pursuit !== undefined && o.pursuit !== 'pairs' && (!isTwo || o.printed || error !== undefined))
    throw new UsageError(
      'reduce',
      `pursuit ${o.pursuit} requires the method twolayer, without printed and without an error to reach`,
    );
  if (virtualBones !== undefined && !(Number.isInteger(virtualBones) && virtualBones >= 2))
    throw new UsageError('reduce', `virtualBones must be a whole number, at least 2, got ${virtualBones}`);
  if (error !== undefined && !(error > 0)) throw new UsageError('reduce', `the error must be above zero, got ${error}`);
  if (!(o.normals >= 0)) throw new InputError('reduce', `normals must not be negative, got ${o.normals}`);
  if (o.prune !== undefined && !(o.prune >= 0))
    throw new InputError('reduce', `prune must not be negative, got ${o.prune}`);
}
