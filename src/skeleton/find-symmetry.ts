// SPDX-License-Identifier: MIT
// Whether a shape is its own mirror image across a plane along one of the axes. The nearest neighbours of mirrored sample points are about as near as those of points
// that are not mirrored; the plane is halfway between the ends of the shape.
import { measureBounds } from '../mesh/bounds.ts';

const SAMPLES = 400;
const OTHERS = 4000;
/** Mirrored points may be off by this part of the size more than others. */
const SLACK = 0.01;

export interface SymmetryPlane {
  axis: 0 | 1 | 2;
  /** Where the plane crosses the axis, file units. */
  at: number;
}

/** The plane of symmetry of a shape at rest, or undefined. Of several, the one that fits best; ties go to x before z before y. */
export function findSymmetry(positions: ArrayLike<number>): SymmetryPlane | undefined {
  const { min, max, diagonal } = measureBounds(positions);
  const count = positions.length / 3;
  if (count < 8 || !(diagonal > 0)) return undefined;
  const step = Math.max(1, Math.floor(count / SAMPLES));
  const otherStep = Math.max(1, Math.floor(count / OTHERS));
  /** Mean distance of sample points to the nearest other, mirrored or not. */
  const measure = (axis: number, at: number): number => {
    let sum = 0;
    let n = 0;
    for (let i = 0; i < count; i += step) {
      const p = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
      if (axis >= 0) p[axis] = 2 * at - p[axis];
      let closest = Number.POSITIVE_INFINITY;
      for (let l = 0; l < count; l += otherStep) {
        if (l === i && axis < 0) continue;
        const [x, y, z] = [positions[3 * l] - p[0], positions[3 * l + 1] - p[1], positions[3 * l + 2] - p[2]];
        closest = Math.min(closest, x * x + y * y + z * z);
      }
      sum += Math.sqrt(closest);
      n++;
    }
    return sum / n;
  };
  const limit = measure(-1, 0) + SLACK * diagonal;
  let best: (SymmetryPlane & { error: number }) | undefined;
  for (const axis of [0, 2, 1] as const) {
    const at = (min[axis] + max[axis]) / 2;
    if (!(max[axis] - min[axis] > SLACK * diagonal)) continue;
    const error = measure(axis, at);
    if (error <= limit && (!best || error < best.error)) best = { axis, at, error };
  }
  return best && { axis: best.axis, at: best.at };
}
