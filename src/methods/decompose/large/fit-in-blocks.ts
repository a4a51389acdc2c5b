// SPDX-License-Identifier: MIT
// Bones and weights of all points and frames of a large clip, from bones that were found on some of both. No step holds more than a block of points:
// - weights of a point depend on its own trajectory and on the bones (core/kernels/weights/convex-weights.ts), so blocks are solved one after the other;
// - bones depend on the points only through the moments of the skin (core/kernels/bones/skin-moments.ts), Cⱼₗ = Σᵢ wᵢⱼ wᵢₗ ũᵢũᵢᵀ and Dⱼₖ = Σᵢ wᵢⱼ vᵢₖ ũᵢᵀ, which are sums over blocks. All
//   frames are then fitted without a further visit to the points, in as many sweeps as are useful.
// The first weights come from the frames whose bones are known. The bones of every other frame start from those of the frame that represents it, moved by the rigid
// motion between both: Mⱼₖ = Gₖ G_c⁻¹ Mⱼ_c.
//
// With fixed bones the products P = V T (points x 4 bones) are all that weights and rest positions need from the frames, so that a block is multiplied once per pass.
import { boneProductsInto, reserveBoneProducts } from '../../../core/kernels/bones/bone-products.ts';
import { boneSweep, type TransformKind } from '../../../core/kernels/bones/bone-sweep.ts';
import { reserveSkinMoments, type SkinMoments, skinMomentsInto } from '../../../core/kernels/bones/skin-moments.ts';
import type { Compute, Resident } from '../../../core/kernels/compute.ts';
import { multiplyInto } from '../../../core/kernels/matrices/multiply.ts';
import {
  reserveTrajectories,
  squareTrajectories,
  type Trajectories,
} from '../../../core/kernels/matrices/trajectories.ts';
import { convexWeights, type FitWeights, reserveFitWeights } from '../../../core/kernels/weights/convex-weights.ts';
import { checkPositionRange } from '../../../core/model/clip/check-range.ts';
import type { PointSource } from '../../../core/model/clip/point-source.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { correctRestBy } from '../../../fit/rest/index.ts';

/** Bytes of the trajectories of a block. */
const BLOCK_BYTES = 24e6;
/** Minimum number of points of a block. */
const MIN_BLOCK = 64;
/**
 * Passes over the points, the last one without moments, and sweeps over bones after each. The first sweeps start from the bones of other frames and have far to go (quadruped of
 * 5,000 frames, 20 bones: E_RMS 1.97 with 8 sweeps and 6 passes, 1.93 with 40 sweeps and 3 passes). Chosen on that clip.
 */
const PASSES = 3;
const FIRST_SWEEPS = 40;
const SWEEPS = 10;

export interface BlockStart {
  boneCount: number;
  /** Length of one solver unit, and centers of the rest pose and of the frames (frameCount x 3), file units. */
  size: number;
  restCenter: readonly number[];
  frameCenters: Float64Array;
  /** 3 frameCount x 4 boneCount: first bones of all frames, solver units */
  bones: Float64Array;
  /** boneCount x 9 */
  axes: Float64Array;
  /** Rising indices of the frames whose bones are known; the first weights are solved for them. */
  frames: Uint32Array;
  /** Weights to start from, and pointCount rows of them: those of a point nearby. They have settled with the bones, which a fresh search for each point has not. */
  skin: { skin: Skin; placeOf: Uint32Array };
}

export interface BlockFitOptions {
  influences: number;
  transforms: TransformKind;
  ridge: number;
  keepRest: boolean;
  /** Called after every block with the progress of all passes; return true to make the next pass the last. */
  onBlock?: (part: number) => boolean | Promise<boolean>;
}

export interface BlockFit {
  influences: number;
  /** pointCount x influences each */
  boneIndices: Uint32Array;
  weights: Float64Array;
  /** pointCount x 3, solver units */
  rest: Float64Array;
  /** 3 frameCount x 4 boneCount */
  bones: Float64Array;
  /** Sums of squared errors over points and frames, solver units. */
  error: number;
  errorBeforeRest: number;
  /** Passes over all points. */
  passes: number;
}

/** Fits all points and frames. */
export async function fitInBlocks(
  compute: Compute,
  source: PointSource,
  start: BlockStart,
  options: BlockFitOptions,
): Promise<BlockFit> {
  return compute.scope((memory) => new BlockSolver(memory, source, start, options).solve());
}

