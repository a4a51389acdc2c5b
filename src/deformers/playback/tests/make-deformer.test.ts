// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import type { DeformedModel } from '../../../core/model/deformed/deformed-model.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { makeDeformer } from '../make-deformer.ts';

const { clip, skeleton, skin, motion } = makeSample('bar-bend', { frames: 3 });
const { mesh } = clip;
const plain = { mesh, skeleton: skeleton!, skin: skin! };
const vertexCount = mesh.positions.length / 3;

/** Multi-weights whose patches are the vertices themselves: linear blending in another form. */
function makePointWeights() {
  const { rowStart, boneIndices, weights } = plain.skin;
  const omegas = new Float64Array(10 * weights.length);
  for (let i = 0; i < vertexCount; i++) {
    const u = [...mesh.positions.subarray(3 * i, 3 * i + 3), 1];
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
      for (let r = 0, o = 10 * e; r < 4; r++) for (let c = r; c < 4; c++, o++) omegas[o] = weights[e] * u[r] * u[c];
  }
  return { rowStart, boneIndices, omegas };
}

const settings = { iterations: 0, lambda: 0, kappa: 0, alpha: 0 };
const boneCount = plain.skeleton.names.length;
const own = {
  rowStart: Uint32Array.from({ length: boneCount + 1 }, (_, j) => j),
  boneIndices: Uint32Array.from({ length: boneCount }, (_, j) => j),
  weights: new Float32Array(boneCount).fill(1),
};
const correction = { rank: 1, basis: new Float32Array(mesh.positions.length), normalRank: 0, tracks: [] };
const models: DeformedModel[] = [
  { kind: 'skin', ...plain },
  { kind: 'dual-quaternion', ...plain },
  { kind: 'centers-of-rotation', ...plain, centers: mesh.positions },
  { kind: 'corrected-skin', ...plain, correction },
  { kind: 'direct-delta-mush', ...plain, multiWeights: makePointWeights(), variant: 5, settings },
  { kind: 'linear-two-layer', ...plain, virtualBones: own },
  { kind: 'helper-bones', ...plain, controllers: [] },
  {
    kind: 'two-layer',
    ...plain,
    virtualBones: {
      ...own,
      omegas: Float64Array.from({ length: 10 * boneCount }, (_, c) => [1, 0, 0, 0, 1, 0, 0, 1, 0, 1][c % 10]),
    },
    centers: new Float64Array(3 * boneCount),
  },
];

describe('makeDeformer', () => {
  it.each(models.map((model) => [model.kind, model] as const))(
    'keeps the rest shape in the bind pose: %s',
    (_, model) => {
      const deformer = makeDeformer(model);
      expect(deformer).toMatchObject({ vertexCount, boneCount });
      const found = new Float32Array(mesh.positions.length);
      deformer.deformInto({ bones: makeIdentities(boneCount) }, found);
      const tolerance = 1e-6 * measureBounds(mesh.positions).diagonal;
      for (let c = 0; c < found.length; c++) expect(Math.abs(found[c] - mesh.positions[c])).toBeLessThan(tolerance);
    },
  );

  it.each(['corrected-skin', 'direct-delta-mush', 'linear-two-layer', 'helper-bones'])(
    'evaluates %s as the linear blending that it is here',
    (kind) => {
      const bones = poseOf(motion!, 2);
      const [expected, found] = [new Float32Array(mesh.positions.length), new Float32Array(mesh.positions.length)];
      makeDeformer(models[0]).deformInto({ bones }, expected);
      makeDeformer(models.find((model) => model.kind === kind)!).deformInto({ bones }, found);
      for (let c = 0; c < found.length; c++) expect(Math.abs(found[c] - expected[c])).toBeLessThan(1e-5);
    },
  );
});
