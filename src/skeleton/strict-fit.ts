// SPDX-License-Identifier: MIT
// Weights, poses and joints of a skeleton in strict form (root translation and joint rotations only, joints exactly connected), fitted together so that errors do not
// accumulate along a limb. Iterates like fit/skin-fit.ts: weights for given bones; then, from the moments, joints (strict-joints.ts) and rotations of all
// frames (kernels/joint-poses.ts), twice. Rotations and joints are over-relaxed by the same rule.
import { projectRotations } from '../fit/project-rotations.ts';
import type { FitState, SkinFit } from '../fit/skin-fit.ts';
import type { Compute, Resident } from '../kernels/compute.ts';
import { jointPoses } from '../kernels/joint-poses.ts';
import { skinMomentsInto } from '../kernels/skin-moments.ts';
import type { WindingNumber } from '../mesh/winding-number.ts';
import { type BoneBlends, measureBlends } from './bone-blends.ts';
import { centerJoints, measureLimbs } from './center-joints.ts';
import type { JointTree } from './joint-tree.ts';
import { type JointSprings, StrictJoints } from './strict-joints.ts';
import { reserveStrictMoments, type StrictMoments, strictMeansInto, strictMomentsInto } from './strict-moments.ts';

/** Solves of joints and poses per iteration, and Gauss-Newton steps of poses in each. */
const TURNS = 2;
const STEPS = 2;
/** Maximum distance of a joint from the blend of its bones, in radii of its limb; a farther joint is in another limb. Chosen by hand between measured values: at most 2.9 for correct joints; 4.8 and 6.3 for joints in the other leg. */
const ASTRAY = 4;
/** Weight solves between searches of supports from scratch. */
const COLD_EVERY = 5;
const BETA_START = 0.5;
const BETA_GROWTH = 1.15;
const MIN_BETA = 0.3;
const MAX_BETA = 2;

export interface StrictFitOptions {
  /** Box diagonal of the rest pose, solver units. */
  size: number;
  /** Strengths of the springs of joints (strict-joints.ts). */
  relative: number;
  absolute: number;
  /** Whether springs act along the axes of hinges. */
  hinges: boolean;
  /** Anchors of the springs are the present joints of the tree instead of the blends of bones. */
  hold: boolean;
  /** Every other step of poses reuses the factorization of the one before it: faster, and less exact. */
  reuse?: boolean;
}

interface Shape {
  rotations: Float64Array;
  joints: Float64Array;
}

export class StrictFit {
  readonly fit: SkinFit;
  readonly tree: JointTree;
  readonly springs: JointSprings;
  /** boneCount: 1 if the anchor of a joint is given, 0 if it is the blend of its bones */
  readonly isAnchored: Uint8Array;
  /** frameCount x 3 x 3 boneCount */
  readonly #rotations: Resident<Float64Array>;
  readonly #moments: StrictMoments;
  readonly #solver: StrictJoints;
  readonly #isReused: boolean;
  /** boneCount x 3: displacement of the anchor from the blend of the bones */
  readonly #shifts: Float64Array;
  /** boneCount x 3: given anchors */
  readonly #held: Float64Array | undefined;
  #before: Shape | undefined;
  #beta = BETA_START;
  #solves = 0;
  /** The fit before a step; its arrays are reused. */
  #state?: FitState;

  /** Starts from the bones and weights of a fit; call pose() next. Memory is allocated from the given compute. */
  constructor(compute: Compute, fit: SkinFit, tree: JointTree, options: StrictFitOptions) {
    const { boneCount, trajectories } = fit;
    this.fit = fit;
    this.tree = tree;
    this.#rotations = compute.float64(9 * boneCount * trajectories.frameCount);
    this.#moments = reserveStrictMoments(compute, boneCount, trajectories.frameCount);
    this.#isReused = options.reuse ?? false;
    this.#solver = new StrictJoints(boneCount, trajectories.frameCount);
    this.#shifts = new Float64Array(3 * boneCount);
    this.#held = options.hold ? tree.joints.slice() : undefined;
    this.isAnchored = new Uint8Array(boneCount).fill(options.hold ? 1 : 0);
    this.springs = {
      anchors: tree.joints.slice(),
      relative: options.relative,
      absolute: options.absolute,
      hinges: options.hinges,
      factors: new Float64Array(boneCount).fill(1),
      size: options.size,
      blocks: new Float64Array(9 * boneCount),
    };
    const rotations = this.#rotations.view();
    const bones = fit.bones.view();
    for (let row = 0; row < 3 * trajectories.frameCount; row++) {
      for (let j = 0; j < boneCount; j++)
        for (let c = 0; c < 3; c++) rotations[(row * boneCount + j) * 3 + c] = bones[(row * boneCount + j) * 4 + c];
    }
  }

  /** Computes the moments for the present weights. */
  async measure(): Promise<BoneBlends> {
    const { compute, trajectories, weights, boneCount, moments } = this.fit;
    await skinMomentsInto(compute, trajectories, weights.bones, weights.weights, boneCount, moments);
    return measureBlends(this.fit);
  }

