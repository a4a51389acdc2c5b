// SPDX-License-Identifier: MIT
// Course 2014, §2.2.1: bones are linked by the minimum spanning tree (Kruskal 1956) of
//   g(j, l) = Σₖ |(Mⱼₖ − Mₗₖ) õⱼₗ|² / Σᵢ wᵢⱼ wᵢₗ        (Eq. 21; small for likely joints, although the text says large)
// with õ the joint of the pair. The numerator (gap) follows from the products of bones, the denominator (blend) from the moments of the skin.
//
// Differences: the mean error of a vertex is added to the gap. Below it, differences of gaps are not significant, and the blend decides: the two
// hips of an animal rotate about one line, so the gap between its thighs is as small as that between a thigh and the trunk. Pairs that share no
// vertex come after all others, in ascending order of distance, since the tree must span all bones.
import type { SkinFit } from '../../../fit/skin/index.ts';
import type { JointSolver } from '../options.ts';
import { type BoneBlends, measureBlends } from './bone-blends.ts';
import type { JointEdge } from './joint-tree.ts';
import { pairGapInto, solvePairJoint } from './pair-joints.ts';

/** Minimum blend of a pair, relative to the sum of squared weights of the smaller bone. */
const MIN_BLEND = 1e-6;

export interface JointTopology {
  edges: JointEdge[];
  blends: BoneBlends;
}

/** A possible joint of two bones. */
export interface JointLink extends JointEdge {
  /** Eq. 21; the distance of the two bones if they are not blended */
  cost: number;
  isBlended: boolean;
}

/** Links all bones of a fit into a tree. Products and moments of the fit must be those of its present bones and weights. */
export function jointTopology(fit: SkinFit, solver: JointSolver = 'soft'): JointTopology {
  const { links, blends } = listJointLinks(fit, solver);
  return { edges: spanTree(fit.boneCount, links), blends };
}

/** All pairs of bones, the likeliest joints first. Products and moments of the fit must be those of its present bones and weights. */
export function listJointLinks(fit: SkinFit, solver: JointSolver): { links: JointLink[]; blends: BoneBlends } {
  const { boneCount } = fit;
  const pairs = fit.products.pairs.view();
  const blends = measureBlends(fit);
  const floor = fit.error / fit.trajectories.vertexCount;
  const gap = new Float64Array(10);
  const links: JointLink[] = [];
  for (let a = 0; a < boneCount; a++) {
    for (let b = a + 1; b < boneCount; b++) {
      const o = a * boneCount + b;
      const center = blends.centers.subarray(3 * o, 3 * o + 3);
      pairGapInto(pairs, boneCount, a, b, gap);
      const { joint, error } = solvePairJoint(gap, center, solver);
      const blend = blends.sums[o];
      const lesser = Math.min(blends.sums[a * boneCount + a], blends.sums[b * boneCount + b]);
      const isBlended = blend > MIN_BLEND * lesser;
      const cost = isBlended ? (error + floor) / blend : measureDistance(blends.centroids, a, b);
      links.push({ a, b, joint, cost, isBlended });
    }
  }
  links.sort((p, q) => Number(q.isBlended) - Number(p.isBlended) || p.cost - q.cost || p.a - q.a || p.b - q.b);
  return { links, blends };
}

/** Kruskal's algorithm: the links, in ascending order of cost, that join two trees. */
function spanTree<T extends { a: number; b: number }>(boneCount: number, links: readonly T[]): T[] {
  const top = Array.from({ length: boneCount }, (_, j) => j);
  const find = (j: number): number => {
    let at = j;
    while (top[at] !== at) {
      top[at] = top[top[at]];
      at = top[at];
    }
    return at;
  };
  return links.filter(({ a, b }) => {
    const [p, q] = [find(a), find(b)];
    if (p === q) return false;
    top[Math.max(p, q)] = Math.min(p, q);
    return true;
  });
}

function measureDistance(centroids: Float64Array, a: number, b: number): number {
  let sum = 0;
  for (let r = 0; r < 3; r++) sum += (centroids[3 * a + r] - centroids[3 * b + r]) ** 2;
  return sum;
}
