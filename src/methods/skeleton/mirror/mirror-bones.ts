// SPDX-License-Identifier: MIT
// A fit whose weights are their own mirror image: the weights of a pair are averaged with the images of each other's, and a bone without a partner gets one with its reflected weights.

import { assignLabels, SkinFit } from '../../../fit/skin/index.ts';
import type { BonePairs } from './pair-bones.ts';

/** Sweeps over bones at these weights, and iterations over weights and bones after that. */
const SWEEPS = 6;
const ITERATIONS = 6;

/** A fit, and the image of each of its bones. */
export interface MirroredFit {
  fit: SkinFit;
  /** boneCount: itself for a bone in the middle */
  partners: Int32Array;
  /** boneCount: 1 for a bone that had no partner, and for its new image */
  isLone: Uint8Array;
}

/** The bones of a fit and the missing partners, with symmetric weights, solved as free bones. In the scope of the given fit. */
export async function mirrorBones(given: SkinFit, { partners, images }: BonePairs): Promise<MirroredFit> {
  const { compute, trajectories, boneCount, options } = given;
  const lone = Array.from(partners.keys()).filter((a) => partners[a] < 0);
  const all = Int32Array.from([...partners, ...lone]);
  lone.forEach((a, n) => {
    all[a] = boneCount + n;
  });
  const isLone = Uint8Array.from(all, (b, a) => Number(a >= boneCount || b >= boneCount));
  const fit = new SkinFit(compute, trajectories, all.length, options);
  const weights = averageWeights(given, all, images, fit.weights.influences);
  // bones without points keep the motion of the bone that they are the image of
  const [from, to] = [given.bones.view(), fit.bones.view()];
  for (let row = 0; row < 3 * trajectories.frameCount; row++) {
    for (let j = 0; j < all.length; j++) {
      const o = 4 * (row * boneCount + (j < boneCount ? j : all[j]));
      to.set(from.subarray(o, o + 4), 4 * (row * all.length + j));
    }
  }
  assignLabels(fit.weights, weights.labels);
  await fit.solveBones(1);
  fit.weights.bones.view().set(weights.ids);
  fit.weights.weights.view().set(weights.values);
  await fit.solveBones(SWEEPS);
  await fit.solveWeights('cold');
  await fit.alternate(ITERATIONS);
  return { fit, partners: all, isLone };
}

/** The largest of the averaged weights of every point, scaled to sum to one, and its main bone. */
function averageWeights({ weights, boneCount }: SkinFit, partners: Int32Array, images: Uint32Array, width: number) {
  const [given, shares, influences] = [weights.bones.view(), weights.weights.view(), weights.influences];
  const ids = new Uint32Array(images.length * width);
  const values = new Float64Array(images.length * width);
  const labels = new Uint32Array(images.length);
  const sums = new Float64Array(partners.length);
  for (let i = 0; i < images.length; i++) {
    sums.fill(0);
    for (let e = i * influences; e < (i + 1) * influences; e++) {
      const partner = partners[given[e]];
      sums[given[e]] += shares[e] * (partner < boneCount ? 0.5 : 1);
    }
    for (let e = images[i] * influences; e < (images[i] + 1) * influences; e++) {
      const partner = partners[given[e]];
      sums[partner] += shares[e] * (partner < boneCount ? 0.5 : 1);
    }
    const order = Array.from(sums.keys())
      .filter((j) => sums[j] > 0)
      .sort((a, b) => sums[b] - sums[a] || a - b)
      .slice(0, width);
    const total = order.reduce((sum, j) => sum + sums[j], 0);
    labels[i] = order[0];
    order.forEach((j, n) => {
      ids[i * width + n] = j;
      values[i * width + n] = sums[j] / total;
    });
  }
  return { ids, values, labels };
}
