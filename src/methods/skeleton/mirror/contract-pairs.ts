// SPDX-License-Identifier: MIT
// Removes redundant bones of a symmetric skeleton in pairs: a bone and its image are contracted into a neighbour and its image together, so that the skeleton stays symmetric.

import type { SkinFit } from '../../../fit/skin/index.ts';
import { measureBlends } from '../joints/bone-blends.ts';
import { type JointTree, listJointEdges } from '../joints/joint-tree.ts';
import { invisibleError } from '../joints/release-joints.ts';
import type { SolveStrictOptions } from '../joints/solve-strict.ts';
import { contractTree } from '../prune/contract-bone.ts';
import { dropBones } from '../prune/drop-bones.ts';
import { type TreeTrial, tryTree } from '../prune/tree-trial.ts';

/** Candidates with the smallest weights that are tried, neighbours of each, and iterations of a trial. */
const TRIALS = 6;
const NEIGHBOURS = 2;
const ITERATIONS = 5;
/** Rise of the squared error per bone; that of a bone which had no partner, and of its new image, may be larger. Chosen on Fox, fox, bird, CesiumMan and Michelle. */
const RISE = 0.05;
const LONE_RISE = 0.15;

/** A symmetric skeleton. */
export interface MirroredTree {
  fit: SkinFit;
  tree: JointTree;
  /** boneCount: the image of each bone */
  partners: Int32Array;
  /** boneCount: 1 for a bone that had no partner, and for its image */
  isLone: Uint8Array;
}

/** The best skeleton without a bone and its image, and the indices of bones in it; undefined if every removal costs too much. */
export async function contractPairs(
  given: MirroredTree,
  options: SolveStrictOptions,
): Promise<{ trial: TreeTrial; kept: number[] } | undefined> {
  const { fit, tree, partners, isLone } = given;
  await fit.measureMoments();
  const { sums } = measureBlends(fit);
  const { boneCount } = fit;
  const order = Array.from(partners.keys())
    .filter((a) => partners[a] >= a)
    .sort((a, b) => sums[a * boneCount + a] - sums[b * boneCount + b]);
  const edges = listJointEdges(tree);
  const spare = tree.released ? invisibleError(fit, options.size) : 0;
  let best: { trial: TreeTrial; kept: number[] } | undefined;
  for (const bone of order.slice(0, TRIALS)) {
    const image = partners[bone];
    const near = edges
      .filter(({ a, b }) => a === bone || b === bone)
      .map(({ a, b }) => (a === bone ? b : a))
      // a bone in the middle needs a neighbour in the middle, and a pair is not merged to one bone
      .filter((into) => into !== image && (image !== bone || partners[into] === into))
      .sort((a, b) => sums[bone * boneCount + b] - sums[bone * boneCount + a] || a - b);
    const removed = image === bone ? [bone] : [bone, image];
    const limit = Math.max(spare, fit.error * (1 + (isLone[bone] ? LONE_RISE : RISE)) ** removed.length);
    for (const into of near.slice(0, NEIGHBOURS)) {
      if (options.monitor.isStopped) return best;
      const next = contractBoth(tree, bone, into, image, partners[into]);
      const trial = await fit.compute.scope((memory) =>
        tryTree(
          memory,
          dropBones(fit, (j) => removed.includes(j), memory),
          next,
          best?.trial.error ?? limit,
          ITERATIONS,
          options,
        ),
      );
      if (trial.error < (best?.trial.error ?? limit))
        best = { trial, kept: Array.from(partners.keys()).filter((j) => !removed.includes(j)) };
    }
  }
  return best;
}

/** The tree without a bone and its image. */
function contractBoth(tree: JointTree, bone: number, into: number, image: number, imageInto: number): JointTree {
  const first = contractTree(tree, bone, into);
  if (image === bone) return first;
  const place = (j: number): number => (j > bone ? j - 1 : j);
  return contractTree(first, place(image), place(imageInto === bone ? into : imageInto));
}
