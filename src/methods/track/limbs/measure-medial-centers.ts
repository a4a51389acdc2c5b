// SPDX-License-Identifier: MIT
// Centers of a body below the points of its surface.
//
// The largest ball inside of a body that touches its surface at p has its center on the normal n there, and touches another point q: |p − rn − q| = r gives r = |p − q|² / (2 n · (p − q)), and the ball is the smallest of these
// over all q (the shrinking balls of J. Ma, S. W. Bae, S. Choi, "3D medial axis point approximation using nearest neighbors and the normal field", The Visual Computer 28, 2012, without iterations). Points near p on a rough surface
// would give balls as small as its bumps, so that q counts only if it is within 60 degrees of the inward normal.

import type { ScanSurface } from '../register/make-scan-surface.ts';

/** Minimum cosine between the inward normal and the way to the opposite side: 60 degrees. */
const MIN_COSINE = 0.5;
/** Maximum points that are opposite sides; of larger surfaces, some are used. */
const MAX_POINTS = 4000;

/**
 * Measures the center of the body below each point: pointCount x 3. A point without an opposite side, as of an open surface, is its own center.
 * @param normals pointCount x 3: outward
 */
export function measureMedialCenters(
  { positions: p }: Pick<ScanSurface, 'positions'>,
  normals: Float32Array,
): Float64Array {
  const centers = new Float64Array(p.length);
  const step = 3 * Math.ceil(p.length / 3 / MAX_POINTS);
  for (let o = 0; o < p.length; o += 3) {
    let radius = Number.POSITIVE_INFINITY;
    for (let q = 0; q < p.length; q += step) {
      const x = p[o] - p[q];
      const y = p[o + 1] - p[q + 1];
      const z = p[o + 2] - p[q + 2];
      const depth = x * normals[o] + y * normals[o + 1] + z * normals[o + 2];
      const square = x * x + y * y + z * z;
      if (depth <= 0 || depth * depth < MIN_COSINE * MIN_COSINE * square) continue;
      radius = Math.min(radius, square / (2 * depth));
    }
    if (radius === Number.POSITIVE_INFINITY) radius = 0;
    for (let a = 0; a < 3; a++) centers[o + a] = p[o + a] - radius * normals[o + a];
  }
  return centers;
}
