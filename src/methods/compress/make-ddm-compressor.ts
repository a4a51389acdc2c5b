// SPDX-License-Identifier: MIT
// B. H. Le, K. Villeneuve, C. Gonzalez-Ochoa, "Direct Delta Mush skinning compression with continuous examples", ACM Transactions on Graphics 40 (4),
// 2021, doi:10.1145/3450626.3459779. A Direct Delta Mush model becomes two layers: a small one that drives virtual bones, and a sparse linear blend.
//
// step                             paper                  here
// data                             §3.1                   compress-points.ts
// linearization                    §3.3, Eq. 3            continuous-maps.ts
// hierarchical map                 §3.4, Eq. 6            continuous-joints.ts
// coordinate changing              §3.5, Eq. 8            continuous-joints.ts, continuous-space.ts
// continuous sampling              §3.6, Eq. 10           continuous-maps.ts (samplingRoot)
// ranges of motion                 §3.6, §6               fit/poses/ranges-of-motion.ts
// initialization                   §4.1                   compress-start.ts, virtual-bones.ts
// weights of vertices              §4.2                   update-weights.ts, core/algebra/sparse-simplex.ts
// multi-weights of virtual bones   §4.3                   compress-linear-bone.ts
// re-initialization of bones       §4.4                   compress-linear.ts
// iteration, Eq. 11a               Algorithm 1            compress-linear.ts
// run-time                         §5                     deformers/two-layer/make-two-layer.ts
//
// the default objective: the true transform, by quadrature (ours)
// example poses                    none                   continuous-quadrature.ts, continuous-frames.ts, turn-patch.ts
// multi-weights of virtual bones   none                   virtual-update.ts, bone-meter.ts, virtual-derivative.ts, virtual-tree.ts
// relocation of bones              none                   compress-relocate.ts
// iteration                        none                   compress-nonlinear.ts
//
// symbol              here
//   u   (n x 3)        points.positions    rest positions, about the center of the box
//   Ω   (n x m x 10)   points.centered     multi-weights, about each point's center
//   H   (m x m)        joints.under        which bones move with a joint
//   B   (m x 4 x 4)    joints.binds        bind pose, rigid
//   Δ   (p x m x 10)   bone.deltas         multi-weights of virtual bones, about their centers
//   a   (n x z)        fit.weights         weights of points
//
// Implemented: all of §3; §4 as objective 'linear'; §5. The default objective is ours (compress-nonlinear.ts).

