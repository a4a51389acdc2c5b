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
import { type Smoother, smoothWith } from '../../deformers/delta-mush/index.ts';
import { dropMultiWeights, makeDdm } from '../../deformers/direct-delta-mush/index.ts';
import { type BoundSurface, bindSurface } from './bind/bind-surface.ts';
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
  type VertexMap,
  valueAt,
} from './ddm-options.ts';
import { lambdaOfReach, type ReachStrengths } from './lambda-of-reach.ts';
import { bindBones, centerBones, isPreviewed, type PosedProducts, poseProducts, previewPoints } from './preview-ddm.ts';
import { SurfaceSmoothers } from './surface-smoothers.ts';

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
  const length = isByReach(options) ? lengthOf(mesh, options) : 0;
  const surface = bindSurface(mesh, skeleton, skin, options, length);
  const byReach = isByReach(options) ? strengthsOf(mesh, options, length, iterations) : undefined;
  const lambda = byReach?.lambda ?? options.lambda ?? DDM_DEFAULTS.lambda;
  const smoothers = new SurfaceSmoothers(surface, { iterations, lambda, length, options });
  const smoother = smoothers.make(lambda);
  const products = await smoothProducts(surface, smoother, options);
  const kappa = byReach?.kappa ?? defaultKappa(lambda);
  return new Precompute({ mesh, skeleton }, options, { surface, smoothers, smoother, products, kappa });
}

/** Smooths Ψ. */
async function smoothProducts(
  { points, weld, binding }: BoundSurface,
  smoother: Smoother,
  options: DdmOptions,
): Promise<SmoothedRows> {
  const monitor = new SolveMonitor(options);
  const onBatch = async (part: number): Promise<void> => {
    await monitor.tick(part);
    options.signal?.throwIfAborted();
  };
  monitor.enter('smooth', 0, 1);
  const { compute } = options;
  const rows = { keep: keptBy(options), rowCount: weld.pointCount, compute };
  return smoothBinding(binding, makeBasis(points), SYM4_SIZE, smoother, { ...rows, onBatch });
}

function keptBy({ threshold = DDM_DEFAULTS.threshold }: DdmOptions): number {
  return Math.min(KEEP, threshold);
}

/** Ψ, and what it was smoothed with. */
interface SmoothedSurface {
  surface: BoundSurface;
  smoothers: SurfaceSmoothers;
  /** The smoother of lambda. */
  smoother: Smoother;
  products: SmoothedRows;
  /** The kappa of options without one. */
  kappa: VertexMap;
}

type Blend = DdmBlendOptions & { kappa: VertexMap; alpha: VertexMap };

class Precompute implements DdmPrecompute {
  readonly pointCount: number;
  readonly products: SmoothedRows;
  readonly origin: readonly [number, number, number];
  readonly bridges: Uint32Array;
  readonly #mesh: Mesh;
  readonly #skeleton: Skeleton;
  readonly #options: DdmOptions;
  readonly #kappa: VertexMap;
  readonly #surface: BoundSurface;
  readonly #smoothers: SurfaceSmoothers;
  readonly #smoother: Smoother;
  /** The last w', since alpha and the threshold change more often than kappa. */
  #weights: { kappa: VertexMap; rows: SmoothedRows } | undefined;
  // cached while the pose and kappa are the same
  #posed: { bones: Float64Array; centered: Float64Array; products: PosedProducts } | undefined;
  #kept: { kappa: VertexMap; alpha: VertexMap; rows: MultiWeights } | undefined;
  #bound: { bones: Float64Array; kappa: VertexMap; values: Float64Array } | undefined;

  constructor(
    { mesh, skeleton }: { mesh: Mesh; skeleton: Skeleton },
    options: DdmOptions,
    { surface, smoothers, smoother, products, kappa }: SmoothedSurface,
  ) {
    this.pointCount = surface.weld.pointCount;
    this.products = products;
    this.origin = surface.origin;
    this.bridges = surface.bridges;
    this.#mesh = mesh;
    this.#skeleton = skeleton;
    this.#options = options;
    this.#kappa = kappa;
    this.#surface = surface;
    this.#smoothers = smoothers;
    this.#smoother = smoother;
  }

