// SPDX-License-Identifier: MIT
// Whether a shape is symmetric about a plane perpendicular to one of the axes. If it is, the distances from mirrored sample points to their nearest neighbours are similar to those of
// points that are not mirrored. The plane is halfway between the ends of the shape.
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';

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
  const others = new SortedPoints(positions, Math.max(1, Math.floor(count / OTHERS)), widestOf(min, max));
  /** Mean distance of sample points, mirrored or not, to the nearest other point. */
  const measure = (axis: number, at: number): number => {
    let sum = 0;
    let n = 0;
    const p = new Float64Array(3);
    for (let i = 0; i < count; i += step) {
      for (let r = 0; r < 3; r++) p[r] = r === axis ? 2 * at - positions[3 * i + r] : positions[3 * i + r];
      sum += Math.sqrt(others.measureNearest(p, axis < 0 ? i : -1));
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

function widestOf(min: ArrayLike<number>, max: ArrayLike<number>): number {
  let axis = 0;
  for (let r = 1; r < 3; r++) if (max[r] - min[r] > max[axis] - min[axis]) axis = r;
  return axis;
}

/** Points in the order of one coordinate: a search for the nearest one ends where this coordinate alone is farther away. */
class SortedPoints {
  readonly #axis: number;
  /** pointCount */
  readonly #numbers: Uint32Array;
  /** pointCount x 3 */
  readonly #points: Float64Array;

  /** @param step distance between the indices of the points that are used; 1: all points */
  constructor(positions: ArrayLike<number>, step: number, axis: number) {
    this.#axis = axis;
    this.#numbers = new Uint32Array(Math.ceil(positions.length / (3 * step)));
    for (let n = 0; n < this.#numbers.length; n++) this.#numbers[n] = n * step;
    this.#numbers.sort((a, b) => positions[3 * a + axis] - positions[3 * b + axis] || a - b);
    this.#points = new Float64Array(3 * this.#numbers.length);
    for (let n = 0; n < this.#numbers.length; n++)
      for (let r = 0; r < 3; r++) this.#points[3 * n + r] = positions[3 * this.#numbers[n] + r];
  }

  /** The squared distance from a point to the nearest of the points, without the one with the given number. */
  measureNearest(p: Float64Array, without: number): number {
    const points = this.#points;
    const numbers = this.#numbers;
    const axis = this.#axis;
    let low = 0;
    let high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[3 * middle + axis] < p[axis]) low = middle + 1;
      else high = middle;
    }
    let closest = Number.POSITIVE_INFINITY;
    const [px, py, pz] = p;
    for (const way of [-1, 1]) {
      for (let n = way < 0 ? low - 1 : low; n >= 0 && n < numbers.length; n += way) {
        const along = points[3 * n + axis] - p[axis];
        if (along * along >= closest) break;
        if (numbers[n] === without) continue;
        const x = points[3 * n] - px;
        const y = points[3 * n + 1] - py;
        const z = points[3 * n + 2] - pz;
        const square = x * x + y * y + z * z;
        if (square < closest) closest = square;
      }
    }
    return closest;
  }
}
