// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities } from '../../../core/math/mat4.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../make-linear-blend.ts';

// A tetrahedron with its corners at the origin and on the axes.
const tetrahedron = () =>
  makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1), Uint32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3));

function randomCase(seed: number) {
  const random = makeRandom(seed);
  const vertexCount = 20,
    boneCount = 5,
    width = 5;
  const positions = Float32Array.from({ length: vertexCount * 3 }, () => random.normal());
  const mesh = makeMesh(positions, Uint32Array.of(0, 1, 2));
  const skin = makeSkin(
    Array.from({ length: vertexCount * width }, () => random.below(boneCount)),
    Array.from({ length: vertexCount * width }, () => random.next() - 0.3),
    width,
  );
  const bones = Float64Array.from({ length: boneCount * 16 }, (_, c) =>
    c % 16 === 15 ? 1 : c % 4 === 3 ? 0 : random.normal(),
  );
  return { mesh, skin, bones, boneCount, vertexCount };
}

describe('linear blend', () => {
  it('gives the rest shape in the identity pose', () => {
    const { mesh, skin, boneCount } = randomCase(1);
    const out = new Float32Array(mesh.positions.length);
    makeLinearBlend(mesh, skin, boneCount).deformInto({ bones: makeIdentities(boneCount) }, out);
    for (let c = 0; c < out.length; c++) expect(out[c]).toBeCloseTo(mesh.positions[c], 6);
  });

  it('is the weighted sum of the images under each bone', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { mesh, skin, bones, boneCount, vertexCount } = randomCase(seed);
        const out = new Float32Array(mesh.positions.length);
        makeLinearBlend(mesh, skin, boneCount).deformInto({ bones }, out);
        for (let i = 0; i < vertexCount; i++) {
          for (let row = 0; row < 3; row++) {
            let sum = 0;
            for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
              const o = skin.boneIndices[e] * 16 + row;
              let moved = bones[o + 12];
              for (let c = 0; c < 3; c++) moved += bones[o + 4 * c] * mesh.positions[3 * i + c];
              sum += skin.weights[e] * moved;
            }
            expect(Math.abs(out[3 * i + row] - sum)).toBeLessThan(1e-5);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('transforms normals by the inverse transpose: a stretched slope tilts the other way', () => {
    const mesh = tetrahedron();
    const n = Math.SQRT1_2;
    mesh.normals = Float32Array.of(0, 0, 1, n, n, 0, 0, 1, 0, 0, 0, 1);
    const skin = makeSkin([0, 0, 0, 0], [1, 1, 1, 1], 1);
    const bones = makeIdentities(1);
    compose([5, 6, 7], [0, 0, 0, 1], [2, 1, 1], bones);
    const positions = new Float32Array(12),
      normals = new Float32Array(12);
    makeLinearBlend(mesh, skin, 1).deformInto({ bones }, positions, normals);
    expect([...positions.subarray(3, 6)]).toEqual([7, 6, 7]);
    // (1, 1, 0) under x → 2x becomes (1/2, 1, 0), normalized.
    expect(normals[3]).toBeCloseTo(0.5 / Math.hypot(0.5, 1), 6);
    expect(normals[4]).toBeCloseTo(1 / Math.hypot(0.5, 1), 6);
  });

  it('keeps normals outward under a reflection and defined under a collapse', () => {
    const mesh = tetrahedron();
    mesh.normals = Float32Array.of(0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1);
    const skin = makeSkin([0, 0, 0, 0], [1, 1, 1, 1], 1);
    const deformer = makeLinearBlend(mesh, skin, 1);
    const positions = new Float32Array(12),
      normals = new Float32Array(12);
    const bones = makeIdentities(1);
    compose([0, 0, 0], [0, 0, 0, 1], [-1, 1, 1], bones);
    deformer.deformInto({ bones }, positions, normals);
    expect(normals[3]).toBeCloseTo(-1, 6);
    compose([0, 0, 0], [0, 0, 0, 1], [1, 1, 0], bones); // flat: only z survives the cofactors
    deformer.deformInto({ bones }, positions, normals);
    expect([...normals.subarray(0, 3)]).toEqual([0, 0, 1]);
    compose([0, 0, 0], [0, 0, 0, 1], [0, 0, 0], bones);
    deformer.deformInto({ bones }, positions, normals);
    expect([...normals].every(Number.isFinite)).toBe(true);
  });

  it('computes normals if the mesh has none', () => {
    const mesh = tetrahedron();
    const normals = new Float32Array(12);
    makeLinearBlend(mesh, makeSkin([0, 0, 0, 0], [1, 1, 1, 1], 1), 1).deformInto(
      { bones: makeIdentities(1) },
      new Float32Array(12),
      normals,
    );
    expect(normals[0]).toBeCloseTo(-1 / Math.sqrt(3), 5); // the corner at the origin points away from the others
  });

  it('rejects a skin or a pose of another size', () => {
    const mesh = tetrahedron();
    expect(() => makeLinearBlend(mesh, makeSkin([0], [1], 1), 1)).toThrow('1 rows for 4 vertices');
    expect(() => makeLinearBlend(mesh, makeSkin([0, 0, 3, 0], [1, 1, 1, 1], 1), 2)).toThrow('bone 3 of 2');
    const deformer = makeLinearBlend(mesh, makeSkin([0, 0, 1, 0], [1, 1, 1, 1], 1), 2);
    expect(() => deformer.deformInto({ bones: makeIdentities(1) }, new Float32Array(12))).toThrow('expected 2');
  });
});
