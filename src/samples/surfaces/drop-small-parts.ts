// SPDX-License-Identifier: MIT
import { labelParts } from '../../core/mesh/topology/label-parts.ts';
import type { ScannedSurface } from './scan-surface.ts';

/** A scan without connected parts whose area is below a ratio of the whole, and without vertices that have no triangle. */
export function dropSmallParts(scan: ScannedSurface, ratio: number): ScannedSurface {
  const { positions: p, triangles, corners, blends, isKnown } = scan;
  const labels = labelParts(isKnown.length, triangles);
  const areas = new Float64Array(isKnown.length);
  let total = 0;
  for (let f = 0; f < triangles.length; f += 3) {
    const [a, b, c] = [3 * triangles[f], 3 * triangles[f + 1], 3 * triangles[f + 2]];
    const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const w = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const area = Math.hypot(u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]) / 2;
    areas[labels[triangles[f]]] += area;
    total += area;
  }
  const rank = new Int32Array(isKnown.length).fill(-1);
  const kept: number[] = [];
  const faces: number[] = [];
  for (let f = 0; f < triangles.length; f += 3) {
    if (areas[labels[triangles[f]]] < ratio * total) continue;
    for (const i of triangles.subarray(f, f + 3)) {
      if (rank[i] < 0) rank[i] = kept.push(i) - 1;
      faces.push(rank[i]);
    }
  }
  const rows = (from: ArrayLike<number>): number[] =>
    kept.flatMap((i) => [from[3 * i], from[3 * i + 1], from[3 * i + 2]]);
  return {
    ...{ positions: Float32Array.from(rows(p)), triangles: Uint32Array.from(faces) },
    ...{ corners: Uint32Array.from(rows(corners)), blends: Float64Array.from(rows(blends)) },
    isKnown: Uint8Array.from(kept, (i) => isKnown[i]),
  };
}
