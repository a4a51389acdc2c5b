// SPDX-License-Identifier: MIT
// B. H. Le and J. P. Lewis, "Direct Delta Mush Skinning and Variants", ACM Transactions on Graphics 38 (4), 2019, doi:10.1145/3306346.3322982.
// The multi-weights: rotations smoothed by A, translations by C, blended by α; per-vertex maps; connections between touching parts.
//
//   A  (n x n)      smoother         (I + λ D⁻¹L)⁻ᵖ, rows sum to one; not stored: applied to columns
//   C  (n x n)      kappa smoother   (I + κ D⁻¹L)⁻ᵖ
//   w  (n x m)      binding          rigid, or the skin's
//   u  (n x 4)      basis            homogeneous rest positions; the basis has the ten products of u uᵀ
//   Ψ  (n x m x 10) products         Ψᵢⱼ = Σₖ Aᵢₖ wₖⱼ uₖuₖᵀ
//   P, p            products.sums    Σⱼ Ψᵢⱼ = [P p; pᵀ 1]
//   w' (n x m)      weights          w'ᵢⱼ = Σₖ Cᵢₖ wₖⱼ
//   Ω  (n x m x 10) omegas           Ωᵢⱼ = (1 − α) Ψᵢⱼ + α w'ᵢⱼ [p pᵀ p; pᵀ 1]
//
// Differences from the slides: their A is transposed; L is the cotangent Laplacian divided by its diagonal, guarded (smooth-laplacian.ts). The
// computation uses welded points, and with a reach points between them where the mesh is coarse (refine-surface.ts), relative to the center of the box, and converts to file coordinates at the end, so that a mesh far from the origin keeps its precision.

