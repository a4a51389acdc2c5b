// SPDX-License-Identifier: MIT
import type { Mesh } from '../../src/index.ts';

/**
 * Groups of vertices that are lit by one normal: those at the same place, and of the same rest normal where the file has normals. So UV seams do not show
 * and hard edges of the file stay hard.
 */
export function listNormalGroups({ positions, normals }: Mesh): { normalGroups: Uint32Array; groupCount: number } {
  const vertexCount = positions.length / 3;
  const normalGroups = new Uint32Array(vertexCount);
  const known = new Map<string, number>();
  for (let i = 0; i < vertexCount; i++) {
    let key = `${positions[3 * i]} ${positions[3 * i + 1]} ${positions[3 * i + 2]}`;
    if (normals) for (let c = 3 * i; c < 3 * i + 3; c++) key += ` ${Math.round(100 * normals[c])}`;
    let group = known.get(key);
    if (group === undefined) {
      group = known.size;
      known.set(key, group);
    }
    normalGroups[i] = group;
  }
  return { normalGroups, groupCount: known.size };
}

/**
 * Makes the function that fills the normals of a shape: area-weighted over the triangles of a group. Allocates nothing per call.
 * @param triangles triangleCount x 3
 */
export function makeNormalFiller(
  triangles: Uint32Array,
  groups: Uint32Array,
  groupCount: number,
): (positions: Float32Array, normals: Float32Array) => void {
  const sums = new Float32Array(groupCount * 3);
  return (p, normals) => {
    sums.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const a = 3 * triangles[t],
        b = 3 * triangles[t + 1],
        c = 3 * triangles[t + 2];
      const ux = p[b] - p[a],
        uy = p[b + 1] - p[a + 1],
        uz = p[b + 2] - p[a + 2];
      const vx = p[c] - p[a],
        vy = p[c + 1] - p[a + 1],
        vz = p[c + 2] - p[a + 2];
      const nx = uy * vz - uz * vy,
        ny = uz * vx - ux * vz,
        nz = ux * vy - uy * vx;
      for (let k = 0; k < 3; k++) {
        const g = 3 * groups[triangles[t + k]];
        sums[g] += nx;
        sums[g + 1] += ny;
        sums[g + 2] += nz;
      }
    }
    for (let i = 0; i < groups.length; i++) {
      const g = 3 * groups[i];
      const x = sums[g],
        y = sums[g + 1],
        z = sums[g + 2];
      const length = Math.sqrt(x * x + y * y + z * z);
      const scale = length > 0 ? 1 / length : 0;
      normals[3 * i] = x * scale;
      normals[3 * i + 1] = y * scale;
      normals[3 * i + 2] = z * scale;
    }
  };
}
