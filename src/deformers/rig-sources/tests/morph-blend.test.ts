// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities } from '../../../core/math/mat4.ts';
import type { Morphs } from '../../../core/model/deformed/morphs.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../linear-blend/make-linear-blend.ts';
import { makeMorphBlend } from '../morph-blend.ts';

const triangle = () => makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), Uint32Array.of(0, 1, 2));
// One target lifts vertices 1 and 2, the other moves vertex 0 only.
const morphs = (): Morphs => ({
  targets: [
    { name: 'lift', node: 0, weight: 0, vertexStart: 1, vertexCount: 2, positions: Float32Array.of(0, 0, 1, 0, 0, 1) },
    { name: 'slide', node: 0, weight: 1, vertexStart: 0, vertexCount: 1, positions: Float32Array.of(2, 0, 0) },
  ],
  restWeights: [],
});

describe('morph blend', () => {
  it('adds weighted displacements, each to its own vertices', () => {
    const out = new Float32Array(9);
    makeMorphBlend(triangle(), morphs()).deformInto(
      { bones: new Float64Array(0), morphs: Float32Array.of(0.5, 1) },
      out,
    );
    expect([...out]).toEqual([2, 0, 0, 1, 0, 0.5, 0, 1, 0.5]);
  });

  it('is applied before the skin, without effect on the next pose', () => {
    const skin = makeSkin([0, 0, 0], [1, 1, 1], 1);
    const deformer = makeMorphBlend(triangle(), morphs(), (mesh) => makeLinearBlend(mesh, skin, 1));
    const bones = makeIdentities(1);
    compose([0, 0, 0], [0, 0, 0, 1], [1, 1, 10], bones);
    const out = new Float32Array(9);
    deformer.deformInto({ bones, morphs: Float32Array.of(1, 0) }, out);
    expect([...out]).toEqual([0, 0, 0, 1, 0, 10, 0, 1, 10]);
    deformer.deformInto({ bones, morphs: Float32Array.of(0, 0) }, out);
    expect([...out]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0]);
    deformer.deformInto({ bones }, out);
    expect([...out]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0]);
  });

  it('computes normals of the morphed surface if the mesh has none', () => {
    const normals = new Float32Array(9);
    const pose = { bones: new Float64Array(0), morphs: Float32Array.of(1, 0) };
    makeMorphBlend(triangle(), morphs()).deformInto(pose, new Float32Array(9), normals);
    const expected = [-1, -1, 1].map((c) => c / Math.sqrt(3)); // the plane z = x + y
    for (let c = 0; c < 9; c++) expect(normals[c]).toBeCloseTo(expected[c % 3], 6);
  });

  it('adds differences of normals and rescales to unit length', () => {
    const mesh = triangle();
    mesh.normals = Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1);
    const shapes = morphs();
    shapes.targets[1].normals = Float32Array.of(1, 0, 0);
    const normals = new Float32Array(9);
    const pose = { bones: new Float64Array(0), morphs: Float32Array.of(1, 1) };
    makeMorphBlend(mesh, shapes).deformInto(pose, new Float32Array(9), normals);
    expect(normals[0]).toBeCloseTo(Math.SQRT1_2, 6);
    expect(normals[2]).toBeCloseTo(Math.SQRT1_2, 6);
    expect([...normals.subarray(3)]).toEqual([0, 0, 1, 0, 0, 1]);
  });

  it('rejects targets and weights of another size', () => {
    const shapes = morphs();
    shapes.targets[0].vertexStart = 2;
    expect(() => makeMorphBlend(triangle(), shapes)).toThrow('"lift" has another number of vertices');
    const deformer = makeMorphBlend(triangle(), morphs());
    const pose = { bones: new Float64Array(0), morphs: new Float32Array(3) };
    expect(() => deformer.deformInto(pose, new Float32Array(9))).toThrow('3 morph weights, expected 2');
  });
});
