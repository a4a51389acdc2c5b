// SPDX-License-Identifier: MIT
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';

/** Axes of a cache are changed only if its first frame is off the rest pose by more than this ratio of the size … */
const OFF = 0.05;

/** … and other axes bring that below this ratio of it. Poses that start bent stay within it; poses that start turned do not exist often. */
const FIT = 0.2;

const NAMES = ['x', 'y', 'z'];

/** Axes of a point cache as seen from its mesh. */
export interface CacheAxes {
  /** For x, y and z of the mesh: the axis of the cache. */
  axes: [number, number, number];
  /** 1 or -1 for each. */
  signs: [number, number, number];
  /** As text: (x, z, -y). */
  name: string;
}

/** Orders of three axes: the file's own first, then the exchange of y and z. */
const ORDERS: CacheAxes['axes'][] = [
  [0, 1, 2],
  [0, 2, 1],
  [2, 1, 0],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
];

/**
 * Finds the axes of a point cache that fit its mesh: Blender's MDD has z up beside an OBJ file with y up, LightWave's z points the other way.
 * Undefined if the cache fits as it is, or does not fit with any axes.
 * @param rest pointCount x 3: the mesh
 * @param frame pointCount x 3: the first frame of the cache
 */
export function matchCacheAxes(rest: Float32Array, frame: Float32Array): CacheAxes | undefined {
  // The squared distance for any axes follows from the products of coordinates summed over points.
  const products = new Float64Array(9);
  let squares = 0;
  for (let i = 0; i < rest.length; i += 3) {
    for (let a = 0; a < 3; a++) {
      squares += rest[i + a] ** 2 + frame[i + a] ** 2;
      for (let b = 0; b < 3; b++) products[3 * a + b] += rest[i + a] * frame[i + b];
    }
  }
  const rms = (sum: number): number => Math.sqrt(Math.max(0, squares - 2 * sum) / (rest.length / 3));
  const own = rms(products[0] + products[4] + products[8]);
  if (!(own > OFF * measureBounds(rest).diagonal)) return undefined;
  let best = FIT * own;
  let found: CacheAxes | undefined;
  for (const axes of ORDERS) {
    const along = axes.map((b, a) => products[3 * a + b]);
    const error = rms(along.reduce((sum, x) => sum + Math.abs(x), 0));
    const signs = along.map((x) => (x < 0 ? -1 : 1)) as CacheAxes['signs'];
    if (error >= best || isHalfTurn({ axes, signs })) continue;
    best = error;
    found = { axes, signs, name: `(${axes.map((b, a) => `${signs[a] < 0 ? '-' : ''}${NAMES[b]}`).join(', ')})` };
  }
  return found;
}

/** A half turn about an axis is motion: the axes of no two programs differ by it. */
const isHalfTurn = ({ axes, signs }: Pick<CacheAxes, 'axes' | 'signs'>): boolean =>
  axes.every((b, a) => a === b) && signs.filter((sign) => sign < 0).length === 2;

/** The points of a cache in other axes; a copy, since they may be the caller's bytes. */
export function turnCache(positions: Float32Array, { axes, signs }: CacheAxes): Float32Array {
  const out = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    for (let a = 0; a < 3; a++) out[i + a] = signs[a] * positions[i + axes[a]];
  }
  return out;
}