import { makeCompute } from '../../core/compute/make-compute.ts';
import { checkDirectDeltaMush, type DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import type { TwoLayer } from '../../core/model/deformed/two-layer.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { checkSkeleton } from '../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { defaultRanges, type JointRange, rangesFromMotions, readRanges, scaleRanges } from '../../fit/poses/index.ts';
import { COMPRESS_DEFAULTS, type CompressOptions, checkCompressOptions } from './compress-options.ts';
import { type CompressPoints, listCompressPoints } from './compress-points.ts';
import type { CompressProblem } from './compress-problem.ts';
import { Responses } from './compress-responses.ts';
import { addFrames } from './examples/continuous-frames.ts';
import { listJoints } from './examples/continuous-joints.ts';
import { makeQuadratureSpace, type QuadratureSpace } from './examples/continuous-quadrature.ts';
import { makeLinearSpace } from './examples/continuous-space.ts';
import { alternateLinear } from './objectives/compress-linear.ts';
import { type AlternateResult, alternateNonlinear } from './objectives/compress-nonlinear.ts';
import { FarthestPoints, type StartResult, startVirtualBones } from './objectives/compress-start.ts';
import { growStart, type SolvedBones } from './objectives/grow-start.ts';
import { measureWeights, type PointWeights } from './objectives/update-weights.ts';
import { makeBoneMaker, packVirtualBones } from './virtual-bones/virtual-bones.ts';

/** Iterations of K-means; without them errors are a sixth to a fifth larger (docs/benchmarks/compress.md). */
const ROUNDS = 15;
/** Length of a point's list of nearest bones: long enough for relocations. Chosen by hand. */
const NEAREST = 32;
const HALF_RANGE = 0.5;

/** A compressed model and the error of its fit. */
export interface CompressResult {
  /** The compressed model. */
  model: TwoLayer;
  /** RMSE_fit = √E of Eq. 11a, file units. */
  rmseFit: number;
  /** The same without the division by the number of bones; the paper may have published this value. */
  rmseFitUndivided: number;
  /** The root of the minimized objective, file units: √E of Eq. 11a, or of its nonlinear form. */
  objective: number;
  /** The objective after each update of the weights; it rises only after relocations. */
  history: number[];
  /** The longest side of the box, file units: the reference length of relative errors. */
  size: number;
  /** Number of iterations. */
  iterations: number;
  /** Why the solve ended. */
  status: 'converged' | 'max-iterations' | 'stopped';
}

/** Options that may differ between models of one compressor. */
export interface CompressCount
  extends Pick<CompressOptions, 'virtualBones' | 'influences' | 'iterations' | 'onProgress' | 'signal'> {
  /** A model of the same compressor with at most as many virtual bones. The solve continues from it: its virtual bones are kept at first, and new ones are added. */
  from?: TwoLayer;
}

/** Compresses one model to several numbers of virtual bones; the shared part is computed once. Options and results are those of compressDdm. */
export interface DdmCompressor {
  /** Number of distinct vertices: the maximum number of virtual bones. */
  readonly pointCount: number;
  /** Maximum number of iterations of a solve, unless it is given. */
  readonly iterations: number;
  /** Compresses the model to one number of virtual bones. */
  compress(count?: CompressCount): Promise<CompressResult>;
}

/**
 * Makes a compressor of a Direct Delta Mush model, variant 0. Throws on invalid input or options.
 * @example
 * ```ts
 * import { makeDdmCompressor } from 'ossify';
 *
 * const compressor = makeDdmCompressor(ddm);
 * const small = await compressor.compress({ virtualBones: 100 });
 * const large = await compressor.compress({ virtualBones: 500 });
 * ```
 */
export function makeDdmCompressor(ddm: DirectDeltaMush, options: CompressOptions = {}): DdmCompressor {
  checkDirectDeltaMush(ddm);
  checkSkeleton(ddm.skeleton);
  if (ddm.mesh.positions.length === 0) throw new InputError('compress', 'the mesh has no vertices');
  const { skeleton } = ddm;
  const points = listCompressPoints(ddm);
  const fixed = checkCompressOptions(options, points.pointCount);
  const joints = listJoints(skeleton, points, listRanges(ddm, points, options), options.maps);
  const linear = new Responses(makeLinearSpace(joints), joints, points);
  const maker = makeBoneMaker(points, skeleton, fixed.threshold);
  const problem: CompressProblem = { mesh: ddm.mesh, skeleton, points, joints, linear, maker };
  const farthest = new FarthestPoints(points, linear, maker, Math.max(NEAREST, fixed.candidates));
  let poses: { space: QuadratureSpace; responses: Responses } | undefined;
  const makePoses = (): NonNullable<typeof poses> => {
    const ranges = scaleRanges(joints.ranges, rangeRatio(options));
    const single = makeQuadratureSpace(joints, ranges, fixed.poses, fixed.seed);
    const { examples } = fixed;
    const space = examples > 0 ? addFrames(single, joints, points, options.motions ?? [], examples) : single;
    return { space, responses: new Responses(space, joints, points) };
  };
  const solved = new WeakMap<TwoLayer, SolvedBones>();
  const startFrom = (model: TwoLayer, count: number): StartResult => {
    const known = solved.get(model);
    if (!known || known.bones.length > count)
      throw new UsageError(
        'compress',
        'from must be a model of the same compressor with at most as many virtual bones',
      );
    return growStart(problem, known, count, Math.max(NEAREST, fixed.candidates));
  };
  return {
    pointCount: points.pointCount,
    iterations: fixed.iterations,
    async compress({ from, ...count } = {}) {
      const { onProgress = options.onProgress, signal = options.signal } = count;
      const monitor = new SolveMonitor({ onProgress, signal });
      const given = checkCompressOptions({ ...options, ...dropUndefined(count) }, points.pointCount);
      monitor.enter('cluster', 0, 0.1);
      const start = from
        ? startFrom(from, given.virtualBones)
        : await startVirtualBones(farthest, given.virtualBones, ROUNDS, (part) => monitor.tick(part));
      monitor.enter('alternate', 0.1, 1);
      let alternated: AlternateResult;
      if (given.objective === 'linear') {
        alternated = await alternateLinear(problem, start, given, monitor);
      } else {
        poses ??= makePoses();
        const own = { ...given, sweeps: given.update === 'none' ? 0 : 2 };
        const compute = options.compute?.child() ?? (await makeCompute({ threads: options.threads }));
        try {
          alternated = await alternateNonlinear(problem, { ...poses, compute }, start, own, monitor);
        } finally {
          compute.dispose();
        }
      }
      const { bones, fit, total, history, iterations, status } = alternated;
      const divisor = points.pointCount * joints.movingCount;
      const perJoint = given.objective === 'linear' ? 1 : given.poses;
      const boneResponses = bones.map((bone) => linear.respond(bone, linear.allocateScratch()));
      const fitted = measureWeights(linear, boneResponses, fit);
      const { virtualBones, centers } = packVirtualBones(bones, points.origin);
      const skin = spreadWeights(points, fit);
      const model: TwoLayer = { kind: 'two-layer', mesh: ddm.mesh, skeleton, virtualBones, centers, skin };
      solved.set(model, { bones, errors: fit.errors });
      return {
        model,
        rmseFit: Math.sqrt(fitted / divisor),
        rmseFitUndivided: Math.sqrt(fitted / points.pointCount),
        objective: Math.sqrt(total / (divisor * perJoint)),
        history: history.map((sum) => Math.sqrt(sum / (divisor * perJoint))),
        size: points.height,
        iterations,
        status,
      };
    },
  };
}

function rangeRatio(options: CompressOptions): number {
  const ratio = options.rangeRatio ?? COMPRESS_DEFAULTS.rangeRatio;
  if (ratio > 0) return ratio;
  return options.ranges === 'auto' ? 1 : HALF_RANGE;
}

function listRanges(ddm: DirectDeltaMush, points: CompressPoints, options: CompressOptions): JointRange[] {
  const given = options.ranges ?? COMPRESS_DEFAULTS.ranges;
  const ranges =
    given === 'auto'
      ? rangesFromMotions(ddm.skeleton, options.motions ?? [])
      : given === 'default'
        ? defaultRanges(ddm.skeleton, points.height)
        : readRanges(given, ddm.skeleton, points.height);
  if (options.maps?.ranges !== false) return ranges;
  const widest = ranges.reduce(
    (max, { rotation }) => Math.max(max, ...rotation.map(([low, high]) => (high - low) / 2)),
    0,
  );
  return ranges.map(({ translation }) => ({
    rotation: [
      [-widest, widest],
      [-widest, widest],
      [-widest, widest],
    ],
    translation,
  }));
}

/** Weights of points as a skin of vertices. */
function spreadWeights(points: CompressPoints, fit: PointWeights): TwoLayer['skin'] {
  const { influences } = fit;
  const vertexCount = points.pointOfVertex.length;
  const bones = new Uint32Array(vertexCount * influences);
  const weights = new Float64Array(vertexCount * influences);
  for (let i = 0; i < vertexCount; i++) {
    const from = points.pointOfVertex[i] * influences;
    bones.set(fit.bones.subarray(from, from + influences), i * influences);
    weights.set(fit.weights.subarray(from, from + influences), i * influences);
  }
  return makeSkin(bones, weights, influences);
}
