// SPDX-License-Identifier: MIT
import type { Mesh } from '../../model/mesh/mesh.ts';

/**
 * Fills the normals of a deformed mesh: those of the rest pose, turned as the triangles around each vertex turn, weighted by area. Hard
 * edges stay hard and UV seams stay smooth, which normals computed from the deformed triangles would not keep.
 * @param mesh the rest pose, with normals
 * @param positions vertexCount x 3, deformed
 * @param out vertexCount x 3, filled with unit vectors
 */
export function carryNormalsInto(mesh: Mesh, positions: Float32Array, out: Float32Array): void {
  const { triangles, normals } = mesh;
  if (!normals) return;
  const sums = new Float64Array(normals.length);
  const [rest, posed] = [new Float64Array(9), new Float64Array(9)];
  for (let t = 0; t < triangles.length; t += 3) {
    const restArea = frameInto(mesh.positions, triangles, t, rest);
    const area = frameInto(positions, triangles, t, posed);
    if (!(restArea > 0 && area > 0)) continue;
    for (let c = 0; c < 3; c++) {
      const i = 3 * triangles[t + c];
      for (let axis = 0; axis < 3; axis++) {
        // The component along an axis of the rest frame goes along the same axis of the posed frame.
        const o = 3 * axis;
        const along = rest[o] * normals[i] + rest[o + 1] * normals[i + 1] + rest[o + 2] * normals[i + 2];
        for (let r = 0; r < 3; r++) sums[i + r] += area * along * posed[o + r];
      }
    }
  }
  for (let i = 0; i < sums.length; i += 3) {
    const length = Math.hypot(sums[i], sums[i + 1], sums[i + 2]);
    for (let r = 0; r < 3; r++) out[i + r] = length > 0 ? sums[i + r] / length : normals[i + r];
  }
}

/** Three unit vectors of a triangle: its normal, its first edge, and the direction across. Returns twice its area. */
function frameInto(positions: Float32Array, triangles: Uint32Array, t: number, out: Float64Array): number {
  const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
  const [ux, uy, uz] = [0, 1, 2].map((r) => positions[b + r] - positions[a + r]);
  const [vx, vy, vz] = [0, 1, 2].map((r) => positions[c + r] - positions[a + r]);
  const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const area = Math.hypot(nx, ny, nz);
  const length = Math.hypot(ux, uy, uz);
  if (!(area > 0)) return 0;
  out.set([nx / area, ny / area, nz / area, ux / length, uy / length, uz / length]);
  out[6] = out[1] * out[5] - out[2] * out[4];
  out[7] = out[2] * out[3] - out[0] * out[5];
  out[8] = out[0] * out[4] - out[1] * out[3];
  return area;
}
