// SPDX-License-Identifier: MIT
// Whether a shape is symmetric about a plane perpendicular to one of the axes. If it is, the distances from mirrored sample points to their nearest neighbours are similar to those of
// points that are not mirrored. The plane is halfway between the ends of the shape.
import { measureBounds } from '../mesh/bounds.ts';

const SAMPLES = 400;
const OTHERS = 4000;
/** Maximum additional distance of mirrored points, relative to the size. Chosen by hand. */
const SLACK = 0.01;

export interface SymmetryPlane {
  axis: 0 | 1 | 2;
  /** Coordinate of the plane along the axis, file units. */
  at: number;
}

/** The plane of symmetry of a shape at rest, or undefined. Of several, the one with the smallest distance; ties go to x before z before y. */
export function findSymmetry(positions: ArrayLike<number>): SymmetryPlane | undefined {
  const { min, max, diagonal } = measureBounds(positions);
  const count = positions.length / 3;
  if (count < 8 || !(diagonal > 0)) return undefined;
  const step = Math.max(1, Math.floor(count / SAMPLES));
  const otherStep = Math.max(1, Math.floor(count / OTHERS));
  /** Mean distance of sample points, mirrored or not, to the nearest other point. */
  const measure = (axis: number, at: number): number => {
    let sum = 0;
    let n = 0;
    for (let i = 0; i < count; i += step) {
      const p = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
      if (axis >= 0) p[axis] = 2 * at - p[axis];
      const [px, py, pz] = p;
      let closest = Number.POSITIVE_INFINITY;
      for (let l = 0; l < count; l += otherStep) {
        if (l === i && axis < 0) continue;
        const x = positions[3 * l] - px;
        const y = positions[3 * l + 1] - py;
        const z = positions[3 * l + 2] - pz;
        const square = x * x + y * y + z * z;
        if (square < closest) closest = square;
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