import { outerSym4Into, SYM4_SIZE } from '../../core/math/sym4.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Weld } from '../../core/mesh/topology/weld.ts';
import type { DirectDeltaMush, MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError } from '../../core/model/errors.ts';
import { checkMesh, type Mesh } from '../../core/model/mesh/mesh.ts';
import { checkSkeleton, type Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { makeSmoother, makeSmoothLaplacian, type Smoother, smoothWith } from '../../deformers/delta-mush/index.ts';
import { dropMultiWeights, makeDdm } from '../../deformers/direct-delta-mush/index.ts';
import { bindSurface } from './bind/bind-surface.ts';
import { spreadValues } from './bind/refine-surface.ts';
import { type SmoothedRows, smoothBinding } from './bind/smooth-binding.ts';
import { blendMultiWeights } from './blend-multi-weights.ts';
import {
  checkBlendOptions,
  checkDdmOptions,
  DDM_DEFAULTS,
  type DdmBlendOptions,
  type DdmOptions,
  defaultKappa,
  isByReach,
  largestOf,
  minEdgesOf,
  type VertexMap,
  valueAt,
} from './ddm-options.ts';
import { lambdaOfReach, type ReachStrengths } from './lambda-of-reach.ts';
import { bindBones, centerBones, isPreviewed, type PosedProducts, poseProducts, previewPoints } from './preview-ddm.ts';
import { strengthOfReach } from './strength-of-reach.ts';

/** Minimum weight of stored products; smaller ones are added to the strongest bone. A thousandth of the default threshold. */
const KEEP = 1e-7;

/** The part of the computation that does not depend on kappa, alpha, the threshold or the variant: Ψ, which takes most of the time. */
export interface DdmPrecompute {
  /** Number of welded points. */
  readonly pointCount: number;
  /** Ψ, about origin. */
  readonly products: SmoothedRows;
  /** The center of the box, file units. */
  readonly origin: readonly [number, number, number];
  /** linkCount x 2: connected points of different parts; from pointCount on, points between those of the mesh */
  readonly bridges: Uint32Array;
  /** The multi-weights for these options, one row per vertex. Options that are not given are those of the precomputation. */
  multiWeights(options?: DdmBlendOptions): Promise<MultiWeights>;
  /** The same as a model. */
  model(options?: DdmBlendOptions): Promise<DirectDeltaMush>;
  /**
   * The shape of the model with a threshold of 0 in one pose, without its multi-weights: kappa smooths 12 columns instead of one per bone. For interactive use; results
   * for the same array of bones are cached, so do not change its contents. Variants 2 and 4 compute the multi-weights.
   * @param bones boneCount x 16, rest to posed
   * @returns vertexCount x 3
   */
  preview(bones: Float64Array, options?: DdmBlendOptions): Promise<Float32Array>;
}

/**
 * Smooths the products of a skinned mesh, for any number of multi-weights. Throws on invalid input or options.
 * @example
 * ```ts
 * import { makeDdmPrecompute } from 'ossify';
 *
 * const precompute = await makeDdmPrecompute(mesh, skeleton, skin, { iterations: 20 });
 * const sharp = await precompute.model({ kappa: 0 });
 * const soft = await precompute.model({ kappa: 10 });
 * ```
 */
export async function makeDdmPrecompute(
  mesh: Mesh,
  skeleton: Skeleton,
  skin: Skin,
  options: DdmOptions = {},
): Promise<DdmPrecompute> {
  const vertexCount = mesh.positions.length / 3;
  if (vertexCount === 0) throw new InputError('direct delta mush', 'the mesh has no vertices');
  checkMesh(mesh);
  checkSkeleton(skeleton);
  checkDdmOptions(options, vertexCount);
  const iterations = options.iterations ?? DDM_DEFAULTS.iterations;
  const method = options.method ?? DDM_DEFAULTS.method;
  const length = isByReach(options) ? lengthOf(mesh, options) : 0;
  const surface = bindSurface(mesh, skeleton, skin, options, length);
  const { weld, origin, points, bridges, binding, factors, ends } = surface;
  const laplacian = makeSmoothLaplacian(points, surface.triangles, bridges);
  const byReach = isByReach(options) ? strengthsOf(mesh, options, length, iterations) : undefined;
  const lambda = byReach?.lambda ?? options.lambda ?? DDM_DEFAULTS.lambda;
  const keep = Math.min(KEEP, options.threshold ?? DDM_DEFAULTS.threshold);
  const least = minEdgesOf(options) ** 2 / iterations;
  const { compute } = options;
  const refined = ends.length > 0 ? strengthOfReach(points, surface.triangles, length, iterations) : undefined;
  // translations are not smoothed more than rotations: a point that lambda fixes is fixed for both
  const limited = (strength: VertexMap, p: number): number =>
    Math.min(valueAt(strength, weld.vertexOfPoint[p]), valueAt(lambda, weld.vertexOfPoint[p]));
  /** A strength over edges of the mesh, over those of the refined surface: strengths relative to lambda are the same. */
  const onSurface = (refinedLambda: Float64Array, strengthOf: (p: number) => number): Float64Array => {
    const ratios = Float64Array.from(weld.vertexOfPoint, (i, p) =>
      valueAt(lambda, i) > 0 ? strengthOf(p) / valueAt(lambda, i) : 0,
    );
    return spreadValues(ratios, ends).map((ratio, p) => ratio * refinedLambda[p]);
  };
  const smootherOf = (strength: VertexMap, like?: Smoother): Smoother => {
    const own = refined && onSurface(refined, (p) => limited(strength, p));
    const minimum = refined && onSurface(refined, () => least);
    return makeSmoother(laplacian, {
      iterations,
      method,
      like,
      lambda: factors.map((f, p) => {
        const wanted = f * (own ? own[p] : limited(strength, p));
        return wanted > 0 && strength === lambda ? Math.max(wanted, minimum ? minimum[p] : least) : wanted;
      }),
    });
  };
  const monitor = new SolveMonitor(options);
  const onBatch = async (part: number): Promise<void> => {
    await monitor.tick(part);
    options.signal?.throwIfAborted();
  };
  monitor.enter('smooth', 0, 1);
  const smoother = smootherOf(lambda);
  const products = await smoothBinding(binding, makeBasis(points), SYM4_SIZE, smoother, {
    keep,
    rowCount: weld.pointCount,
    compute,
    onBatch,
  });

  // the last w', since alpha and the threshold change more often than kappa
  let weights: { kappa: VertexMap; rows: SmoothedRows } | undefined;
  const weightsOf = async (kappa: VertexMap): Promise<SmoothedRows> => {
    if (weights?.kappa === kappa) return weights.rows;
    const ones = new Float64Array(points.length / 3).fill(1);
    const rowCount = weld.pointCount;
    const rows = await smoothBinding(binding, ones, 1, smootherOf(kappa, smoother), { keep, rowCount, compute });
    weights = { kappa, rows };
    return rows;
  };

  const ownKappa = byReach?.kappa ?? defaultKappa(lambda);
  const blendOf = (later: DdmBlendOptions): DdmBlendOptions & { kappa: VertexMap; alpha: VertexMap } => {
    const blend: DdmBlendOptions = { ...options, ...withoutUndefined(later) };
    checkBlendOptions(blend, lambda, vertexCount);
    return { ...blend, kappa: blend.kappa ?? ownKappa, alpha: blend.alpha ?? DDM_DEFAULTS.alpha };
  };
  const multiWeights = async (later: DdmBlendOptions = {}): Promise<MultiWeights> => {
    const blend = blendOf(later);
    const rows = blend.kappa === lambda ? undefined : await weightsOf(blend.kappa);
    const full = blendMultiWeights(products, rows, (p) => valueAt(blend.alpha, weld.vertexOfPoint[p]), origin);
    return spreadRows(dropMultiWeights(full, skeleton, blend), weld);
  };
  // cached while the pose and kappa are the same
  let posed: { bones: Float64Array; centered: Float64Array; products: PosedProducts } | undefined;
  let kept: { kappa: VertexMap; alpha: VertexMap; rows: MultiWeights } | undefined;
  let bound: { bones: Float64Array; kappa: VertexMap; values: Float64Array } | undefined;
  const preview = async (bones: Float64Array, later: DdmBlendOptions = {}): Promise<Float32Array> => {
    const blend = blendOf(later);
    const variant = blend.variant ?? DDM_DEFAULTS.variant;
    const positions = new Float32Array(mesh.positions.length);
    if (!isPreviewed(variant)) {
      if (kept?.kappa !== blend.kappa || kept.alpha !== blend.alpha)
        kept = { kappa: blend.kappa, alpha: blend.alpha, rows: await multiWeights({ ...later, threshold: 0 }) };
      const settings = { iterations, lambda: 0, kappa: 0, alpha: 0 };
      makeDdm({ kind: 'direct-delta-mush', mesh, skeleton, multiWeights: kept.rows, variant, settings }).deformInto(
        { bones },
        positions,
      );
      return positions;
    }
    if (posed?.bones !== bones) {
      const centered = centerBones(bones, origin);
      posed = { bones, centered, products: poseProducts(products, centered) };
    }
    if (bound?.bones !== bones || bound.kappa !== blend.kappa) {
      const values = bindBones(binding, posed.centered);
      const own = blend.kappa === lambda ? smoother : smootherOf(blend.kappa, smoother);
      await smoothWith(compute, own, values, 12);
      bound = { bones, kappa: blend.kappa, values };
    }
    const alphaOf = (p: number): number => valueAt(blend.alpha, weld.vertexOfPoint[p]);
    const { sums } = products;
    const own = { points: points.subarray(0, 3 * weld.pointCount), smoothed: bound.values };
    const out = previewPoints(posed.products, { ...own, sums, alphaOf, variant });
    for (let i = 0; i < vertexCount; i++) {
      for (let c = 0; c < 3; c++) positions[3 * i + c] = out[3 * weld.pointOfVertex[i] + c];
    }
    return positions;
  };
  return {
    pointCount: weld.pointCount,
    products,
    origin,
    bridges,
    multiWeights,
    preview,
    async model(later = {}) {
      const { kappa, alpha, variant } = blendOf(later);
      const settings = { iterations, lambda: largestOf(lambda), kappa: largestOf(kappa), alpha: largestOf(alpha) };
      const rows = await multiWeights(later);
      return {
        kind: 'direct-delta-mush',
        ...{ mesh, skeleton, multiWeights: rows, variant: variant ?? DDM_DEFAULTS.variant, settings },
      };
    },
  };
}

/** The reach, file units. */
function lengthOf(mesh: Mesh, { reach = DDM_DEFAULTS.reach, height }: DdmOptions): number {
  const { min, max } = measureBounds(mesh.positions);
  const longest = Math.max(...max.map((high, c) => high - min[c]));
  return reach * (height || longest);
}

function strengthsOf(mesh: Mesh, { isRigid }: DdmOptions, length: number, iterations: number): ReachStrengths {
  const { lambda, kappa } = lambdaOfReach(mesh, length, iterations);
  return { lambda: isRigid ? lambda.map((l, i) => (isRigid[i] ? 0 : l)) : lambda, kappa };
}

function withoutUndefined(options: DdmBlendOptions): DdmBlendOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** pointCount x 10: the products of the homogeneous positions */
function makeBasis(points: Float64Array): Float64Array {
  const basis = new Float64Array((points.length / 3) * SYM4_SIZE);
  for (let p = 0; p < points.length / 3; p++)
    outerSym4Into(points[3 * p], points[3 * p + 1], points[3 * p + 2], basis, SYM4_SIZE * p);
  return basis;
}

/** From rows per point to rows per vertex. */
function spreadRows(rows: MultiWeights, weld: Weld): MultiWeights {
  const vertexCount = weld.pointOfVertex.length;
  if (vertexCount === weld.pointCount) return rows;
  const rowStart = new Uint32Array(vertexCount + 1);
  for (let i = 0; i < vertexCount; i++) {
    const p = weld.pointOfVertex[i];
    rowStart[i + 1] = rowStart[i] + rows.rowStart[p + 1] - rows.rowStart[p];
  }
  const boneIndices = new Uint32Array(rowStart[vertexCount]);
  const omegas = new Float64Array(rowStart[vertexCount] * SYM4_SIZE);
  for (let i = 0; i < vertexCount; i++) {
    const p = weld.pointOfVertex[i];
    boneIndices.set(rows.boneIndices.subarray(rows.rowStart[p], rows.rowStart[p + 1]), rowStart[i]);
    const from = rows.omegas.subarray(SYM4_SIZE * rows.rowStart[p], SYM4_SIZE * rows.rowStart[p + 1]);
    omegas.set(from, SYM4_SIZE * rowStart[i]);
  }
  return { rowStart, boneIndices, omegas };
}
