// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { compose } from '../../../core/math/mat4.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { Deformer } from '../../../core/model/deformed/deformer.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { makeDualQuaternion } from '../../dual-quaternion/dual-quaternion.ts';
import { makeHelperBones } from '../../helper-bones/make-helper-bones.ts';
import { makeLinearBlend } from '../make-linear-blend.ts';
import { narrowDeformer } from '../narrow-deformer.ts';
import { isSameBlend, PoseEvaluator } from '../pose-evaluator.ts';

const POSES = 7;

function makeRig() {
  const { clip, skeleton, skin } = makeSample('bar-joint', { resolution: 200, frames: 2 });
  if (!skeleton || !skin) throw new Error('the sample has a skin');
  return { mesh: clip.mesh, skeleton, skin, boneCount: skeleton.names.length };
}

function makePoses(boneCount: number): Float64Array {
  const random = makeRandom(2);
  const bones = new Float64Array(16 * POSES * boneCount);
  for (let at = 0; at < bones.length; at += 16) {
    const turn = Float64Array.from({ length: 4 }, () => random.normal());
    const length = Math.hypot(...turn);
    const place = Float64Array.from({ length: 3 }, () => random.normal());
    compose(
      place,
      turn.map((x) => x / length),
      Float64Array.of(1, 1, 1),
      bones.subarray(at, at + 16),
    );
  }
  return bones;
}

/** The shapes of an evaluator, and those of its deformer. */
async function evaluate(deformer: Deformer, threads: number) {
  const bones = makePoses(deformer.boneCount);
  const compute = await makeCompute({ threads });
  const stride = 3 * deformer.vertexCount;
  const out = compute.float32(POSES * stride);
  const evaluator = new PoseEvaluator(compute, deformer);
  await evaluator.evaluateInto(bones, POSES, out);
  const found = out.view().slice();
  compute.dispose();
  const expected = new Float32Array(POSES * stride);
  const size = 16 * deformer.boneCount;
  for (let k = 0; k < POSES; k++)
    deformer.deformInto(
      { bones: bones.subarray(k * size, (k + 1) * size) },
      expected.subarray(k * stride, (k + 1) * stride),
    );
  return { found, expected, isFast: evaluator.isFast };
}

describe('PoseEvaluator', () => {
  it('gives the floats of the deformer, on any number of threads', async () => {
    const { mesh, skeleton, skin, boneCount } = makeRig();
    const blend = makeLinearBlend(mesh, skin, boneCount);
    const deformers: [Deformer, boolean][] = [
      [blend, true],
      [narrowDeformer(blend, Int32Array.of(1, -1)), true],
      [makeHelperBones({ kind: 'helper-bones', mesh, skeleton, skin, controllers: [] }), true],
      [makeDualQuaternion(mesh, skin, boneCount), false],
    ];
    for (const [deformer, isFast] of deformers)
      for (const threads of [1, 3]) {
        const found = await evaluate(deformer, threads);
        expect(found.isFast).toBe(isFast);
        expect(found.found).toEqual(found.expected);
      }
  });

  it('knows the same blend of the same shape, and no other', () => {
    const { mesh, skin, boneCount } = makeRig();
    const blend = makeLinearBlend(mesh, skin, boneCount);
    const copy = { ...skin, weights: skin.weights.slice() };
    expect(isSameBlend(blend, makeLinearBlend(mesh, copy, boneCount))).toBe(true);
    const count = mesh.positions.length / 3;
    const other = makeSkin(new Uint32Array(count), new Float64Array(count).fill(1), 1);
    expect(isSameBlend(blend, makeLinearBlend(mesh, other, boneCount))).toBe(false);
    expect(isSameBlend(blend, narrowDeformer(blend, Int32Array.of(0, 1)))).toBe(false);
    expect(isSameBlend(blend, makeDualQuaternion(mesh, skin, boneCount))).toBe(false);
  });
});
