// SPDX-License-Identifier: MIT
// Removes a redundant bone of a solved skeleton: the bone is dropped, its joint with a neighbour vanishes, and its other joints become joints of that neighbour. A decomposition with free bones keeps two bones
// where one with connected joints is enough (two halves of an upper leg), and a bone may lose its weights once joints are exact.
import { listByCost, type SkinFit } from '../../../fit/skin/index.ts';
import { measureBlends } from '../joints/bone-blends.ts';
import { type JointTree, listJointEdges, makeJointTree } from '../joints/joint-tree.ts';
import type { SolveStrictOptions } from '../joints/solve-strict.ts';
import { dropBones } from './drop-bones.ts';
import { type TreeTrial, tryTree } from './tree-trial.ts';

/** Number of bones with the lowest removal cost that are tried, neighbours of each, and iterations of a trial. */
const TRIALS = 3;
const NEIGHBOURS = 2;
const ITERATIONS = 5;

/**
 * The skeleton without one of its bones, or undefined if every removal raises the squared error above the limit.
 * @param bones the bones to try; undefined: those with the lowest removal cost
 */
export async function contractBone(
  fit: SkinFit,
  tree: JointTree,
  limit: number,
  bones: readonly number[] | undefined,
  options: SolveStrictOptions,
): Promise<TreeTrial | undefined> {
  const order = bones ?? (await listByCost(fit)).slice(0, TRIALS);
  await fit.measureMoments();
  const { sums } = measureBlends(fit);
  for (const bone of order) {
    const near = listJointEdges(tree)
      .filter(({ a, b }) => a === bone || b === bone)
      .map(({ a, b }) => (a === bone ? b : a));
    const sumOf = (j: number): number => sums[bone * fit.boneCount + j];
    near.sort((a, b) => sumOf(b) - sumOf(a) || a - b);
    for (const into of near.slice(0, NEIGHBOURS)) {
      if (options.monitor.isStopped) return undefined;
      const trial = await fit.compute.scope((memory) => {
        const fewer = dropBones(fit, (j) => j === bone, memory);
        return tryTree(memory, fewer, contractTree(tree, bone, into), limit, ITERATIONS, options);
      });
      if (trial.error < limit) return trial;
    }
  }
  return undefined;
}

/** The tree without a bone, whose joints become those of a neighbour. */
export function contractTree(tree: JointTree, bone: number, into: number): JointTree {
  const place = (j: number): number => {
    const at = j === bone ? into : j;
    return at > bone ? at - 1 : at;
  };
  const edges = listJointEdges(tree)
    .map((edge) => ({ ...edge, a: place(edge.a), b: place(edge.b) }))
    .filter(({ a, b }) => a !== b);
  return makeJointTree(tree.boneCount - 1, edges, place(tree.order[0]));
}
