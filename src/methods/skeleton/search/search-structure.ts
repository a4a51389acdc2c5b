// SPDX-License-Identifier: MIT
// Improves the bones and the tree of a solved skeleton, if the number of bones is not given and the motion is almost exactly that of bones (an animated rig). Free bones and Eq. 21 find most of the structure; what they
// miss shows only with connected joints. Three changes are tried on a sample of the points, each judged by the error with exactly connected joints: a redundant bone is removed (contract-bone.ts), a joint is
// replaced (exchange-joints.ts), and a bone is added where the error is largest (add-limb.ts). docs/benchmarks/skeleton.md has the measured effect.
import { SkinFit, selectTrajectories } from '../../../fit/skin/index.ts';
import type { JointTree } from '../joints/joint-tree.ts';
import { type SolveStrictOptions, type StrictSolution, solveStrict } from '../joints/solve-strict.ts';
import { contractBone } from '../prune/contract-bone.ts';
import { UNSEEN } from '../prune/remove-bones.ts';
import { type TreeTrial, tryTree } from '../prune/tree-trial.ts';
import { addLimb } from './add-limb.ts';
import { exchangeJoints } from './exchange-joints.ts';
import { EXACT } from './start-clusters.ts';

/** Number of points of the sample, and the minimum per bone. */
const SAMPLE_POINTS = 2000;
const POINTS_PER_BONE = 20;
/** Maximum RMSE of a motion that is almost exactly that of bones: connected joints have up to twice the error of free bones. */
const MAX_ERROR = 2 * EXACT;
/** A bone is removed if the squared error rises by at most this ratio, and added if it falls by at least this ratio. Chosen on the fox. */
const MAX_RISE = 0.05;
const MIN_FALL = 0.08;
/** A bone whose joint is outside, or far from its bones, is removed up to this rise of the squared error: moved inside, it would cost more. Chosen by hand. */
const MAX_ASTRAY_RISE = 0.15;
/** Iterations before the first change. */
const START_ITERATIONS = 4;

export interface SearchStructureOptions extends SolveStrictOptions {
  /** Maximum number of bones. */
  maxBones: number;
  /** Whether the points are cells of a denser mesh. Joints are then replaced only beside a new bone: on five rigs and ten generated creatures, further replacements took a third of the time, and not one more joint was found. */
  isDense?: boolean;
}

/** Searches a better structure. Returns the given solution, or a new one in its scope. */
export async function searchStructure(
  solved: StrictSolution,
  options: SearchStructureOptions,
): Promise<StrictSolution> {
  const { trajectories } = solved.fit;
  const rmse = Math.sqrt(solved.fit.error / (trajectories.vertexCount * trajectories.frameCount)) / options.size;
  if (rmse > MAX_ERROR || solved.fit.boneCount < 2 || options.monitor.isStopped) return solved;
  const found = await solved.fit.compute.scope(async (memory) => {
    const { bones, boneCount, options: fitOptions } = solved.fit;
    const step = Math.max(1, trajectories.vertexCount / Math.max(SAMPLE_POINTS, POINTS_PER_BONE * boneCount));
    const count = Math.floor(trajectories.vertexCount / step);
    const chosen = Uint32Array.from({ length: count }, (_, n) => Math.floor(n * step));
    const fit = new SkinFit(memory, selectTrajectories(memory, trajectories, chosen), boneCount, fitOptions);
    fit.bones.view().set(bones.view());
    await fit.solveWeights('cold');
    const search = new Search(fit, { ...solved.tree, joints: solved.tree.joints.slice() }, options);
    const isChanged = await search.run();
    return isChanged ? { tree: search.tree, bones: search.fit.bones.view().slice() } : undefined;
  });
  if (!found) return solved;
  const fit = new SkinFit(solved.fit.compute, trajectories, found.tree.boneCount, solved.fit.options);
  fit.bones.view().set(found.bones);
  await fit.solveWeights('cold');
  const next = await solveStrict(fit, { ...options, tree: found.tree });
  const iterations = solved.iterations + next.iterations;
  return next.fit.error < (1 + MAX_RISE) * solved.fit.error ? { ...next, iterations } : { ...solved, iterations };
}

class Search {
  fit: SkinFit;
  tree: JointTree;
  readonly #options: SearchStructureOptions;
  /** Replacements and vertices that were tried, by key. */
  #triedJoints = new Set<string>();
  readonly #triedVertices = new Set<number>();
  #isChanged = false;
  /** Whether no bone of the present structure can be removed. */
  #isContracted = false;
  /** Bones whose joints are outside, or far from their bones. */
  #astray: number[] = [];

  constructor(fit: SkinFit, tree: JointTree, options: SearchStructureOptions) {
    this.fit = fit;
    this.tree = tree;
    this.#options = options;
  }

  /** Returns whether the structure has changed. */
  async run(): Promise<boolean> {
    // joints are not pinned here
    const start = await this.fit.compute.scope((memory) =>
      tryTree(memory, this.fit, this.tree, Number.POSITIVE_INFINITY, START_ITERATIONS, this.#options),
    );
    this.#astray = start.astray;
    await this.#contract();
    if (!this.#options.isDense) await this.#exchange(-1);
    await this.#contract();
    while (this.#canAdd && (await this.#add())) await this.#exchange(this.fit.boneCount - 1);
    await this.#contract();
    if (!this.#options.isDense) await this.#exchange(-1);
    return this.#isChanged;
  }

  get #canAdd(): boolean {
    const { trajectories, error, boneCount } = this.fit;
    const unseen = trajectories.vertexCount * trajectories.frameCount * (UNSEEN * this.#options.size) ** 2;
    return boneCount < this.#options.maxBones && error > unseen;
  }

  async #contract(): Promise<void> {
    const contract = (rise: number, bones?: readonly number[]) =>
      contractBone(this.fit, this.tree, (1 + rise) * this.fit.error, bones, this.#options);
    while (this.fit.boneCount > 2 && !this.#isContracted) {
      const trial = (await contract(MAX_RISE)) ?? (await contract(MAX_ASTRAY_RISE, this.#astray));
      if (trial) this.#keep(trial);
      else this.#isContracted = true;
    }
  }

  async #exchange(only: number): Promise<void> {
    for (;;) {
      const trial = await exchangeJoints(...([this.fit, this.tree, this.#triedJoints, only, this.#options] as const));
      if (!trial) return;
      this.#keep(trial);
    }
  }

  async #add(): Promise<boolean> {
    const limit = (1 - MIN_FALL) * this.fit.error;
    const trial = await addLimb(...([this.fit, this.tree, limit, this.#triedVertices, this.#options] as const));
    if (trial) this.#keep(trial);
    return trial !== undefined;
  }

  #keep({ boneCount, state, tree, astray }: TreeTrial): void {
    const { compute, trajectories, options } = this.fit;
    if (boneCount !== this.fit.boneCount) {
      this.fit = new SkinFit(compute, trajectories, boneCount, options);
      // bones have other indices
      this.#triedJoints = new Set();
    }
    this.fit.restore(state);
    this.tree = tree;
    this.#astray = astray;
    this.#isChanged = true;
    this.#isContracted = false;
  }
}
