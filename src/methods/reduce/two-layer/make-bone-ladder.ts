// SPDX-License-Identifier: MIT
// Every smaller number of bones of a skin: bones are removed one by one, each time the one whose loss raises the error least; the points of a removed bone are
// solved again with the bones that are left. Costs only rise while bones leave, so that a bone whose cost was measured and is still the smallest need not be
// compared with the others (lazy greedy search).
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import { maxInfluencesOf, type Skin } from '../../../core/model/skin/skin.ts';
import type { ErrorQuadratics } from '../objective/error-quadratics.ts';
import { makePoseQuadratics } from '../objective/make-pose-quadratics.ts';
import { makeQuadraticSearch } from '../objective/make-quadratic-search.ts';
import { measureQuadratics } from '../per-vertex/optimal-weights.ts';
import { makeRows, makeWeightProblem, skinOfRows, type WeightProblem } from '../weight-problem.ts';

/** Poses in which the error is measured. */
export interface LadderPoses {
  /** frameCount x boneCount x 16: rest to posed, file units */
  matrices: Float64Array;
  /** frameCount x vertexCount x 3: the shapes to reach, file units. Default: those of the skin. */
  targets?: Float32Array;
}

/** Options of makeBoneLadder. */
export interface BoneLadderOptions {
  /** Maximum bones per vertex. Default: those of the skin. */
  influences?: number;
  /** Called after each removal with the fraction done. */
  onProgress?(fraction: number): void;
  /** Stops the removals, which then throws the signal's reason. */
  signal?: AbortSignal;
}

/** The skins with fewer bones. */
export interface BoneLadder {
  /** Number of bones with weights. */
  readonly boneCount: number;
  /** boneCount: root mean square error with 1, 2 … bones, file units */
  readonly errors: Float64Array;
  /** Bones in the order of their removal. */
  readonly removed: Uint32Array;
  /** The skin with this many bones, from 1 to boneCount. */
  skinOf(count: number): Skin;
}

/** Points that a removal changed, with their new bones and weights. */
interface Removal {
  points: Uint32Array;
  /** points x width */
  columns: Uint32Array;
  values: Float64Array;
}

/**
 * Computes the skins with every number of bones from one to that of a skin. The motions of the bones stay.
 * @param boneCount number of bones of the file, used or not
 * @example
 * ```ts
 * import { makeBoneLadder } from 'ossify';
 * import { sampleAnimation } from 'ossify/deform';
 *
 * const { skeleton, skin } = asset.rig!;
 * const { motion } = sampleAnimation(asset, asset.animations[0], clip.times);
 * const ladder = await makeBoneLadder(asset.mesh, skin, skeleton.names.length, { matrices: motion.matrices });
 * console.log(`with five bones: ${ladder.errors[4]}`);
 * ```
 */
export async function makeBoneLadder(
  mesh: Mesh,
  skin: Skin,
  boneCount: number,
  poses: LadderPoses,
  options: BoneLadderOptions = {},
): Promise<BoneLadder> {
  const problem = makeWeightProblem(mesh, skin, boneCount);
  const compute = await makeCompute({ threads: 0 });
  try {
    const { matrices, targets } = poses;
    const quadratics = await makePoseQuadratics(compute, problem, matrices, boneCount, { targets });
    return await removeAll(problem, quadratics, options.influences ?? maxInfluencesOf(skin), options);
  } finally {
    compute.dispose();
  }
}

async function removeAll(
  problem: WeightProblem,
  quadratics: ErrorQuadratics,
  influences: number,
  { onProgress, signal }: BoneLadderOptions,
): Promise<BoneLadder> {
  const rows = new PointRows(problem, quadratics, influences);
  const { boneCount } = problem;
  const order: number[] = [];
  const removals: Removal[] = [];
  const errors = new Float64Array(boneCount);
  const toLength = problem.size * Math.sqrt(3 / (problem.pointCount * quadratics.poseNumbers));
  errors[boneCount - 1] = toLength * Math.sqrt(rows.error);
  const queue = Array.from({ length: boneCount }, (_, bone) => ({ bone, cost: rows.costOf(bone) }));
  while (queue.length > 1) {
    // lets timers and signals run between removals
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    queue.sort((a, b) => a.cost - b.cost || a.bone - b.bone);
    const [first, second] = queue;
    first.cost = rows.costOf(first.bone);
    if (first.cost > second.cost) continue;
    queue.shift();
    removals.push(rows.remove(first.bone));
    order.push(problem.boneOf[first.bone]);
    errors[queue.length - 1] = toLength * Math.sqrt(Math.max(0, rows.error));
    onProgress?.(1 - (queue.length - 1) / Math.max(1, boneCount - 1));
  }
  return {
    boneCount,
    errors,
    removed: Uint32Array.from(order),
    skinOf: (count) => skinOfRows(problem, rows.at(removals, boneCount - count)),
  };
}