class BlockSolver {
  readonly #compute: Compute;
  readonly #source: PointSource;
  readonly #start: BlockStart;
  readonly #options: BlockFitOptions;
  readonly #bones: Resident<Float64Array>;
  readonly #axes: Resident<Float64Array>;
  readonly #moments: SkinMoments;
  readonly #fit: BlockFit;
  readonly #blockSize: number;
  #isStopped = false;

  constructor(compute: Compute, source: PointSource, start: BlockStart, options: BlockFitOptions) {
    const { pointCount, times } = source;
    const frameCount = times.length;
    const { boneCount } = start;
    this.#compute = compute;
    this.#source = source;
    this.#start = start;
    this.#options = options;
    this.#bones = compute.float64(start.bones.length);
    this.#bones.view().set(start.bones);
    this.#axes = compute.float64(start.axes.length);
    this.#axes.view().set(start.axes);
    this.#moments = reserveSkinMoments(compute, boneCount, frameCount);
    this.#blockSize = Math.max(MIN_BLOCK, Math.min(pointCount, Math.floor(BLOCK_BYTES / (24 * frameCount))));
    const influences = Math.min(options.influences, boneCount);
    const rest = new Float64Array(3 * pointCount);
    for (let c = 0; c < rest.length; c++) rest[c] = (source.rest[c] - start.restCenter[c % 3]) / start.size;
    this.#fit = {
      ...{ influences, rest, bones: start.bones },
      boneIndices: new Uint32Array(pointCount * influences),
      weights: new Float64Array(pointCount * influences),
      ...{ error: 0, errorBeforeRest: 0, passes: 0 },
    };
    putWeights(this.#fit, start.skin);
  }

  async solve(): Promise<BlockFit> {
    const { transforms } = this.#options;
    for (let n = 0; n + 1 < PASSES && !this.#isStopped; n++) {
      await this.#pass(n, false);
      await boneSweep(this.#compute, this.#bones, this.#start.boneCount, this.#moments, {
        ...{ sweeps: n === 0 ? FIRST_SWEEPS : SWEEPS, kind: transforms, axes: this.#axes },
      });
    }
    await this.#pass(PASSES - 1, true);
    this.#fit.bones = this.#bones.view().slice();
    return this.#fit;
  }

  /** Weights of all points, and their moments or, in the last pass, their rest positions. */
  async #pass(n: number, isLast: boolean): Promise<void> {
    const { pointCount } = this.#source;
    const fit = this.#fit;
    const { pairs, targets } = this.#moments;
    pairs.view().fill(0);
    targets.view().fill(0);
    fit.error = 0;
    fit.errorBeforeRest = 0;
    for (let first = 0; first < pointCount; first += this.#blockSize) {
      const count = Math.min(this.#blockSize, pointCount - first);
      await this.#compute.scope(async (memory) => {
        const block = await this.#readBlock(memory, first, count);
        const weights = reserveFitWeights(memory, count, fit.influences);
        const [from, to] = [first * fit.influences, (first + count) * fit.influences];
        weights.bones.view().set(fit.boneIndices.subarray(from, to));
        weights.weights.view().set(fit.weights.subarray(from, to));
        if (n === 0) await this.#solveFirst(memory, block, weights);
        else await this.#solveBlock(memory, block, weights, isLast);
        fit.boneIndices.set(weights.bones.view(), from);
        fit.weights.set(weights.weights.view(), from);
        fit.rest.set(block.rest.view(), 3 * first);
        for (const e of weights.errors.view()) fit.error += e;
        if (!isLast) await this.#addMoments(memory, block, weights);
      });
      if (await this.#options.onBlock?.((n + (first + count) / pointCount) / PASSES)) this.#isStopped = true;
    }
    if (!isLast || this.#options.keepRest) fit.errorBeforeRest = fit.error;
    fit.passes++;
  }

