// SPDX-License-Identifier: MIT

/** An axis-aligned box. */
export interface Bounds {
  min: [number, number, number];
  max: [number, number, number];
  /** Length from min to max: the size that percentages refer to. */
  diagonal: number;
}

/**
 * Extent of points along an axis.
 * @example
 * ```ts
 * import { defaultRanges, measureHeight } from 'ossify';
 *
 * const ranges = defaultRanges(skeleton, measureHeight(mesh.positions, 'y'));
 * ```
 */
export function measureHeight(positions: ArrayLike<number>, up: 'x' | 'y' | 'z'): number {
  const axis = { x: 0, y: 1, z: 2 }[up];
  const { min, max } = measureBounds(positions);
  return max[axis] - min[axis];
}

/**
 * The smallest axis-aligned box around points. Without points: a box of size zero at the origin.
 * @param positions pointCount x 3, finite
 * @example
 * ```ts
 * import { decompose, measureBounds } from 'ossify';
 *
 * const { diagonal } = measureBounds(clip.mesh.positions);
 * const { model } = await decompose(clip, { maxError: 0.005 * diagonal });
 * ```
 */
export function measureBounds(positions: ArrayLike<number>): Bounds {
  if (positions.length < 3) return { min: [0, 0, 0], max: [0, 0, 0], diagonal: 0 };
  let x0 = positions[0];
  let y0 = positions[1];
  let z0 = positions[2];
  let x1 = x0;
  let y1 = y0;
  let z1 = z0;
  for (let c = 3; c + 2 < positions.length; c += 3) {
    const x = positions[c];
    const y = positions[c + 1];
    const z = positions[c + 2];
    if (x < x0) x0 = x;
    else if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    else if (y > y1) y1 = y;
    if (z < z0) z0 = z;
    else if (z > z1) z1 = z;
  }
  const dx = x1 - x0;
  const dy = y1 - y0;
  const dz = z1 - z0;
  return { min: [x0, y0, z0], max: [x1, y1, z1], diagonal: Math.sqrt(dx * dx + dy * dy + dz * dz) };
}
