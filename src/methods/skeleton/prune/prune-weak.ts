// SPDX-License-Identifier: MIT
// Removes leaf bones that do nothing visible: their largest effect, max w |(M_bone − M_parent) u| over frames and points, or the range of their joint is too small. In a symmetric skeleton a bone goes only with its image.
// Larger limits remove true joints: on nine rigs, 0.2 % removed 3 of 12 wrong joints and none of 260 true ones, 0.5 % and 1 % removed true ones.

import type { SkinFit } from '../../../fit/skin/index.ts';
import type { JointTree } from '../joints/joint-tree.ts';
import { makeStrictFit, type SolveStrictOptions, type StrictSolution } from '../joints/solve-strict.ts';
import { contractTree } from './contract-bone.ts';
import { dropBones } from './drop-bones.ts';
import { UNSEEN } from './remove-bones.ts';

/** Minimum effect of a leaf, relative to the size, and minimum range of its joint, degrees. */
const MIN_EFFECT = 2e-3;
const MIN_RANGE = 3;
/** All leaves stay if the squared error rises above this multiple, and above what is visible. */
const MAX_RISE = 1.2;
/** Iterations over poses and weights after all removals, and Gauss-Newton steps of poses in each; joints stay. */
const ITERATIONS = 4;
const STEPS = 2;

/**
 * Removes weak leaves, and those that become leaves. Returns the given solution, or a new one in its scope.
 * @param partners boneCount: the image of each bone, in a symmetric skeleton
 */
export async function pruneWeak(
  given: StrictSolution,
  partners: Int32Array | undefined,
  options: SolveStrictOptions,
): Promise<StrictSolution> {
  let { fit, tree } = given;
  let images = partners ?? Int32Array.from({ length: fit.boneCount }, (_, j) => j);
  for (let weak = listWeak(fit, tree, images, options.size); weak.length > 0 && fit.boneCount - weak.length > 1; ) {
    const kept = Array.from(images.keys()).filter((j) => !weak.includes(j));
    // the last one first, so that indices stay valid
    for (const bone of weak.sort((a, b) => b - a)) tree = contractTree(tree, bone, tree.parents[bone]);
    fit = dropBones(fit, (j) => weak.includes(j));
    await fit.solveWeights('warm');
    const places = new Map(kept.map((j, n) => [j, n]));
    images = Int32Array.from(kept, (j) => places.get(images[j]) ?? -1);
    weak = listWeak(fit, tree, images, options.size);
  }
  if (fit === given.fit) return given;
  await fit.compute.scope(async (memory) => {
    const strict = makeStrictFit(memory, fit, tree, options);
    for (let n = 0; n < ITERATIONS; n++) {
      await strict.measure();
      await strict.pose(STEPS);
      await fit.solveWeights('warm');
    }
  });
  // a leaf with a small range may be long
  const unseen = fit.trajectories.vertexCount * fit.trajectories.frameCount * (UNSEEN * options.size) ** 2;
  return fit.error <= Math.max(unseen, MAX_RISE * given.fit.error) ? { ...given, fit, tree } : given;
}

function listWeak(fit: SkinFit, tree: JointTree, images: Int32Array, size: number): number[] {
  const isParent = new Uint8Array(tree.boneCount);
  for (const p of tree.parents) if (p >= 0) isParent[p] = 1;
  const isWeak = Uint8Array.from(tree.parents, (p, j) =>
    Number(
      p >= 0 && !isParent[j] && (measureRange(fit, j, p) < MIN_RANGE || measureEffect(fit, j, p) < MIN_EFFECT * size),
    ),
  );
  return Array.from(isWeak.keys()).filter((j) => isWeak[j] === 1 && isWeak[images[j]] === 1);
}

/** Largest displacement of a point by a bone against its parent. */
function measureEffect({ weights, trajectories, bones, boneCount }: SkinFit, bone: number, parent: number): number {
  const [ids, values, influences] = [weights.bones.view(), weights.weights.view(), weights.influences];
  const [rest, rows] = [trajectories.rest.view(), bones.view()];
  let largest = 0;
  for (let e = 0; e < values.length; e++) {
    if (ids[e] !== bone || !(values[e] > 0)) continue;
    const o = 3 * Math.floor(e / influences);
    for (let k = 0; k < trajectories.frameCount; k++) {
      let square = 0;
      for (let row = 3 * k; row < 3 * k + 3; row++) {
        const [a, b] = [4 * (row * boneCount + bone), 4 * (row * boneCount + parent)];
        let x = rows[a + 3] - rows[b + 3];
        for (let c = 0; c < 3; c++) x += (rows[a + c] - rows[b + c]) * rest[o + c];
        square += x * x;
      }
      largest = Math.max(largest, values[e] ** 2 * square);
    }
  }
  return Math.sqrt(largest);
}

/** Range of the rotation of a bone against its parent, degrees: the largest angle from the frame that is farthest from the first one. */
function measureRange({ trajectories, bones, boneCount }: SkinFit, bone: number, parent: number): number {
  const rows = bones.view();
  const { frameCount } = trajectories;
  const local = new Float64Array(9 * frameCount);
  for (let k = 0; k < frameCount; k++) {
    for (let r = 0; r < 3; r++) {
      const [a, b] = [4 * ((3 * k + r) * boneCount + bone), 4 * ((3 * k + r) * boneCount + parent)];
      for (let p = 0; p < 3; p++) for (let c = 0; c < 3; c++) local[9 * k + 3 * p + c] += rows[b + p] * rows[a + c];
    }
  }
  // tr(AᵀB) = 1 + 2 cos of the angle between two rotations
  const farthest = (k: number): { at: number; trace: number } => {
    let found = { at: k, trace: 3 };
    for (let l = 0; l < frameCount; l++) {
      let trace = 0;
      for (let e = 0; e < 9; e++) trace += local[9 * k + e] * local[9 * l + e];
      if (trace < found.trace) found = { at: l, trace };
    }
    return found;
  };
  const { trace } = farthest(farthest(0).at);
  return (Math.acos(Math.max(-1, Math.min(1, (trace - 1) / 2))) * 180) / Math.PI;
}
