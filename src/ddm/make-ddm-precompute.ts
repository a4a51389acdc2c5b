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
// computation uses welded points relative to the center of the box, and converts to file coordinates at the end, so that a mesh far from the origin keeps its precision.

import { makeDdm } from '../deform/make-ddm.ts';
import { makeSmoothLaplacian } from '../deform/smooth-laplacian.ts';
import { smoothWith } from '../deform/smooth-with.ts';
import { makeSmoother, type Smoother } from '../deform/smoother.ts';
import { SolveMonitor } from '../fit/solve-monitor.ts';
import { outerSym4Into, SYM4_SIZE } from '../math/sym4.ts';
import { measureBounds } from '../mesh/bounds.ts';
import { listConnectedParts } from '../mesh/connected-parts.ts';
import { pointTriangles, type Weld, weldVertices } from '../mesh/weld.ts';
import type { DirectDeltaMush, MultiWeights } from '../model/direct-delta-mush.ts';
import { InputError } from '../model/errors.ts';
import { checkMesh, type Mesh } from '../model/mesh.ts';
import { boneCountOf, checkSkeleton, type Skeleton } from '../model/skeleton.ts';
import type { Skin } from '../model/skin.ts';
import { bindCells } from './bind-cells.ts';
import { bindPoints, type PointBinding } from './bind-points.ts';
import { blendMultiWeights } from './blend-multi-weights.ts';
import { boneDistanceMap } from './bone-distance-map.ts';
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
import { dropMultiWeights } from './drop-multi-weights.ts';
import { lambdaOfReach, type ReachStrengths } from './lambda-of-reach.ts';
import { listBridges } from './list-bridges.ts';
import { bindBones, centerBones, isPreviewed, type PosedProducts, poseProducts, previewPoints } from './preview-ddm.ts';
import { type SmoothedRows, smoothBinding } from './smooth-binding.ts';

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
  /** linkCount x 2: connected points of different parts */
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
  const weld = weldVertices(mesh.positions);
  const bind = options.bind ?? (isByReach(options) ? 'cells' : 'rigid');
  const boneCount = boneCountOf(skeleton);
  const own = bindPoints(skin, weld, boneCount, bind === 'rigid' ? 'rigid' : 'smooth');
  const boneOfPoint = strongestBones(own);
  const bounds = measureBounds(mesh.positions);
  const origin = bounds.min.map((low, c) => (low + bounds.max[c]) / 2) as [number, number, number];
  const points = centeredPoints(mesh.positions, weld, origin);
  const bridges = listBridges(
    points,
    listPartOfPoint(mesh, weld),
    boneOfPoint,
    (options.bridge ?? DDM_DEFAULTS.bridge) * bounds.diagonal,
  );
  const triangles = pointTriangles(mesh.triangles, weld);
  const laplacian = makeSmoothLaplacian(points, triangles, bridges);
  const binding = bind === 'cells' ? bindCells(own, points, triangles) : own;
  const factors = listFactors(mesh, skeleton, weld, boneOfPoint, options);
  const iterations = options.iterations ?? DDM_DEFAULTS.iterations;
  const method = options.method ?? DDM_DEFAULTS.method;
  const byReach = isByReach(options) ? strengthsOf(mesh, options, iterations) : undefined;
  const lambda = byReach?.lambda ?? options.lambda ?? DDM_DEFAULTS.lambda;
  const keep = Math.min(KEEP, options.threshold ?? DDM_DEFAULTS.threshold);
  const least = minEdgesOf(options) ** 2 / iterations;
  const { compute } = options;
  // translations are not smoothed more than rotations: a point that lambda fixes is fixed for both
  const smootherOf = (strength: VertexMap, like?: Smoother): Smoother =>
    makeSmoother(laplacian, {
      iterations,
      method,
      like,
      lambda: factors.map((f, p) => {
        const i = weld.vertexOfPoint[p];
        const wanted = f * Math.min(valueAt(strength, i), valueAt(lambda, i));
        return wanted > 0 && strength === lambda ? Math.max(wanted, least) : wanted;
      }),
    });
  const monitor = new SolveMonitor(options);
  const onBatch = async (part: number): Promise<void> => {
    await monitor.tick(part);
    options.signal?.throwIfAborted();
  };
  monitor.enter('smooth', 0, 1);
  const smoother = smootherOf(lambda);
  const products = await smoothBinding(binding, makeBasis(points), SYM4_SIZE, smoother, {
    keep,
    compute,
    onBatch,
  });

  // the last w', since alpha and the threshold change more often than kappa
  let weights: { kappa: VertexMap; rows: SmoothedRows } | undefined;
  const weightsOf = async (kappa: VertexMap): Promise<SmoothedRows> => {
    if (weights?.kappa === kappa) return weights.rows;
    const ones = new Float64Array(weld.pointCount).fill(1);
    const rows = await smoothBinding(binding, ones, 1, smootherOf(kappa, smoother), { keep, compute });
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
    const out = previewPoints(posed.products, { sums, smoothed: bound.values, points, alphaOf, variant });
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

function strengthsOf(mesh: Mesh, { reach, height }: DdmOptions, iterations: number): ReachStrengths {
  const { min, max } = measureBounds(mesh.positions);
  const longest = Math.max(...max.map((high, c) => high - min[c]));
  return lambdaOfReach(mesh, (reach ?? DDM_DEFAULTS.reach) * (height || longest), iterations);
}

function withoutUndefined(options: DdmBlendOptions): DdmBlendOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function strongestBones({ rowStart, boneIndices }: PointBinding): Uint32Array {
  return Uint32Array.from({ length: rowStart.length - 1 }, (_, p) => boneIndices[rowStart[p]]);
}

function centeredPoints(positions: ArrayLike<number>, weld: Weld, origin: readonly number[]): Float64Array {
  const points = new Float64Array(weld.pointCount * 3);
  for (let p = 0; p < weld.pointCount; p++) {
    for (let c = 0; c < 3; c++) points[3 * p + c] = positions[3 * weld.vertexOfPoint[p] + c] - origin[c];
  }
  return points;
}

function listPartOfPoint(mesh: Mesh, weld: Weld): Uint32Array {
  const parts = new Uint32Array(weld.pointCount);
  listConnectedParts(mesh, weld).forEach(({ vertices }, n) => {
    for (const i of vertices) parts[weld.pointOfVertex[i]] = n;
  });
  return parts;
}

function listFactors(
  mesh: Mesh,
  skeleton: Skeleton,
  weld: Weld,
  boneOfPoint: Uint32Array,
  options: DdmOptions,
): Float64Array {
  const map = options.map ?? DDM_DEFAULTS.map;
  if (map === 'none') return new Float64Array(weld.pointCount).fill(1);
  if (map !== 'distance') return Float64Array.from(weld.vertexOfPoint, (i) => map[i]);
  const height = options.height ?? DDM_DEFAULTS.height;
  const points = centeredPoints(mesh.positions, weld, [0, 0, 0]);
  return boneDistanceMap(points, skeleton, boneOfPoint, { height: height > 0 ? height : undefined });
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
