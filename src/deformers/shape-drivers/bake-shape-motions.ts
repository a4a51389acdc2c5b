// SPDX-License-Identifier: MIT
import { type Motion, poseOf } from '../../core/model/clip/motion.ts';
import type { ShapeDrivenSkin, ShapeTrack } from '../../core/model/deformed/shape-drivers.ts';
import { makeShapeDriver } from './make-shape-driver.ts';

/**
 * Bakes the bones of a driven face for weights over time, for players that do not evaluate drivers.
 * @param tracks weights in the order of drivers.shapes
 * @param joints by track: motions of the joints that driven bones follow, at the same times, with matrices of the first bones of the skeleton
 * @example
 * ```ts
 * import { bakeShapeMotions } from 'ossify/deform';
 *
 * const [motion] = bakeShapeMotions(face, [{ name: 'talk', times: Float64Array.of(0), weights: shapeWeights }]);
 * ```
 */
export function bakeShapeMotions(
  { drivers, skeleton }: Pick<ShapeDrivenSkin, 'drivers' | 'skeleton'>,
  tracks: readonly ShapeTrack[],
  joints: readonly Motion[] = [],
): Motion[] {
  const driver = makeShapeDriver(drivers, skeleton);
  const stride = 16 * driver.boneCount;
  return tracks.map(({ name, times, weights }, n) => {
    const matrices = new Float64Array(times.length * stride);
    for (let k = 0; k < times.length; k++) {
      const own = weights.subarray(k * driver.shapeCount, (k + 1) * driver.shapeCount);
      const pose = matrices.subarray(k * stride, (k + 1) * stride);
      if (joints[n]) pose.set(poseOf(joints[n], k));
      driver.poseInto(own, pose);
    }
    return { name, times, matrices };
  });
}