  /** Trajectories of a block in solver units. */
  async #readBlock(memory: Compute, first: number, count: number): Promise<Trajectories> {
    const { size, frameCenters } = this.#start;
    const frameCount = this.#source.times.length;
    const block = reserveTrajectories(memory, count, frameCount);
    block.rest.view().set(this.#fit.rest.subarray(3 * first, 3 * (first + count)));
    const posed = block.posed.view();
    const rows = 3 * frameCount;
    await this.#source.readBlock(first, count, (frame, k) => {
      // a source that is read in blocks was not checked as a whole
      checkPositionRange(frame);
      const [x, y, z] = frameCenters.subarray(3 * k, 3 * k + 3);
      for (let i = 0, o = 3 * k; i < frame.length; i += 3, o += rows) {
        posed[o] = (frame[i] - x) / size;
        posed[o + 1] = (frame[i + 1] - y) / size;
        posed[o + 2] = (frame[i + 2] - z) / size;
      }
    });
    squareTrajectories(block);
    return block;
  }

  /** First weights of a block, from the frames whose bones are known. */
  async #solveFirst(memory: Compute, block: Trajectories, weights: FitWeights): Promise<void> {
    const { frames, boneCount } = this.#start;
    const part = reserveTrajectories(memory, block.vertexCount, frames.length);
    part.rest.view().set(block.rest.view());
    copyFrames(block.posed.view(), 3, block.vertexCount, frames, part.posed.view());
    squareTrajectories(part);
    const bones = memory.float64(12 * frames.length * boneCount);
    copyFrames(this.#bones.view(), 12 * boneCount, 1, frames, bones.view());
    const products = reserveBoneProducts(memory, boneCount);
    await boneProductsInto(memory, bones, boneCount, products);
    const { ridge } = this.#options;
    await convexWeights(memory, part, bones, products, weights, { start: 'both', ridge });
  }

  /** Weights of a block for the present bones; in the last pass also its rest positions. */
  async #solveBlock(memory: Compute, block: Trajectories, weights: FitWeights, isLast: boolean): Promise<void> {
    const { boneCount } = this.#start;
    const { ridge, keepRest } = this.#options;
    const products = reserveBoneProducts(memory, boneCount);
    await boneProductsInto(memory, this.#bones, boneCount, products);
    const width = 4 * boneCount;
    const blended = memory.float64(block.vertexCount * width);
    await multiplyInto(memory, block.posed, this.#bones, blended, width);
    // in the coordinates of the bones themselves, the products with them are known: bones are unit vectors
    const unit = makeIdentity(memory, width);
    const reduced = { rank: width, coordinates: blended, basis: unit, transposed: unit };
    const known = { ...block, reduced };
    await convexWeights(memory, known, unit, products, weights, { start: 'both', ridge });
    if (!isLast || keepRest) return;
    for (const e of weights.errors.view()) this.#fit.errorBeforeRest += e;
    correctRestBy(block.rest.view(), blended.view(), products.pairs.view(), boneCount, weights);
    await convexWeights(memory, known, unit, products, weights, { start: 'warm', ridge });
  }

  async #addMoments(memory: Compute, block: Trajectories, weights: FitWeights): Promise<void> {
    const { boneCount } = this.#start;
    const own = reserveSkinMoments(memory, boneCount, block.frameCount);
    await skinMomentsInto(memory, block, weights.bones, weights.weights, boneCount, own);
    for (const [sums, part] of [
      [this.#moments.pairs, own.pairs],
      [this.#moments.targets, own.targets],
    ]) {
      const [to, from] = [sums.view(), part.view()];
      for (let e = 0; e < to.length; e++) to[e] += from[e];
    }
  }
}

/** Fills the weights of all points with those of other points. */
function putWeights({ boneIndices, weights, influences }: BlockFit, { skin, placeOf }: BlockStart['skin']): void {
  for (let i = 0; i < placeOf.length; i++) {
    const row = skin.rowStart[placeOf[i]];
    const count = Math.min(influences, skin.rowStart[placeOf[i] + 1] - row);
    for (let e = 0; e < count; e++) {
      boneIndices[i * influences + e] = skin.boneIndices[row + e];
      weights[i * influences + e] = skin.weights[row + e];
    }
  }
}

function makeIdentity(compute: Compute, size: number): Resident<Float64Array> {
  const identity = compute.float64(size * size);
  const view = identity.view();
  for (let c = 0; c < size; c++) view[c * (size + 1)] = 1;
  return identity;
}

/** Copies some frames of rows: rowCount x frameCount x size. */
function copyFrames(from: Float64Array, size: number, rowCount: number, frames: Uint32Array, to: Float64Array): void {
  const [stride, width] = [from.length / rowCount, size * frames.length];
  for (let i = 0; i < rowCount; i++) {
    frames.forEach((k, n) => {
      for (let c = 0; c < size; c++) to[i * width + n * size + c] = from[i * stride + k * size + c];
    });
  }
}
