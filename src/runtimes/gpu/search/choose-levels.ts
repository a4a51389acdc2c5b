// SPDX-License-Identifier: MIT
import { InputError } from '../../../core/model/errors.ts';

/** The instances of a crowd and the camera that sees them. */
export interface SeenInstances {
  /** count x 3: the center of each instance in the world */
  centers: ArrayLike<number>;
  /** The radius of a sphere around an instance; one number, or one per instance. */
  radius: number | ArrayLike<number>;
  /** 16 numbers, column-major: from the world to the camera, which looks along -z */
  view: ArrayLike<number>;
  /** 16 numbers, column-major: the projection, perspective or orthographic */
  projection: ArrayLike<number>;
}

/** Which instances are drawn with which level. */
export interface ChosenLevels {
  /** Per level: its instances, the largest on the screen first where a level was full, else ascending. */
  lists: Uint32Array[];
  /** count: the part of the screen's height that each instance covers */
  coverage: Float32Array;
}

/**
 * Chooses a level of detail for every instance by its size on the screen. An instance that covers at least thresholds[n] of the height is drawn
 * with level n, and smaller ones with the last. If more instances want a level than it can hold, the largest get it and the others the next one.
 * @param thresholds levelCount: least coverage of each level, falling; that of the last level is not used
 * @param capacities levelCount: maximum instances of each level; the last must hold the rest. Default: no limit
 * @example
 * ```ts
 * import { chooseLevels } from 'ossify/gpu';
 *
 * const centers = [0, 0, -5, 0, 0, -50]; // two animals in front of a camera at the origin
 * const view = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
 * const projection = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.1, 0];
 * const { lists } = chooseLevels({ centers, radius: 1, view, projection }, [0.1, 0.05, 0], [100, 1000, 10_000]);
 * console.log(`${lists[0].length} near, ${lists[2].length} far`);
 * ```
 */
export function chooseLevels(
  { centers, radius, view, projection }: SeenInstances,
  thresholds: ArrayLike<number>,
  capacities?: ArrayLike<number>,
): ChosenLevels {
  const levelCount = thresholds.length;
  const count = centers.length / 3;
  const coverage = new Float32Array(count);
  const lists: number[][] = Array.from({ length: levelCount }, () => []);
  // the last row of a perspective projection is 0 0 -1 0
  const isPerspective = projection[15] === 0;
  for (let k = 0; k < count; k++) {
    const [x, y, z] = [centers[3 * k], centers[3 * k + 1], centers[3 * k + 2]];
    const depth = -(view[2] * x + view[6] * y + view[10] * z + view[14]);
    const size = typeof radius === 'number' ? radius : radius[k];
    // an instance around or behind the camera counts as near: its parts may be seen
    coverage[k] = isPerspective ? (projection[5] * size) / Math.max(depth, size) : projection[5] * size;
    let level = 0;
    while (level < levelCount - 1 && coverage[k] < thresholds[level]) level++;
    lists[level].push(k);
  }
  for (let level = 0; capacities && level < levelCount; level++) {
    const own = lists[level];
    if (own.length <= capacities[level]) continue;
    if (level === levelCount - 1)
      throw new InputError('levels', `the last level holds ${capacities[level]} of ${own.length} instances`);
    own.sort((a, b) => coverage[b] - coverage[a] || a - b);
    lists[level + 1].push(...own.splice(capacities[level]));
  }
  return { lists: lists.map((list) => Uint32Array.from(list)), coverage };
}
