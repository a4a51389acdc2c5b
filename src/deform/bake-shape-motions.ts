// SPDX-License-Identifier: MIT
import type { Motion } from '../model/motion.ts';
import type { ShapeDrivenSkin, ShapeTrack } from '../model/shape-drivers.ts';
import { makeShapeDriver } from './make-shape-driver.ts';

/**
 * Bakes the bones of a driven face for weights over time, for players that do not evaluate drivers.
 * @param tracks weights in the order of drivers.shapes
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
): Motion[] {
  const driver = makeShapeDriver(drivers, skeleton);
  const stride = 16 * driver.boneCount;
  return tracks.map(({ name, times, weights }) => {
    const matrices = new Float64Array(times.length * stride);
    for (let k = 0; k < times.length; k++) {
      const own = weights.subarray(k * driver.shapeCount, (k + 1) * driver.shapeCount);
      driver.driveInto(own, matrices.subarray(k * stride, (k + 1) * stride));
    }
    return { name, times, matrices };
  });
}