  async multiWeights(later: DdmBlendOptions = {}): Promise<MultiWeights> {
    const blend = this.#blendOf(later);
    const { weld } = this.#surface;
    const rows = blend.kappa === this.#smoothers.lambda ? undefined : await this.#weightsOf(blend.kappa);
    const alphaOf = (p: number): number => valueAt(blend.alpha, weld.vertexOfPoint[p]);
    const full = blendMultiWeights(this.products, rows, alphaOf, this.origin);
    return spreadRows(dropMultiWeights(full, this.#skeleton, blend), weld);
  }

  async model(later: DdmBlendOptions = {}): Promise<DirectDeltaMush> {
    const { kappa, alpha, variant } = this.#blendOf(later);
    const { iterations, lambda } = this.#smoothers;
    const settings = { iterations, lambda: largestOf(lambda), kappa: largestOf(kappa), alpha: largestOf(alpha) };
    const rows = await this.multiWeights(later);
    return {
      kind: 'direct-delta-mush',
      ...{ mesh: this.#mesh, skeleton: this.#skeleton, multiWeights: rows },
      ...{ variant: variant ?? DDM_DEFAULTS.variant, settings },
    };
  }

  async preview(bones: Float64Array, later: DdmBlendOptions = {}): Promise<Float32Array> {
    const blend = this.#blendOf(later);
    const variant = blend.variant ?? DDM_DEFAULTS.variant;
    if (!isPreviewed(variant)) return this.#deform(bones, later, { ...blend, variant });
    const { weld, points } = this.#surface;
    const posed = this.#pose(bones);
    const smoothed = await this.#bind(bones, posed.centered, blend.kappa);
    const alphaOf = (p: number): number => valueAt(blend.alpha, weld.vertexOfPoint[p]);
    const { sums } = this.products;
    const own = { points: points.subarray(0, 3 * weld.pointCount), smoothed };
    const out = previewPoints(posed.products, { ...own, sums, alphaOf, variant });
    const positions = new Float32Array(this.#mesh.positions.length);
    weld.pointOfVertex.forEach((p, i) => {
      for (let c = 0; c < 3; c++) positions[3 * i + c] = out[3 * p + c];
    });
    return positions;
  }

  #blendOf(later: DdmBlendOptions): Blend {
    const blend: DdmBlendOptions = { ...this.#options, ...withoutUndefined(later) };
    checkBlendOptions(blend, this.#smoothers.lambda, this.#mesh.positions.length / 3);
    return { ...blend, kappa: blend.kappa ?? this.#kappa, alpha: blend.alpha ?? DDM_DEFAULTS.alpha };
  }

  async #weightsOf(kappa: VertexMap): Promise<SmoothedRows> {
    if (this.#weights?.kappa === kappa) return this.#weights.rows;
    const { points, weld, binding } = this.#surface;
    const ones = new Float64Array(points.length / 3).fill(1);
    const { compute } = this.#options;
    const rows = await smoothBinding(binding, ones, 1, this.#smoothers.make(kappa, this.#smoother), {
      ...{ keep: keptBy(this.#options), rowCount: weld.pointCount, compute },
    });
    this.#weights = { kappa, rows };
    return rows;
  }

  /** The shape by the multi-weights. */
  async #deform(
    bones: Float64Array,
    later: DdmBlendOptions,
    { kappa, alpha, variant }: Blend & Pick<DirectDeltaMush, 'variant'>,
  ): Promise<Float32Array> {
    if (this.#kept?.kappa !== kappa || this.#kept.alpha !== alpha)
      this.#kept = { kappa, alpha, rows: await this.multiWeights({ ...later, threshold: 0 }) };
    const { iterations } = this.#smoothers;
    const settings = { iterations, lambda: 0, kappa: 0, alpha: 0 };
    const [mesh, skeleton, multiWeights] = [this.#mesh, this.#skeleton, this.#kept.rows];
    const positions = new Float32Array(mesh.positions.length);
    makeDdm({ kind: 'direct-delta-mush', mesh, skeleton, multiWeights, variant, settings }).deformInto(
      { bones },
      positions,
    );
    return positions;
  }

  /** Ψ in a pose. */
  #pose(bones: Float64Array): { centered: Float64Array; products: PosedProducts } {
    if (this.#posed?.bones === bones) return this.#posed;
    const centered = centerBones(bones, this.origin);
    this.#posed = { bones, centered, products: poseProducts(this.products, centered) };
    return this.#posed;
  }

  /** The transforms of the bones by the binding, smoothed by kappa. */
  async #bind(bones: Float64Array, centered: Float64Array, kappa: VertexMap): Promise<Float64Array> {
    if (this.#bound?.bones === bones && this.#bound.kappa === kappa) return this.#bound.values;
    const values = bindBones(this.#surface.binding, centered);
    const own = kappa === this.#smoothers.lambda ? this.#smoother : this.#smoothers.make(kappa, this.#smoother);
    await smoothWith(this.#options.compute, own, values, 12);
    this.#bound = { bones, kappa, values };
    return values;
  }
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
