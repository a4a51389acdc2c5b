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

import type { Compute } from '../../core/kernels/compute.ts';
import { checkDirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import type { TwoLayer } from '../../core/model/deformed/two-layer.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { checkSkeleton } from '../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import { allRead, type Solve } from '../../core/options/method.ts';
import { type ProgressInfo, SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { scaleRanges } from '../../fit/poses/index.ts';
import { type CompressPoints, listCompressPoints } from './compress-points.ts';
import type { CompressProblem } from './compress-problem.ts';
import { Responses } from './compress-responses.ts';
import type { CompressCount, CompressInput, CompressResult, DdmCompressor } from './compressor.ts';
import { addFrames } from './examples/continuous-frames.ts';
import { listJoints } from './examples/continuous-joints.ts';
import { makeQuadratureSpace } from './examples/continuous-quadrature.ts';
import { makeLinearSpace } from './examples/continuous-space.ts';
import { listRanges } from './examples/list-ranges.ts';
import { alternateLinear, type LinearOptions } from './objectives/compress-linear.ts';
import {
  type AlternateOptions,
  type AlternateResult,
  alternateNonlinear,
  type NonlinearExamples,
} from './objectives/compress-nonlinear.ts';
import { FarthestPoints, type StartResult, startVirtualBones } from './objectives/compress-start.ts';
import { growStart, type SolvedBones } from './objectives/grow-start.ts';
import { measureWeights, type PointWeights } from './objectives/update-weights.ts';
import {
  type COMPRESS_OPTIONS,
  type CompressValues,
  checkCompressOptions,
  checkCompressValues,
  checkWhole,
  INFLUENCES,
  VIRTUAL_BONES,
} from './options.ts';
import { makeBoneMaker, packVirtualBones } from './virtual-bones/virtual-bones.ts';

/** Iterations of K-means; without them errors are a sixth to a fifth larger (docs/benchmarks/compress.md). */
const ROUNDS = 15;
/** Length of a point's list of nearest bones: long enough for relocations. Chosen by hand. */
const NEAREST = 32;
/** Factor on ranges that do not come from motions. */
const HALF_RANGE = 0.5;
/** Sweeps over bones per iteration of the nonlinear objective. */
const SWEEPS = 2;

/** Where the threads of a solve come from, its progress and stop signal. */
interface CompressRun {
  /** A compute that is disposed of after the solve. */
  openCompute(): Promise<Compute>;
  onProgress?: (info: ProgressInfo) => void;
  signal?: AbortSignal;
}

/** The numbers of one solve. */
interface SolveCount {
  virtualBones: number;
  influences: number;
  iterations: number;
}

/** The solver: compresses one model to several numbers of virtual bones. */
export const solve: Solve<typeof COMPRESS_OPTIONS, CompressInput, DdmCompressor> = async (run, input, options) =>
  new ModelCompressor(input, options, { ...run, openCompute: async () => run.compute.child() });

/** A model with everything that does not depend on the number of virtual bones. */
export class ModelCompressor implements DdmCompressor {
  readonly pointCount: number;
  readonly iterations: number;
  readonly #run: CompressRun;
  readonly #problem: CompressProblem;
  readonly #farthest: FarthestPoints;
  /** Bones in the list of a point. */
  readonly #width: number;
  readonly #given: Pick<CompressInput, 'virtualBones'> & Pick<CompressValues, 'influences'>;
  readonly #objective: CompressValues['objective'];
  readonly #linear: Omit<LinearOptions, 'influences' | 'iterations'>;
  readonly #nonlinear: Omit<AlternateOptions, 'influences' | 'iterations'>;
  /** Rotations per joint of the minimized sum. */
  readonly #posesPerJoint: number;
  readonly #makeExamples: () => NonlinearExamples;
  #examples?: NonlinearExamples;
  readonly #solved = new WeakMap<TwoLayer, SolvedBones>();

  constructor(input: CompressInput, options: CompressValues, run: CompressRun) {
    const { ddm, virtualBones, tuning, maps, motions = [] } = input;
    const { influences, ranges, objective, iterations, examples, norm, smoothness, ...rest } = options;
    const { threshold, poses, rangeRatio, candidates, relocate, update, seed, ...restOfTuning } = tuning;
    allRead(rest);
    allRead(restOfTuning);
    checkDirectDeltaMush(ddm);
    checkSkeleton(ddm.skeleton);
    const { mesh, skeleton } = ddm;
    if (mesh.positions.length === 0) throw new InputError('compress', 'the mesh has no vertices');
    const points = listCompressPoints(ddm);
    this.pointCount = points.pointCount;
    this.iterations = iterations;
    this.#given = { virtualBones, influences };
    this.#settle({});
    checkCompressValues(options, tuning);
    checkCompressOptions(options);
    const joints = listJoints(skeleton, points, listRanges(ddm, points.height, { ranges, motions, maps }), maps);
    const linear = new Responses(makeLinearSpace(joints), joints, points);
    const maker = makeBoneMaker(points, skeleton, threshold);
    this.#run = run;
    this.#problem = { mesh, skeleton, points, joints, linear, maker };
    this.#width = Math.max(NEAREST, candidates);
    this.#farthest = new FarthestPoints(points, linear, maker, this.#width);
    this.#objective = objective;
    this.#posesPerJoint = objective === 'linear' ? 1 : poses;
    this.#linear = { candidates, threshold, update, smoothness };
    this.#nonlinear = { candidates, relocate, norm, sweeps: update === 'none' ? 0 : SWEEPS };
    this.#makeExamples = () => {
      const ratio = rangeRatio > 0 ? rangeRatio : ranges === 'auto' ? 1 : HALF_RANGE;
      const single = makeQuadratureSpace(joints, scaleRanges(joints.ranges, ratio), poses, seed);
      const space = examples > 0 ? addFrames(single, joints, points, motions, examples) : single;
      return { space, responses: new Responses(space, joints, points) };
    };
  }

  async compress(count: CompressCount = {}): Promise<CompressResult> {
    const { from, onProgress = this.#run.onProgress, signal = this.#run.signal } = count;
    const monitor = new SolveMonitor({ onProgress, signal });
    const settled = this.#settle(count);
    monitor.enter('cluster', 0, 0.1);
    const start = from
      ? this.#startFrom(from, settled.virtualBones)
      : await startVirtualBones(this.#farthest, settled.virtualBones, ROUNDS, (part) => monitor.tick(part));
    monitor.enter('alternate', 0.1, 1);
    return this.#pack(await this.#alternate(start, settled, monitor));
  }

  /** The numbers of a solve. Throws if they are impossible for this model. */
  #settle(count: CompressCount): SolveCount {
    const { pointCount } = this;
    const {
      virtualBones = this.#given.virtualBones ?? Math.min(VIRTUAL_BONES, pointCount),
      influences = this.#given.influences ?? Math.min(INFLUENCES, virtualBones),
      iterations = this.iterations,
    } = count;
    checkWhole('virtualBones', virtualBones, 1);
    if (virtualBones > pointCount)
      throw new InputError(
        'compress',
        `${virtualBones} virtual bones are more than the model's ${pointCount} distinct vertices; ask for fewer`,
      );
    checkWhole('influences', influences, 1);
    if (influences > virtualBones)
      throw new InputError(
        'compress',
        `${influences} influences per vertex are more than ${virtualBones} virtual ${virtualBones === 1 ? 'bone' : 'bones'}; ask for fewer`,
      );
    checkWhole('iterations', iterations, 0);
    return { virtualBones, influences, iterations };
  }

  #startFrom(model: TwoLayer, count: number): StartResult {
    const known = this.#solved.get(model);
    if (!known || known.bones.length > count)
      throw new UsageError(
        'compress',
        'from must be a model of the same compressor with at most as many virtual bones',
      );
    return growStart(this.#problem, known, count, this.#width);
  }

  async #alternate(
    start: StartResult,
    { influences, iterations }: SolveCount,
    monitor: SolveMonitor,
  ): Promise<AlternateResult> {
    if (this.#objective === 'linear')
      return alternateLinear(this.#problem, start, { ...this.#linear, influences, iterations }, monitor);
    this.#examples ??= this.#makeExamples();
    const compute = await this.#run.openCompute();
    try {
      const examples = { ...this.#examples, compute };
      return await alternateNonlinear(
        this.#problem,
        examples,
        start,
        { ...this.#nonlinear, influences, iterations },
        monitor,
      );
    } finally {
      compute.dispose();
    }
  }

  #pack({ bones, fit, total, history, iterations, status }: AlternateResult): CompressResult {
    const { points, joints, linear, skeleton, mesh } = this.#problem;
    const divisor = points.pointCount * joints.movingCount;
    const boneResponses = bones.map((bone) => linear.respond(bone, linear.allocateScratch()));
    const fitted = measureWeights(linear, boneResponses, fit);
    const { virtualBones, centers } = packVirtualBones(bones, points.origin);
    const skin = spreadWeights(points, fit);
    const model: TwoLayer = { kind: 'two-layer', mesh, skeleton, virtualBones, centers, skin };
    this.#solved.set(model, { bones, errors: fit.errors });
    return {
      model,
      rmseFit: Math.sqrt(fitted / divisor),
      rmseFitUndivided: Math.sqrt(fitted / points.pointCount),
      objective: Math.sqrt(total / (divisor * this.#posesPerJoint)),
      history: history.map((sum) => Math.sqrt(sum / (divisor * this.#posesPerJoint))),
      size: points.height,
      iterations,
      status,
    };
  }
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
