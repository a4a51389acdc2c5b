// SPDX-License-Identifier: MIT
// Normals and tangents that have no direction: zero, or not finite.

/**
 * Tolerance on the length of a normal. Files round normals to three decimals or more; Khronos' validator allows about as much.
 */
const LENGTH_ERROR = 0.01;
/** Squared length below which a vector has no direction. */
const LEAST = 1e-12;

/** A primitive whose vertices have the directions. */
export interface DirectedSurface {
  /** vertexCount x 3 */
  positions?: Float32Array;
  /** vertexCount x 3 */
  normals?: Float32Array;
  /** Vertices of triangles, three each. */
  corners: ArrayLike<number>;
}

export interface RepairedDirections {
  /** vertexCount x 3 or 4 */
  repaired: Float32Array;
  /** Vertices whose direction is new. */
  replaced: number[];
  /** Vertices whose direction was scaled. */
  scaled: number[];
}

/** The first vertex whose direction is none, or whose length is not one; -1 if all are directions. */
export function findBadDirection(values: Float32Array, size: 3 | 4, isExact: boolean): number {
  for (let i = 0; i < values.length / size; i++) if (stateOf(values, size * i, size, isExact) !== 'good') return i;
  return -1;
}

function stateOf(v: Float32Array, o: number, size: 3 | 4, isExact: boolean): 'good' | 'none' | 'scaled' {
  const squared = v[o] * v[o] + v[o + 1] * v[o + 1] + v[o + 2] * v[o + 2];
  if (!(squared > LEAST && squared < Number.POSITIVE_INFINITY)) return 'none';
  if (size === 4 && v[o + 3] !== 1 && v[o + 3] !== -1) return 'none';
  return !isExact || Math.abs(Math.sqrt(squared) - 1) <= LENGTH_ERROR ? 'good' : 'scaled';
}

/** Normals of the triangles around a vertex, weighted by area, for normals without direction. A vertex without triangles gets the z axis. */
export function repairNormals(
  values: Float32Array,
  surfaces: readonly DirectedSurface[],
  isExact: boolean,
): RepairedDirections {
  const repaired = values.slice();
  const { replaced, scaled } = sortOut(values, 3, isExact);
  const sums = new Map(replaced.map((i) => [i, [0, 0, 0]]));
  for (const { positions, corners } of surfaces) if (positions) addFaceNormals(positions, corners, sums);
  for (const [i, sum] of sums) {
    const length = Math.hypot(...sum);
    const isKnown = length > 0 && Number.isFinite(length);
    repaired.set(isKnown ? sum.map((x) => x / length) : [0, 0, 1], 3 * i);
  }
  scaleInto(repaired, 3, scaled);
  return { repaired, replaced, scaled };
}

/** Scales the directions of some vertices to unit length, in place. */
function scaleInto(values: Float32Array, size: 3 | 4, vertices: readonly number[]): void {
  for (const i of vertices) {
    const o = size * i;
    const length = Math.hypot(values[o], values[o + 1], values[o + 2]);
    for (let c = o; c < o + 3; c++) values[c] /= length;
  }
}

/** Adds the normals of triangles, as long as their area, to those of their corners that are wanted. */
function addFaceNormals(p: Float32Array, corners: ArrayLike<number>, sums: ReadonlyMap<number, number[]>): void {
  for (let t = 0; t + 2 < corners.length; t += 3) {
    const wanted = [corners[t], corners[t + 1], corners[t + 2]].flatMap((i) => sums.get(i) ?? []);
    if (wanted.length === 0) continue;
    const [a, b, c] = [3 * corners[t], 3 * corners[t + 1], 3 * corners[t + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    if (!normal.every(Number.isFinite)) continue;
    for (const corner of [corners[t], corners[t + 1], corners[t + 2]]) {
      const sum = sums.get(corner);
      if (sum) for (let k = 0; k < 3; k++) sum[k] += normal[k];
    }
  }
}

/** Any direction at right angles to the normal, for tangents without direction; sides other than -1 and 1 become 1. */
export function repairTangents(
  values: Float32Array,
  surfaces: readonly DirectedSurface[],
  isExact: boolean,
): RepairedDirections {
  const repaired = values.slice();
  const { replaced, scaled } = sortOut(values, 4, isExact);
  scaleInto(repaired, 4, scaled);
  const normals = surfaces.find((surface) => surface.normals)?.normals;
  for (const i of replaced) {
    const side = values[4 * i + 3] < 0 ? -1 : 1;
    const squared = values[4 * i] ** 2 + values[4 * i + 1] ** 2 + values[4 * i + 2] ** 2;
    if (!(squared > LEAST && squared < Number.POSITIVE_INFINITY)) {
      const [x, y, z] = normals ? normals.subarray(3 * i, 3 * i + 3) : [0, 0, 1];
      // at right angles to the axis that the normal is farthest from
      const across = Math.abs(x) < 0.9 ? [0, z, -y] : [-z, 0, x];
      const length = Math.hypot(...across);
      repaired.set(length > 0 && Number.isFinite(length) ? across.map((a) => a / length) : [1, 0, 0], 4 * i);
    }
    repaired[4 * i + 3] = side;
  }
  return { repaired, replaced, scaled };
}

function sortOut(values: Float32Array, size: 3 | 4, isExact: boolean): { replaced: number[]; scaled: number[] } {
  const replaced: number[] = [];
  const scaled: number[] = [];
  for (let i = 0; i < values.length / size; i++) {
    const state = stateOf(values, size * i, size, isExact);
    if (state === 'none') replaced.push(i);
    else if (state === 'scaled') scaled.push(i);
  }
  return { replaced, scaled };
}