  /** Fits poses with the present joints. The moments must be those of the weights. */
  async pose(steps: number): Promise<void> {
    const { fit, tree } = this;
    const { gram, targets } = this.#moments;
    strictMomentsInto(fit, tree, this.#moments);
    await jointPoses(fit.compute, this.#rotations, gram, targets, tree.boneCount, steps, this.#isReused);
    this.#putBones();
  }

  /** Moves the bones to the present rotations and joints. The moments must be those of the weights. */
  #placeBones(): void {
    strictMeansInto(this.fit, this.tree, this.#moments);
    this.#putBones();
  }

  /** Solves all joints for the present poses. The moments must be those of the weights. */
  solveJoints(blends: BoneBlends): void {
    const { tree, springs } = this;
    for (let a = 0; a < tree.boneCount; a++) {
      if (tree.parents[a] < 0 || this.isAnchored[a]) continue;
      const o = 3 * (a * tree.boneCount + tree.parents[a]);
      for (let r = 0; r < 3; r++) springs.anchors[3 * a + r] = blends.centers[o + r] + this.#shifts[3 * a + r];
    }
    this.#solver.solve(this.fit, tree, this.#rotations.view(), springs);
  }

  /**
   * Iterates over poses with joints, and weights.
   * @param onIteration called after every weight solve; return true to stop
   */
  async alternate(iterations: number, onIteration?: () => boolean | Promise<boolean>): Promise<void> {
    for (let n = 0; n < iterations; n++) {
      await this.#step();
      if (await onIteration?.()) break;
    }
  }

  /** Moves the anchors of joints inside, along directions that the motion does not determine; uses the present joints and moments. */
  center(blends: BoneBlends, winding: WindingNumber): void {
    this.#shifts.fill(0);
    this.solveJoints(blends);
    if (!this.#held) this.#shifts.set(centerJoints(this.tree, this.springs, this.fit.moments.pairs.view(), winding));
  }

  /** boneCount: maximum distance of each joint from the blend of its bones; uses the present moments. */
  measureReach(): Float64Array {
    const radii = measureLimbs(this.tree, this.fit.moments.pairs.view());
    return radii.map((radius) => (this.#held ? Number.POSITIVE_INFINITY : ASTRAY * radius));
  }

  /** Unpins all joints. */
  unpin(): void {
    this.isAnchored.fill(this.#held ? 1 : 0);
    if (this.#held) this.springs.anchors.set(this.#held);
    this.springs.factors.fill(1);
  }

  /** Resets the over-relaxation; required after every change of structure. */
  dropHistory(): void {
    this.#before = undefined;
    this.#beta = BETA_START;
  }

  async #step(): Promise<void> {
    const { fit, tree } = this;
    this.#state = fit.save(this.#state);
    const state = this.#state;
    const blends = await this.measure();
    for (let turn = 0; turn < TURNS; turn++) {
      this.solveJoints(blends);
      await this.pose(STEPS);
    }
    const plain = this.#save();
    const before = this.#before;
    if (before) {
      this.#extrapolate(plain, before);
      this.#placeBones();
    }
    await fit.solveWeights(this.#solves++ % COLD_EVERY === COLD_EVERY - 1 ? 'both' : 'warm');
    if (before) {
      if (fit.error > state.error) {
        fit.restore(state);
        this.#rotations.view().set(plain.rotations);
        tree.joints.set(plain.joints);
        this.#placeBones();
        this.#beta = Math.max(MIN_BETA, 0.5 * this.#beta);
        await fit.solveWeights('warm');
      } else this.#beta = Math.min(MAX_BETA, BETA_GROWTH * this.#beta);
    }
    this.#before = plain;
  }

  #save(): Shape {
    return { rotations: this.#rotations.view().slice(), joints: this.tree.joints.slice() };
  }

  #extrapolate(plain: Shape, before: Shape): void {
    const { boneCount, joints } = this.tree;
    const beta = this.#beta;
    const rotations = this.#rotations.view();
    for (let e = 0; e < rotations.length; e++)
      rotations[e] = plain.rotations[e] + beta * (plain.rotations[e] - before.rotations[e]);
    projectRotations(rotations, boneCount, 3);
    for (let e = 0; e < joints.length; e++) joints[e] = plain.joints[e] + beta * (plain.joints[e] - before.joints[e]);
  }

  /** Bones from rotations and joints: T_root maps mean to mean, all others follow from their joints. */
  #putBones(): void {
    const { boneCount, parents, order, joints } = this.tree;
    const { means, centers } = this.#moments;
    const rotations = this.#rotations.view();
    const bones = this.fit.bones.view();
    for (let row = 0; row < 3 * this.fit.trajectories.frameCount; row++) {
      const at = row * 3 * boneCount;
      const out = row * 4 * boneCount;
      let root = centers[row];
      for (let e = 0; e < 3 * boneCount; e++) root -= rotations[at + e] * means[e];
      for (const j of order) {
        const p = parents[j];
        let t = p < 0 ? root : bones[out + 4 * p + 3];
        for (let c = 0; c < 3; c++) {
          bones[out + 4 * j + c] = rotations[at + 3 * j + c];
          if (p >= 0) t += (rotations[at + 3 * p + c] - rotations[at + 3 * j + c]) * joints[3 * j + c];
        }
        bones[out + 4 * j + 3] = t;
      }
    }
  }
}
