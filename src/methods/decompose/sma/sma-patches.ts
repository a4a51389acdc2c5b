// SPDX-License-Identifier: MIT
// Two additions to the paper's core triangles (src/methods/decompose/sma/README.md has the figures): distant triangles with similar rotations are one mode, but should not be one bone;
// and triangles without a mode (hooves, skin over joints) do not contribute to the bones that move them.
//
// Patches: every connected component of the core triangles of a mode is a bone, if it is large enough; other triangles are outliers. Then every outlier joins
// the bone with the lowest error of its centroid, min over b of Σ_t |c − T_b c̄|² (Eq. 5 for a triangle), and bones are fitted again, until none changes.
import { type CorePoints, type CoreTriangles, coreBonesInto } from './core-bones.ts';

/** Maximum number of iterations; after two the changes are small. */
const MAX_ITERATIONS = 4;

export interface Patches {
  boneCount: number;
  /** triangleCount: the bone of each, -1 for none; larger patches first */
  labels: Int32Array;
}

/**
 * The patches: connected components of core triangles.
 * @param corners triangleCount x 3 points
 * @param labels triangleCount: the mode of each core triangle, -1 for none
 * @param min minimum number of triangles of a patch; the largest patch of a mode is always kept
 */
export function splitCores(corners: Uint32Array, labels: Int32Array, min: number): Patches {
  const count = labels.length;
  const above = Int32Array.from({ length: count }, (_, f) => f);
  const topOf = (f: number): number => {
    let top = f;
    while (above[top] !== top) {
      above[top] = above[above[top]];
      top = above[top];
    }
    return top;
  };
  /** By point: one triangle of each mode at that point. */
  const met = new Map<number, number[]>();
  for (let f = 0; f < count; f++) {
    if (labels[f] < 0) continue;
    for (let c = 0; c < 3; c++) {
      const point = corners[3 * f + c];
      const here = met.get(point);
      const same = here?.find((other) => labels[other] === labels[f]);
      if (same !== undefined) {
        const [p, q] = [topOf(f), topOf(same)];
        above[Math.max(p, q)] = Math.min(p, q);
      } else if (here) here.push(f);
      else met.set(point, [f]);
    }
  }
  const sizes = new Map<number, number>();
  for (let f = 0; f < count; f++) if (labels[f] >= 0) sizes.set(topOf(f), (sizes.get(topOf(f)) ?? 0) + 1);
  const largest = new Map<number, number>();
  for (const [top, size] of sizes) {
    const best = largest.get(labels[top]);
    if (best === undefined || size > (sizes.get(best) ?? 0)) largest.set(labels[top], top);
  }
  const tops = [...sizes.keys()].filter((top) => (sizes.get(top) ?? 0) >= min || largest.get(labels[top]) === top);
  tops.sort((p, q) => (sizes.get(q) ?? 0) - (sizes.get(p) ?? 0) || p - q);
  const boneOf = new Map(tops.map((top, j) => [top, j]));
  const split = Int32Array.from(labels, (label, f) => (label < 0 ? -1 : (boneOf.get(topOf(f)) ?? -1)));
  return { boneCount: tops.length, labels: split };
}

/** Gives every outlier the bone with the lowest error; core triangles keep theirs. Returns a label for every triangle. */
export function joinOutliers(
  triangles: CoreTriangles,
  points: CorePoints,
  kind: 'rigid' | 'affine',
  boneCount: number,
): Int32Array {
  const core = triangles.labels;
  const rows = 3 * points.frameCount;
  const bones = new Float64Array(rows * 4 * boneCount);
  const path = new Float64Array(rows);
  const outliers: number[] = [];
  for (let f = 0; f < core.length; f++) if (core[f] < 0) outliers.push(f);
  let labels = core;
  for (let iteration = 0; iteration < MAX_ITERATIONS && outliers.length > 0; iteration++) {
    coreBonesInto({ ...triangles, labels }, points, kind, bones, boneCount);
    const next = core.slice();
    let changed = 0;
    for (const f of outliers) {
      next[f] = findBest(f, triangles.corners, points, bones, boneCount, path);
      if (next[f] !== labels[f]) changed++;
    }
    labels = next;
    if (changed === 0) break;
  }
  return labels;
}

/** The bone with the lowest squared error of a triangle's centroid; ties go to the lower index. */
function findBest(
  f: number,
  corners: Uint32Array,
  { rest, posed, frameCount }: CorePoints,
  bones: Float64Array,
  boneCount: number,
  path: Float64Array,
): number {
  const rows = 3 * frameCount;
  path.fill(0);
  let x = 0;
  let y = 0;
  let z = 0;
  for (let c = 0; c < 3; c++) {
    const i = corners[3 * f + c];
    x += rest[3 * i] / 3;
    y += rest[3 * i + 1] / 3;
    z += rest[3 * i + 2] / 3;
    for (let row = 0; row < rows; row++) path[row] += posed[i * rows + row] / 3;
  }
  let best = 0;
  let min = Number.POSITIVE_INFINITY;
  for (let j = 0; j < boneCount; j++) {
    let sum = 0;
    for (let row = 0; row < rows && sum < min; row++) {
      const o = row * 4 * boneCount + 4 * j;
      const e = bones[o] * x + bones[o + 1] * y + bones[o + 2] * z + bones[o + 3] - path[row];
      sum += e * e;
    }
    if (sum < min) {
      min = sum;
      best = j;
    }
  }
  return best;
}
