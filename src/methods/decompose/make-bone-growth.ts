// SPDX-License-Identifier: MIT
// More bones for a solved model, within a second: new bones start at the points of the largest errors (methods/decompose/shared/grow-bones.ts), all bones and the weights of a sample of the
// points are solved for a few iterations, and the weights of all points once. Later calls with the same number continue on all points, so that a page shows
// the first shape at once and refines it in the background.

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import { joinArrays } from '../../core/math/join-arrays.ts';
import { makeRandom } from '../../core/math/random.ts';
import type { SkinnedModel } from '../../core/model/asset.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import { joinClips, splitMotion } from '../../core/model/clip/join-clips.ts';
import { boneCountOfMotion, type Motion, pickMotion } from '../../core/model/clip/motion.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { maxInfluencesOf, type Skin } from '../../core/model/skin/skin.ts';
import { RigidPatches } from '../../fit/clusters/index.ts';
import {
  type FitState,
  makeSkinnedModel,
  type NormalizedClip,
  normalizeBones,
  normalizeClip,
  SkinFit,
  type SkinFitOptions,
  selectTrajectories,
} from '../../fit/skin/index.ts';
import { growBonesInto } from './shared/grow-bones.ts';
import { drawSample, fitOptionsOf, settleSsdrOptions } from './ssdr/ssdr.ts';

/**
 * Points of the sample, points per bone at least, and iterations on it after bones were added. From 20 to 40 bones of horse-gallop (8431 points): a sample of
 * 2000 points fits new bones to too few points, and the error of all points rises; 4000 points reach within 2 % of the error of all points.
 */
const SAMPLE_POINTS = 4000;
const MIN_POINTS = 50;
const SAMPLE_ITERATIONS = 5;
/** Points of a new bone's patch, relative to the average number of points per bone (horse-gallop: 60 points give a lower error than 12, 30 and 120). */
const PATCH_RATIO = 0.15;
const MIN_PATCH = 12;
/** Maximum number of bones: more do not make a small model. */
const MAX_BONES = 256;
/** Maximum difference of a rotation's product with its transpose from the identity; files store single precision. */
const RIGID_TOLERANCE = 1e-4;

/** The bones to start from: their weights, and one motion per clip at the clip's frames. */
export interface GrowthStart {
  /** Weights. Bones without any are left out. */
  skin: Skin;
  /** One motion per clip, one pose per frame of the clip. */
  motions: readonly Motion[];
}

/** Options of makeBoneGrowth. */
export interface BoneGrowthOptions {
  /** Maximum bones per vertex. Default: those of the skin. */
  influences?: number;
  /** Transforms of bones. Default: rigid if the given bones are, affine otherwise. */
  transforms?: Exclude<TransformKind, 'similarity'>;
  /** Number of threads; 0: one per core. Default 0. */
  threads?: number;
  /** Random seed of the sample. Default 0. */
  seed?: number;
}

/** A model with more bones. */
export interface GrownBones {
  /** Bones without hierarchy, with one motion per clip. The rest pose is that of the clips. */
  model: SkinnedModel;
  /** Root mean square error, file units. */
  error: number;
}

/** Grows the bones of one model to any larger number. */
export interface BoneGrowth {
  /** Number of bones at the start. */
  readonly boneCount: number;
  /** Largest number of bones. */
  readonly maxBones: number;
  /**
   * The model with this many bones. A later call with the same number continues from the result of the earlier one.
   * @param iterations iterations on all points; with 0 only their weights are solved
   */
  grow(count: number, iterations?: number): Promise<GrownBones>;
  /** Ends the threads and frees all memory. */
  dispose(): void;
}

/**
 * Prepares the growth of a model's bones towards clips. What every number of bones needs is computed here.
 * @example
 * ```ts
 * import { decompose, makeBoneGrowth } from 'ossify';
 *
 * const { model } = await decompose(clip, { bones: 20 });
 * const growth = await makeBoneGrowth({ ...clip, mesh: model.mesh }, model);
 * const first = await growth.grow(30);
 * const refined = await growth.grow(30, 10);
 * console.log(`with 30 bones: ${first.error}, then ${refined.error}`);
 * growth.dispose();
 * ```
 */
export async function makeBoneGrowth(
  clips: Clip | readonly Clip[],
  start: GrowthStart,
  options: BoneGrowthOptions = {},
): Promise<BoneGrowth> {
  const list = 'kind' in clips ? [clips] : clips;
  checkStart(list, start);
  const used = listUsed(start.skin);
  const matrices = joinArrays(start.motions.map((motion) => pickMotion(motion, used).matrices));
  const transforms = options.transforms ?? (isRigid(matrices) ? 'rigid' : 'affine');
  const influences = options.influences ?? maxInfluencesOf(start.skin);
  const compute = await makeCompute({ threads: options.threads ?? 0 });
  try {
    const growth = new Growth(
      compute,
      list,
      fitOptionsOf(settleSsdrOptions({ influences, transforms })),
      options.seed ?? 0,
    );
    await growth.begin(matrices, used.length);
    return growth;
  } catch (error) {
    compute.dispose();
    throw error;
  }
}

/** The given bones, with their weights and errors on all points. */
interface StartState extends Pick<FitState, 'bones' | 'boneIndices' | 'weights'> {
  count: number;
  /** Squared error of each point. */
  distances: Float64Array;
}