/** Bones and weights of points, a fixed number each, while bones are removed. */
class PointRows {
  /** Sum of the squared errors of all points. */
  error: number;
  readonly #search: ReturnType<typeof makeQuadraticSearch>;
  readonly #width: number;
  readonly #start: { columns: Uint32Array; values: Float64Array };
  readonly #columns: Uint32Array;
  readonly #values: Float64Array;
  readonly #errors: Float64Array;
  readonly #pointsOf: Set<number>[];
  readonly #isRemoved: Uint8Array;

  constructor({ pointCount, boneCount, rows }: WeightProblem, quadratics: ErrorQuadratics, influences: number) {
    this.#search = makeQuadraticSearch(quadratics, influences);
    const width = this.#search.search.maxMembers;
    this.#width = width;
    this.#columns = new Uint32Array(pointCount * width);
    this.#values = new Float64Array(pointCount * width);
    this.#pointsOf = Array.from({ length: boneCount }, () => new Set<number>());
    for (let i = 0; i < pointCount; i++) {
      for (let e = rows.rowStart[i]; e < Math.min(rows.rowStart[i + 1], rows.rowStart[i] + width); e++) {
        this.#columns[i * width + e - rows.rowStart[i]] = rows.columns[e];
        this.#values[i * width + e - rows.rowStart[i]] = rows.values[e];
        this.#pointsOf[rows.columns[e]].add(i);
      }
    }
    this.#start = { columns: this.#columns.slice(), values: this.#values.slice() };
    this.#errors = Float64Array.from(measureQuadratics(quadratics, rows));
    this.error = this.#errors.reduce((sum, error) => sum + error, 0);
    this.#isRemoved = new Uint8Array(boneCount);
  }

  /** The rise of the error if a bone is removed. */
  costOf(bone: number): number {
    let cost = 0;
    this.#isRemoved[bone] = 1;
    for (const i of this.#pointsOf[bone]) cost += this.#solve(i, bone) - this.#errors[i];
    this.#isRemoved[bone] = 0;
    return cost;
  }

  remove(bone: number): Removal {
    this.#isRemoved[bone] = 1;
    const points = Uint32Array.from(this.#pointsOf[bone]);
    const width = this.#width;
    const columns = new Uint32Array(points.length * width);
    const values = new Float64Array(points.length * width);
    points.forEach((i, n) => {
      const error = this.#solve(i, bone);
      const { search } = this.#search;
      this.error += error - this.#errors[i];
      this.#errors[i] = error;
      for (let a = 0; a < width; a++)
        if (this.#values[i * width + a] > 0) this.#pointsOf[this.#columns[i * width + a]].delete(i);
      for (let a = 0; a < search.size; a++) {
        columns[n * width + a] = search.members[a];
        values[n * width + a] = search.weights[a];
        if (search.weights[a] > 0) this.#pointsOf[search.members[a]].add(i);
      }
      this.#columns.set(columns.subarray(n * width, (n + 1) * width), i * width);
      this.#values.set(values.subarray(n * width, (n + 1) * width), i * width);
    });
    this.#pointsOf[bone].clear();
    return { points, columns, values };
  }

  /** The rows after some removals. */
  at(removals: readonly Removal[], count: number) {
    const width = this.#width;
    const columns = this.#start.columns.slice();
    const values = this.#start.values.slice();
    for (const removal of removals.slice(0, count)) {
      removal.points.forEach((i, n) => {
        columns.set(removal.columns.subarray(n * width, (n + 1) * width), i * width);
        values.set(removal.values.subarray(n * width, (n + 1) * width), i * width);
      });
    }
    return makeRows(columns, values, width);
  }

  /** Solves a point without a bone, with another one if that lowers the error; returns its error. */
  #solve(i: number, bone: number): number {
    const { search, enter } = this.#search;
    enter(i);
    for (let e = i * this.#width; e < (i + 1) * this.#width; e++)
      if (this.#values[e] > 0 && this.#columns[e] !== bone) search.join(this.#columns[e], this.#values[e]);
    if (search.size > 0) search.solve();
    search.grow(this.#isRemoved);
    return search.error;
  }
}
