// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { listEdges } from '../../../../core/mesh/topology/list-edges.ts';
import { poseOf } from '../../../../core/model/clip/motion.ts';
import { checkSkin, makeSkin, type Skin } from '../../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../../../deformers/linear-blend/make-linear-blend.ts';
import { makeAsRigidAsPossible } from '../../../../deformers/rig-sources/as-rigid-as-possible.ts';
import { makeSwingTwist } from '../../../../deformers/rig-sources/swing-twist.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { solveElasticWeights } from '../solve-elastic-weights.ts';

const FRAMES = 60;
const [BENT, TWISTED] = [10, 30];
const { clip, skeleton, skin, motion } = makeSample('bar-joint', { resolution: 600, frames: FRAMES });
const { mesh } = clip;
const boneCount = 2;

function upperOf({ rowStart, boneIndices, weights }: Skin, i: number): number {
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) if (boneIndices[e] === 1) return weights[e];
  return 0;
}

/** Mean square change of edge lengths, relative to their squares. */
function stretchOf(positions: Float32Array): number {
  const edges = listEdges(mesh.triangles);
  const length = (p: Float32Array, e: number) =>
    Math.hypot(...[0, 1, 2].map((c) => p[3 * edges[e] + c] - p[3 * edges[e + 1] + c]));
  let sum = 0;
  for (let e = 0; e < edges.length; e += 2) sum += (length(positions, e) / length(mesh.positions, e) - 1) ** 2;
  return sum / (edges.length / 2);
}

function posed(deformer: ReturnType<typeof makeLinearBlend>, k: number): Float32Array {
  const out = new Float32Array(mesh.positions.length);
  deformer.deformInto({ bones: poseOf(motion!, k) }, out);
  return out;
}

describe('elasticity-inspired weights', () => {
  it('stretch a bent bar less than rigid and linear weights', () => {
    const { swing, twist } = solveElasticWeights(mesh, skeleton!, skin!);
    checkSkin(swing, boneCount);
    checkSkin(twist, boneCount);
    const bones: number[] = [];
    const weights: number[] = [];
    for (let c = 1; c < mesh.positions.length; c += 3) {
      const upper = Math.min(1, Math.max(0, (mesh.positions[c] - 1) / 2));
      bones.push(0, 1);
      weights.push(1 - upper, upper);
    }
    const stretch = (weighted: Skin) => stretchOf(posed(makeLinearBlend(mesh, weighted, boneCount), BENT));
    expect(stretch(swing)).toBeLessThan(stretch(makeSkin(bones, weights, 2)));
    expect(stretch(swing)).toBeLessThan(
      stretch(
        makeSkin(
          bones,
          weights.map((w) => (w >= 0.5 ? w : 0)),
          2,
        ),
      ),
    );
  });

  it('spread a twist evenly along the limb', () => {
    const { twist } = solveElasticWeights(mesh, skeleton!, skin!);
    for (let i = 0; i < mesh.positions.length / 3; i++) {
      const y = mesh.positions[3 * i + 1];
      const even = Math.min(1, Math.max(0, (y - 1) / 2));
      expect(Math.abs(upperOf(twist, i) - even)).toBeLessThan(0.08);
    }
  });

  it('keep at least 99.5 % of the volume of the twisted bar with the swing/twist deformer', () => {
    const { swing, twist } = solveElasticWeights(mesh, skeleton!, skin!);
    const ratio = (positions: Float32Array) => volumeOf(positions) / volumeOf(mesh.positions);
    expect(ratio(posed(makeSwingTwist(mesh, skeleton!, swing, { twist }), TWISTED))).toBeGreaterThan(0.995);
    expect(ratio(posed(makeLinearBlend(mesh, swing, boneCount), TWISTED))).toBeLessThan(0.9);
  });
});

describe('as rigid as possible', () => {
  const isHandle = Uint8Array.from({ length: mesh.positions.length / 3 }, (_, i) =>
    Math.abs(mesh.positions[3 * i + 1] - 2) > 1 ? 1 : 0,
  );

  it('stretches less than the skin it starts from, and keeps its handles', () => {
    const start = posed(makeLinearBlend(mesh, skin!, boneCount), BENT);
    const out = posed(makeAsRigidAsPossible(mesh, skin!, boneCount, isHandle), BENT);
    expect(stretchOf(out)).toBeLessThan(0.6 * stretchOf(start));
    for (let i = 0; i < isHandle.length; i++) {
      if (!isHandle[i]) continue;
      for (let c = 0; c < 3; c++) expect(out[3 * i + c]).toBeCloseTo(start[3 * i + c], 6);
    }
  });

  it('gives the rest shape at rest', () => {
    const out = posed(makeAsRigidAsPossible(mesh, skin!, boneCount, isHandle, { iterations: 3 }), 0);
    for (let c = 0; c < out.length; c++) expect(out[c]).toBeCloseTo(mesh.positions[c], 5);
  });
});

function volumeOf(p: Float32Array): number {
  let volume = 0;
  for (let c = 0; c < mesh.triangles.length; c += 3) {
    const [a, b, d] = [3 * mesh.triangles[c], 3 * mesh.triangles[c + 1], 3 * mesh.triangles[c + 2]];
    volume +=
      p[a] * (p[b + 1] * p[d + 2] - p[b + 2] * p[d + 1]) +
      p[a + 1] * (p[b + 2] * p[d] - p[b] * p[d + 2]) +
      p[a + 2] * (p[b] * p[d + 1] - p[b + 1] * p[d]);
  }
  return volume / 6;
}