class Growth implements BoneGrowth {
  readonly maxBones: number;
  readonly #compute: Compute;
  readonly #clips: readonly Clip[];
  readonly #clip: Clip;
  readonly #options: SkinFitOptions;
  readonly #seed: number;
  readonly #normalized: NormalizedClip;
  readonly #patches: RigidPatches;
  #start: StartState | undefined;
  /** Solutions by number of bones. */
  readonly #solved = new Map<number, FitState>();

  constructor(compute: Compute, clips: readonly Clip[], options: SkinFitOptions, seed: number) {
    this.#compute = compute;
    this.#clips = clips;
    this.#clip = joinClips(clips);
    this.#options = options;
    this.#seed = seed;
    this.#normalized = normalizeClip(compute, this.#clip);
    const { trajectories } = this.#normalized;
    this.#patches = new RigidPatches(trajectories);
    this.maxBones = Math.min(MAX_BONES, trajectories.vertexCount);
  }

  get boneCount(): number {
    return this.#start?.count ?? 0;
  }

  /** Takes the given bones, and solves their weights for the error of each point. */
  async begin(matrices: Float64Array, count: number): Promise<void> {
    const bones = normalizeBones(this.#normalized, matrices, count);
    await this.#compute.scope(async (memory) => {
      const fit = new SkinFit(memory, this.#normalized.trajectories, count, this.#options);
      fit.bones.view().set(bones);
      await fit.solveWeights('cold');
      const { errors, weights: solved, boneIndices } = fit.save();
      this.#start = { count, bones, distances: errors, boneIndices, weights: solved };
    });
    // the first list prepares the search for all others
    this.#patches.listNearest(0, 1);
  }

  async grow(count: number, iterations = 0): Promise<GrownBones> {
    if (!Number.isInteger(count) || count < this.boneCount || count > this.maxBones)
      throw new UsageError('bones', `must be from ${this.boneCount} to ${this.maxBones}, got ${count}`);
    const known = this.#solved.get(count);
    const bones = known ? undefined : await this.#solveSample(count);
    return this.#compute.scope(async (memory) => {
      const { trajectories, size } = this.#normalized;
      const fit = new SkinFit(memory, trajectories, count, this.#options);
      if (known) fit.restore(known);
      else {
        fit.bones.view().set(bones!);
        this.#putWeights(fit);
        await fit.solveWeights('both');
      }
      await fit.alternate(iterations);
      this.#solved.set(count, fit.save());
      const model = makeSkinnedModel(this.#clip, this.#normalized, fit, false);
      const motions = model.motions.flatMap((motion) => splitMotion(motion, this.#clips));
      const error = size * Math.sqrt(fit.error / (trajectories.vertexCount * trajectories.frameCount));
      return { model: { ...model, motions }, error };
    });
  }

  /** The bones after a few iterations on a sample of the points. */
  #solveSample(count: number): Promise<Float64Array> {
    return this.#compute.scope(async (memory) => {
      const { trajectories: all } = this.#normalized;
      const ids = drawSample(all.vertexCount, Math.max(SAMPLE_POINTS, MIN_POINTS * count), makeRandom(this.#seed));
      const fit = new SkinFit(memory, selectTrajectories(memory, all, ids), count, this.#options);
      const patchPoints = Math.max(MIN_PATCH, Math.round((PATCH_RATIO * all.vertexCount) / this.boneCount));
      growBonesInto(all, this.#start!, fit.bones.view(), count, { patches: this.#patches, patchPoints });
      this.#putWeights(fit, ids);
      await fit.solveWeights('both');
      await fit.alternate(SAMPLE_ITERATIONS);
      return fit.bones.view().slice();
    });
  }

  /** Weights of the given bones as the start of a solve: a search without them misses good sets of bones where bones move alike. */
  #putWeights({ weights }: SkinFit, ids?: Uint32Array): void {
    const [bones, values] = [weights.bones.view(), weights.weights.view()];
    const { influences } = weights;
    const start = this.#start!;
    const width = start.weights.length / start.distances.length;
    for (let n = 0; n < bones.length / influences; n++) {
      const from = (ids ? ids[n] : n) * width;
      bones.set(start.boneIndices.subarray(from, from + width), n * influences);
      values.set(start.weights.subarray(from, from + width), n * influences);
    }
  }

  dispose(): void {
    this.#solved.clear();
    this.#compute.dispose();
  }
}

function checkStart(clips: readonly Clip[], { skin, motions }: GrowthStart): void {
  const vertexCount = (clips[0]?.mesh.positions.length ?? 0) / 3;
  if (skin.rowStart.length - 1 !== vertexCount)
    throw new InputError(
      'growth',
      `the weights are for ${skin.rowStart.length - 1} vertices, the clip has ${vertexCount}`,
    );
  clips.forEach((clip, n) => {
    if (motions[n]?.times.length !== frameCountOf(clip) || boneCountOfMotion(motions[n]) < 1)
      throw new InputError(
        'growth',
        `clip "${clip.name}" needs a motion with a pose of the bones for each of its frames`,
      );
  });
}

function listUsed({ boneIndices, weights }: Skin): number[] {
  return [...new Set(boneIndices.filter((_, e) => weights[e] > 0))].sort((a, b) => a - b);
}

function isRigid(matrices: Float64Array): boolean {
  for (let o = 0; o < matrices.length; o += 16) {
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b <= a; b++) {
        let dot = 0;
        for (let r = 0; r < 3; r++) dot += matrices[o + 4 * a + r] * matrices[o + 4 * b + r];
        if (Math.abs(dot - (a === b ? 1 : 0)) > RIGID_TOLERANCE) return false;
      }
    }
  }
  return true;
}
