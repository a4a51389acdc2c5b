// SPDX-License-Identifier: MIT
// The iteration of Helper, §5.3: weights of all bones, then the transforms of helper bones with fixed joints. It uses the solver of all
// decompositions (fit/skin/skin-fit.ts): one helper at a time on the residual of the others, rotation and scale alternately (Eq. 12–16, with the
// moments of core/kernels/bones/bone-sweep.ts; u* and v* use squared weights, which corrects the paper).
//
// Poses have weights: the trajectories of a fit are multiplied by √weight. Vertex weights are solved with bones multiplied by the same factor; bones,
// which are fitted one pose at a time, use moments divided by it.

import { boneSweep } from '../../../core/kernels/bones/bone-sweep.ts';
import type { Compute, KernelCall, Resident } from '../../../core/kernels/compute.ts';
import { squareTrajectories, type Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { svd3ProperInto } from '../../../core/math/svd3.ts';
import { SkinFit, type SkinFitOptions } from '../../../fit/skin/index.ts';

export interface HelperBones {
  /** frameCount: the factors on the trajectories */
  roots: Float64Array;
  /** 3 frameCount x 4 jointCount: the fixed bones */
  joints: Float64Array;
  /** Number of helper bones after them, initially the identity. */
  helperCount: number;
}

export class HelperFit extends SkinFit {
  readonly jointCount: number;
  readonly frozen: Resident<Uint32Array>;
  /** frameCount: the root of each pose's weight; the trajectories are multiplied by it */
  readonly roots: Float64Array;

  /** @param locked points with fixed weights */
  constructor(
    compute: Compute,
    trajectories: Trajectories,
    { roots, joints, helperCount }: HelperBones,
    options: SkinFitOptions,
    locked?: Resident<Uint32Array>,
  ) {
    const jointCount = joints.length / (12 * trajectories.frameCount);
    super(compute, trajectories, jointCount + helperCount, options, locked);
    this.jointCount = jointCount;
    this.roots = roots;
    this.frozen = compute.uint32(this.boneCount);
    this.frozen.view().fill(1, 0, jointCount);
    const bones = this.bones.view();
    const [from, to] = [4 * jointCount, 4 * this.boneCount];
    for (let row = 0; row < 3 * trajectories.frameCount; row++) {
      for (let e = 0; e < from; e++) bones[row * to + e] = joints[row * from + e];
      for (let h = jointCount; h < this.boneCount; h++) bones[row * to + 4 * h + (row % 3)] = 1;
    }
  }

  get helperCount(): number {
    return this.boneCount - this.jointCount;
  }

  override async solveWeights(start: 'warm' | 'both' | 'cold', removal?: Resident<Float64Array>): Promise<void> {
    const plain = this.bones.view().slice();
    this.weighBones(this.bones.view());
    await super.solveWeights(start, removal);
    this.bones.view().set(plain);
  }

  /** Multiplies bones, rows x anything, by the roots of the poses' weights. */
  weighBones(bones: Float64Array): void {
    const width = bones.length / (3 * this.roots.length);
    for (let e = 0; e < bones.length; e++) bones[e] *= this.roots[Math.floor(e / (3 * width))];
  }

  override async solveBones(sweeps = this.options.sweeps): Promise<void> {
    const { compute, boneCount, moments } = this;
    await this.measureMoments();
    // boneCount x 3 frameCount x 4
    const targets = moments.targets.view();
    for (let e = 0; e < targets.length; e++) targets[e] /= this.roots[Math.floor(e / 12) % this.roots.length];
    await boneSweep(compute, this.bones, boneCount, moments, {
      sweeps,
      kind: this.options.transforms,
      axes: this.axes,
      frozen: this.frozen,
    });
  }

  protected override async runStep(extrapolate: KernelCall, start: 'warm' | 'both' | 'cold'): Promise<void> {
    await this.solveBones();
    await this.compute.runAll([extrapolate]);
    await this.solveWeights(start);
  }

  /** Copies the helpers and weights of another fit with at most as many helpers. */
  adopt(other: HelperFit): void {
    const [to, from] = [this.bones.view(), other.bones.view()];
    for (let row = 0; row < to.length / (4 * this.boneCount); row++) {
      for (let e = 0; e < 4 * other.boneCount; e++)
        to[row * 4 * this.boneCount + e] = from[row * 4 * other.boneCount + e];
    }
    this.axes.view().set(other.axes.view());
    const [influences, had] = [this.weights.influences, other.weights.influences];
    const [ids, weights] = [this.weights.bones.view(), this.weights.weights.view()];
    const [otherIds, otherWeights] = [other.weights.bones.view(), other.weights.weights.view()];
    for (let i = 0; i < this.trajectories.vertexCount; i++) {
      for (let a = 0; a < influences; a++) {
        ids[i * influences + a] = a < had ? otherIds[i * had + a] : 0;
        weights[i * influences + a] = a < had ? otherWeights[i * had + a] : 0;
      }
    }
  }

  /** Squared weights of one bone by point, and their sum. */
  squaredWeightsInto(bone: number, out: Float64Array): number {
    const [ids, weights] = [this.weights.bones.view(), this.weights.weights.view()];
    const influences = this.weights.influences;
    let sum = 0;
    for (let i = 0; i < out.length; i++) {
      out[i] = 0;
      for (let e = i * influences; e < (i + 1) * influences; e++)
        if (ids[e] === bone) out[i] += weights[e] * weights[e];
      sum += out[i];
    }
    return sum;
  }

  /** Aligns the axes of every helper with the principal axes of its points, weighted by its squared weights. */
  turnAxes(): void {
    const rest = this.trajectories.rest.view();
    const squared = new Float64Array(this.trajectories.vertexCount);
    const spread = new Float64Array(9);
    const u = new Float64Array(9);
    for (let h = this.jointCount; h < this.boneCount; h++) {
      const sum = this.squaredWeightsInto(h, squared);
      if (!(sum > 0)) continue;
      const center = this.centerOf(squared, sum);
      spread.fill(0);
      for (let i = 0; i < squared.length; i++) {
        if (squared[i] === 0) continue;
        for (let c = 0; c < 3; c++)
          for (let r = 0; r < 3; r++)
            spread[3 * c + r] += squared[i] * (rest[3 * i + c] - center[c]) * (rest[3 * i + r] - center[r]);
      }
      svd3ProperInto(spread, u, new Float64Array(3), new Float64Array(9));
      this.axes.view().set(u, 9 * h);
    }
  }

  /** The weighted center of points: v* of Eq. 16, with rest positions. */
  centerOf(squared: Float64Array, sum: number): [number, number, number] {
    const rest = this.trajectories.rest.view();
    const center: [number, number, number] = [0, 0, 0];
    for (let i = 0; i < squared.length; i++)
      for (let r = 0; r < 3; r++) center[r] += (squared[i] * rest[3 * i + r]) / sum;
    return center;
  }
}

/** Multiplies trajectories by the roots of the poses' weights, scaled to a mean of one; returns the roots. */
export function weighTrajectories(trajectories: Trajectories, weights: Float64Array): Float64Array {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  const roots = weights.map((weight) => Math.sqrt(weight / mean));
  const posed = trajectories.posed.view();
  const rows = 3 * trajectories.frameCount;
  for (let i = 0, e = 0; i < trajectories.vertexCount; i++)
    for (let row = 0; row < rows; row++, e++) posed[e] *= roots[Math.floor(row / 3)];
  squareTrajectories(trajectories);
  return roots;
}
