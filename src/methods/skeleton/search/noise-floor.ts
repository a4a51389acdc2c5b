// SPDX-License-Identifier: MIT
// What the noise of a clip adds to squared errors. A fit follows its data, noise included, with every number that it solves: each of them lowers the squared error of pure noise by the variance of the noise. So a bone
// explains motion only if it lowers the error by more than its own numbers would; a relative change of the error, which noise dominates, does not show that.
import type { SkinFit } from '../../../fit/skin/index.ts';

/** Numbers of a bone per frame: free, and connected by a joint. */
export const FREE_BONE = 6;
export const JOINED_BONE = 3;
/** The same for the weights of a bone, per vertex that mainly follows it. Up to four times as many vertices have a weight of it, and each of them has chosen it among all bones, by noise too. Chosen on generated creatures and horse-gallop with 16 frames. */
const WEIGHTS = 6;
/** A rest shape from few frames is noisy too, which adds up to this ratio of the noise; only what is above counts as an error of the bones. */
const NOISY_REST = 0.2;

/**
 * The change of the squared error by one bone more or less that noise alone explains, and the squared error above the noise.
 * @param variance of the noise per coordinate, solver units
 */
export function measureNoise(
  fit: SkinFit,
  variance: number,
  perFrame: typeof FREE_BONE | typeof JOINED_BONE,
): { bone: number; excess: number } {
  const { vertexCount, frameCount } = fit.trajectories;
  const all = 3 * vertexCount * frameCount * variance;
  return {
    bone: variance * (perFrame * frameCount + (WEIGHTS * vertexCount) / fit.boneCount),
    excess: Math.max(0, fit.error - (1 + NOISY_REST) * all),
  };
}
