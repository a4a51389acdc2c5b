// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { makeCentersOfRotation } from '../centers-of-rotation.ts';
import { solveCentersOfRotation } from '../centers-of-rotation-solve.ts';

function makeRig(name: string, resolution = 400) {
  const { clip, skeleton, skin, motion } = makeSample(name, { resolution, frames: 8 });
  if (!skeleton || !skin || !motion) throw new Error(`${name} has bones`);
  const boneCount = skeleton.names.length;
  return { mesh: clip.mesh, boneCount, skin, motion, size: measureBounds(clip.mesh.positions).diagonal };
}

/** The integral as the paper writes it: every vertex, every triangle, every pair. */
function solvePlainly(mesh: Mesh, skin: Skin, boneCount: number, sigma: number): Float64Array {
  const n = mesh.positions.length / 3;
  const dense = new Float64Array(n * boneCount);
  for (let i = 0; i < n; i++)
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++)
      dense[i * boneCount + skin.boneIndices[e]] = skin.weights[e];
  const centers = Float64Array.from(mesh.positions);
  for (let i = 0; i < n; i++) {
    const sum = [0, 0, 0, 0];
    for (let f = 0; f < mesh.triangles.length; f += 3) {
      const [a, b, c] = mesh.triangles.subarray(f, f + 3);
      const at = (v: number, d: number) => mesh.positions[3 * v + d];
      const u = [0, 1, 2].map((d) => at(b, d) - at(a, d));
      const v = [0, 1, 2].map((d) => at(c, d) - at(a, d));
      const area = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
      const w = (vertex: number, j: number) => dense[vertex * boneCount + j];
      let s = 0;
      for (let j = 0; j < boneCount; j++) {
        const wj = w(i, j);
        if (wj === 0) continue;
        const vj = (w(a, j) + w(b, j) + w(c, j)) / 3;
        if (vj === 0) continue;
        for (let k = 0; k < boneCount; k++) {
          if (k === j || w(i, k) === 0) continue;
          const vk = (w(a, k) + w(b, k) + w(c, k)) / 3;
          s += wj * w(i, k) * vj * vk * Math.exp(-(((wj * vk - w(i, k) * vj) / sigma) ** 2));
        }
      }
      for (let d = 0; d < 3; d++) sum[d] += (s * area * (at(a, d) + at(b, d) + at(c, d))) / 3;
      sum[3] += s * area;
    }
    if (sum[3] > 0) for (let d = 0; d < 3; d++) centers[3 * i + d] = sum[d] / sum[3];
  }
  return centers;
}

function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let c = 0; c < a.length; c++) worst = Math.max(worst, Math.abs(a[c] - b[c]));
  return worst;
}

describe('centers of rotation', () => {
  it('are the similarity integral, exactly without cells and to 1e-3 of the size with them', () => {
    const { mesh, skin, boneCount, size } = makeRig('bar-bend', 200);
    const plain = solvePlainly(mesh, skin, boneCount, 0.1);
    expect(farthest(solveCentersOfRotation(mesh, skin, { cell: 0 }), plain)).toBeLessThan(1e-9 * size);
    expect(farthest(solveCentersOfRotation(mesh, skin), plain)).toBeLessThan(1e-3 * size);
  });

  it('of a bar lie near its axis where two bones meet', () => {
    const { mesh, skin, boneCount } = makeRig('bar-bend', 800);
    const centers = solveCentersOfRotation(mesh, skin);
    const { min, max } = measureBounds(mesh.positions);
    const radius = (max[0] - min[0]) / 2;
    let seen = 0;
    for (let i = 0; i < centers.length / 3; i++) {
      if (skin.rowStart[i + 1] - skin.rowStart[i] < 2) continue;
      if (skin.weights[skin.rowStart[i]] > 0.7) continue;
      expect(Math.abs(centers[3 * i])).toBeLessThan(0.3 * radius);
      seen++;
    }
    expect(seen).toBeGreaterThan(10);
    expect(boneCount).toBeGreaterThan(2);
  });

  it('give the rest shape at rest, and the rigid motion of the bone for one bone per vertex', () => {
    const { mesh, skin, boneCount, motion, size } = makeRig('creature');
    const centers = solveCentersOfRotation(mesh, skin);
    const positions = new Float64Array(mesh.positions.length);
    const normals = positions.slice();
    const deformer = makeCentersOfRotation(mesh, skin, boneCount, centers);
    deformer.deformInto({ bones: makeIdentities(boneCount) }, positions, normals);
    // float32 weights sum to one within 1e-6
    expect(farthest(positions, mesh.positions)).toBeLessThan(1e-6 * size);

    const bones = poseOf(motion, 3);
    deformer.deformInto({ bones }, positions, normals);
    for (let i = 0; i < mesh.positions.length / 3; i++) {
      expect(Math.hypot(normals[3 * i], normals[3 * i + 1], normals[3 * i + 2])).toBeCloseTo(1, 6);
      if (skin.rowStart[i + 1] - skin.rowStart[i] > 1) continue;
      const m = 16 * skin.boneIndices[skin.rowStart[i]];
      const [x, y, z] = mesh.positions.subarray(3 * i, 3 * i + 3);
      for (let row = 0; row < 3; row++) {
        const at = bones[m + row] * x + bones[m + 4 + row] * y + bones[m + 8 + row] * z + bones[m + 12 + row];
        expect(positions[3 * i + row]).toBeCloseTo(at, 9);
      }
    }
  });

  it('reject bones that are not rigid, too few centers, and a kernel of zero width', () => {
    const { mesh, skin, boneCount } = makeRig('bar-bend', 200);
    const bones = makeIdentities(boneCount);
    bones[0] = 2;
    const positions = new Float64Array(mesh.positions.length);
    const deformer = makeCentersOfRotation(mesh, skin, boneCount, new Float64Array(mesh.positions.length));
    expect(() => deformer.deformInto({ bones }, positions)).toThrow('bone 0 is scaled');
    expect(() => makeCentersOfRotation(mesh, skin, boneCount, [0, 0, 0])).toThrow('1 centers for');
    expect(() => solveCentersOfRotation(mesh, skin, { sigma: 0 })).toThrow('sigma must be above 0');
  });
});
