// SPDX-License-Identifier: MIT
// Weights, poses and joints of a skeleton in strict form (root translation and joint rotations only, joints exactly connected), fitted together so that errors do not
// accumulate along a limb. Iterates like fit/skin/skin-fit.ts: weights for given bones; then, from the moments, joints (core/kernels/joints/joint-system.ts) and rotations of all
// frames (core/kernels/skinning/joint-poses.ts), twice. Rotations and joints are over-relaxed by the same rule.

import { callExtrapolateBones } from '../../../core/kernels/bones/extrapolate-bones.ts';
import { callPlaceBones } from '../../../core/kernels/bones/place-bones.ts';
import type { Compute, KernelCall, Resident } from '../../../core/kernels/compute.ts';
import {
  callJointSystem,
  callSubtreeMoments,
  type JointSystem,
  reserveJointSystem,
} from '../../../core/kernels/joints/joint-system.ts';
import {
  callTreeMoments,
  NO_PARENT,
  type ResidentTree,
  reserveTreeMoments,
  type TreeMoments,
  treeMeansInto,
} from '../../../core/kernels/joints/tree-moments.ts';
import { callJointPoses } from '../../../core/kernels/skinning/joint-poses.ts';
import type { FitState, SkinFit } from '../../../fit/skin/index.ts';
import type { WindingNumber } from '../place/winding-number.ts';
import { type BoneBlends, measureBlends } from './bone-blends.ts';
import { centerJoints, measureLimbs } from './center-joints.ts';
import type { JointTree } from './joint-tree.ts';
import { type JointSprings, measureStrengths } from './strict-joints.ts';

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

export class StrictFit {
  readonly fit: SkinFit;
  readonly tree: JointTree;
  readonly springs: JointSprings;
  /** boneCount: 1 if the anchor of a joint is given, 0 if it is the blend of its bones */
  readonly isAnchored: Uint8Array;
  readonly #memory: Compute;
  /** frameCount x 3 x 3 boneCount: the present rotations, and those of the last iterations before the extrapolation */
  readonly #rotations: Resident<Float64Array>;
  readonly #plain: [Resident<Float64Array>, Resident<Float64Array>];
  readonly #scratch: Resident<Float64Array>;
  /** The tree for the kernels; its joints are a copy. */
  readonly #resident: ResidentTree;
  readonly #moments: TreeMoments;
  readonly #system: JointSystem;
  /** Calls of the kernels that fit poses, by number of steps. */
  readonly #poses = new Map<number, KernelCall[]>();
  readonly #isReused: boolean;
  /** boneCount x 3: displacement of the anchor from the blend of the bones */
  readonly #shifts: Float64Array;
  /** boneCount x 3: given anchors */
  readonly #held: Float64Array | undefined;
  /** boneCount x 3: the joints of the last iteration before the extrapolation */
  #jointsBefore: Float64Array | undefined;
  #beta = BETA_START;
  #solves = 0;
  /** The fit before a step; its arrays are reused. */
  #state?: FitState;

