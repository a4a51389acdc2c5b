// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeCage, makeCageClip } from '../../../samples/make-cage.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { bindToCage, cagePoseInto, makeCageDeformer } from '../make-cage-deformer.ts';

/** A cube from -1 to 1, faces outward. */
const CUBE = makeMesh(
  Float32Array.from({ length: 24 }, (_, c) => ((Math.floor(c / 3) >> (c % 3)) & 1 ? 1 : -1)),
  Uint32Array.of(
    ...[0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4],
    ...[2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5],
  ),
);

describe('mean value coordinates', () => {
  it('sum to one and reproduce the point, inside, on a face and at a corner', () => {
    const random = makeRandom(5);
    const points = [0, 0, 0, 1, 0.3, -0.2, 1, 1, 1, 0.99999, 0, 0];
    for (let c = 0; c < 60; c++) points.push(1.9 * (random.next() - 0.5));
    const mesh = makeMesh(Float32Array.from(points), new Uint32Array(0));
    const { rowStart, boneIndices, weights } = bindToCage(mesh, CUBE);
    for (let i = 0; i < points.length / 3; i++) {
      const sum = [0, 0, 0, 0];
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        expect(weights[e]).toBeGreaterThan(0);
        for (let r = 0; r < 3; r++) sum[r] += weights[e] * CUBE.positions[3 * boneIndices[e] + r];
        sum[3] += weights[e];
      }
      for (let r = 0; r < 3; r++) expect(sum[r]).toBeCloseTo(points[3 * i + r], 5);
      expect(sum[3]).toBeCloseTo(1, 5);
    }
  });

  it('follow an affine cage affinely, and keep the rest shape', () => {
    const random = makeRandom(6);
    const rest = Float32Array.from({ length: 60 }, () => 1.8 * (random.next() - 0.5));
    const mesh = makeMesh(rest, Uint32Array.of(0, 1, 2, 3, 4, 5));
    const deformer = makeCageDeformer(mesh, bindToCage(mesh, CUBE), 8);
    const move = (p: ArrayLike<number>, c: number) => [
      0.5 * p[c] + p[c + 1] + 2,
      p[c + 1] - p[c + 2],
      0.3 * p[c] + p[c + 2] - 1,
    ];
    const moved = Array.from({ length: 8 }, (_, j) => move(CUBE.positions, 3 * j)).flat();
    const bones = new Float64Array(16 * 8);
    const positions = new Float32Array(60);
    const normals = new Float32Array(60);
    cagePoseInto(CUBE.positions, moved, bones);
    deformer.deformInto({ bones }, positions, normals);
    for (let i = 0; i < 60; i += 3)
      for (const [r, x] of move(rest, i).entries()) expect(positions[i + r]).toBeCloseTo(x, 4);
    expect(Math.hypot(normals[0], normals[1], normals[2])).toBeCloseTo(1, 5);
    cagePoseInto(CUBE.positions, CUBE.positions, bones);
    deformer.deformInto({ bones }, positions);
    expect(positions).toEqual(rest);
  });

  it('reject a cage with a hole', () => {
    const open = makeMesh(CUBE.positions, CUBE.triangles.slice(3));
    expect(() => bindToCage(CUBE, open)).toThrow(
      'cage: it is not closed (3 edges of 8 vertices have only one triangle)',
    );
  });
});

describe('cages of samples', () => {
  it('are closed, enclose their mesh, and move it', () => {
    const { clip } = makeSample('creature', { resolution: 400, frames: 3 });
    const cage = makeCageClip(clip, 8);
    expect(cage.mesh.positions.length).toBe(makeCage(clip.mesh, 8).positions.length);
    const skin = bindToCage(clip.mesh, cage.mesh);
    const count = cage.mesh.positions.length / 3;
    const bones = new Float64Array(16 * count);
    const positions = new Float32Array(clip.mesh.positions.length);
    cagePoseInto(cage.mesh.positions, cage.positions.subarray(0, 3 * count), bones);
    makeCageDeformer(clip.mesh, skin, count).deformInto({ bones }, positions);
    let [off, moved] = [0, 0];
    for (let c = 0; c < positions.length; c++) {
      off += (positions[c] - clip.positions[c]) ** 2;
      moved += (clip.mesh.positions[c] - clip.positions[c]) ** 2;
    }
    expect(off).toBeLessThan(0.5 * moved);
  });
});