  /** Starts from the bones and weights of a fit; call pose() next. Memory is allocated from the given compute. */
  constructor(compute: Compute, fit: SkinFit, tree: JointTree, options: StrictFitOptions) {
    const { boneCount, trajectories } = fit;
    this.fit = fit;
    this.tree = tree;
    this.#memory = compute;
    const size = 9 * boneCount * trajectories.frameCount;
    this.#rotations = compute.float64(size);
    this.#plain = [compute.float64(size), compute.float64(size)];
    this.#scratch = compute.float64(9 * compute.threads);
    this.#resident = uploadTree(compute, tree);
    this.#moments = reserveTreeMoments(compute, boneCount, trajectories.frameCount, this.#resident.rootCount);
    this.#system = reserveJointSystem(compute, boneCount, trajectories.frameCount);
    this.#isReused = options.reuse ?? false;
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
    const { compute, trajectories, moments, momentCalls } = this.fit;
    const sums = callSubtreeMoments(moments, trajectories.vertexCount, this.#resident, this.#system);
    await compute.runAll([...momentCalls, sums]);
    return measureBlends(this.fit);
  }

  /** Fits poses with the present joints. The moments must be those of the weights. */
  async pose(steps: number): Promise<void> {
    this.#resident.joints.view().set(this.tree.joints);
    await this.fit.compute.runAll([...this.#callPoses(steps), this.#callBones()]);
  }

  #callPoses(steps: number): KernelCall[] {
    const known = this.#poses.get(steps);
    if (known) return known;
    const { moments, trajectories, boneCount } = this.fit;
    const { gram, targets } = this.#moments;
    const poses = { boneCount, rotations: this.#rotations, gram, targets };
    const calls = [
      callTreeMoments(moments, trajectories.vertexCount, this.#resident, this.#moments),
      callJointPoses(this.#memory, poses, steps, this.#isReused),
    ];
    this.#poses.set(steps, calls);
    return calls;
  }

  /** A call that moves the bones to the present rotations and joints. */
  #callBones(): KernelCall {
    return callPlaceBones(this.#rotations, this.#resident, this.#moments, this.fit.bones);
  }

  /** Solves all joints for the present poses. The moments must be those of the weights, computed by measure(). */
  async solveJoints(blends: BoneBlends): Promise<void> {
    await this.fit.compute.runAll(this.#callJoints(blends));
    this.#takeJoints();
  }

  #callJoints(blends: BoneBlends): KernelCall[] {
    const { tree, springs } = this;
    for (let a = 0; a < tree.boneCount; a++) {
      if (tree.parents[a] < 0 || this.isAnchored[a]) continue;
      const o = 3 * (a * tree.boneCount + tree.parents[a]);
      for (let r = 0; r < 3; r++) springs.anchors[3 * a + r] = blends.centers[o + r] + this.#shifts[3 * a + r];
    }
    this.#system.anchors.view().set(springs.anchors);
    this.#system.factors.view().set(springs.factors);
    return callJointSystem(this.#rotations, this.#resident, this.#system, measureStrengths(this.fit, springs));
  }

  /** Copies what the kernels have solved. */
  #takeJoints(): void {
    const { joints, released } = this.tree;
    const solved = this.#resident.joints.view();
    // a released joint is not solved
    for (let e = 0; e < joints.length; e++) if (!released?.[Math.floor(e / 3)]) joints[e] = solved[e];
    this.springs.blocks.set(this.#system.blocks.view());
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
  async center(blends: BoneBlends, winding: WindingNumber): Promise<void> {
    this.#shifts.fill(0);
    await this.solveJoints(blends);
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
    this.#jointsBefore = undefined;
    this.#beta = BETA_START;
  }

  async #step(): Promise<void> {
    const { fit, tree } = this;
    this.#state = fit.save(this.#state);
    const state = this.#state;
    const joints = this.#callJoints(await this.measure());
    const turns: KernelCall[] = [];
    for (let turn = 0; turn < TURNS; turn++) turns.push(...joints, ...this.#callPoses(STEPS));
    const [before, plain] = this.#plain;
    const jointsBefore = this.#jointsBefore;
    await fit.compute.runAll(jointsBefore ? turns : [...turns, this.#callBones()]);
    this.#takeJoints();
    const plainJoints = tree.joints.slice();
    if (jointsBefore) await this.#extrapolate(before, plain, jointsBefore);
    else plain.view().set(this.#rotations.view());
    await fit.solveWeights(this.#solves++ % COLD_EVERY === COLD_EVERY - 1 ? 'both' : 'warm');
    if (jointsBefore) {
      if (fit.error > state.error) {
        fit.restore(state);
        this.#rotations.view().set(plain.view());
        tree.joints.set(plainJoints);
        this.#putMeans();
        await fit.compute.runAll([this.#callBones()]);
        this.#beta = Math.max(MIN_BETA, 0.5 * this.#beta);
        await fit.solveWeights('warm');
      } else this.#beta = Math.min(MAX_BETA, BETA_GROWTH * this.#beta);
    }
    this.#jointsBefore = plainJoints;
    this.#plain.reverse();
  }

  /** Extrapolates rotations and joints from those of the iteration before, keeps a copy of the rotations, and moves the bones. */
  async #extrapolate(
    before: Resident<Float64Array>,
    plain: Resident<Float64Array>,
    jointsBefore: Float64Array,
  ): Promise<void> {
    const { boneCount, joints } = this.tree;
    for (let e = 0; e < joints.length; e++) joints[e] += this.#beta * (joints[e] - jointsBefore[e]);
    this.#putMeans();
    const arrays = { bones: this.#rotations, before, plain, scratch: this.#scratch };
    const extrapolate = callExtrapolateBones(arrays, { boneCount, width: 3, beta: this.#beta, isRigid: true });
    await this.fit.compute.runAll([extrapolate, this.#callBones()]);
  }

  /** Fills the means of the present joints; the moments must be those of the weights. */
  #putMeans(): void {
    this.#resident.joints.view().set(this.tree.joints);
    treeMeansInto(this.fit.moments, this.fit.trajectories.vertexCount, this.#resident, this.#moments);
  }
}

/** A copy of a tree for the kernels. */
function uploadTree(compute: Compute, { boneCount, parents, order, joints, released }: JointTree): ResidentTree {
  const above = Array.from(parents, (p, j) => (p < 0 || released?.[j] ? NO_PARENT : p));
  const tree = {
    boneCount,
    rootCount: above.filter((p) => p === NO_PARENT).length,
    parents: compute.uint32(boneCount),
    order: compute.uint32(boneCount),
    joints: compute.float64(3 * boneCount),
  };
  tree.parents.view().set(above);
  tree.order.view().set(order);
  tree.joints.view().set(joints);
  return tree;
}
