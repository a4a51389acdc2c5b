// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compose, invertAffine, makeIdentities, multiply } from '../../../core/math/mat4.ts';
import { normalizeQuaternion } from '../../../core/math/quaternion.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { makePoseRotations } from '../pose-rotations.ts';

/** A chain of three joints whose frames are turned and scaled at rest. */
function makeSkeleton(): Skeleton {
  const bindMatrices = new Float64Array(48);
  [
    [0.1, 0.2, 0.3, 1],
    [-0.5, 0.4, 0.2, 0.7],
    [0.9, 0, 0.1, 0.2],
  ].forEach((q, j) => {
    normalizeQuaternion(q, q);
    compose([j, 0.5 * j, -j], q, [1 + j, 1 + j, 1 + j], bindMatrices, 0, 0, 0, 16 * j);
  });
  return { names: ['a', 'b', 'c'], parents: Int32Array.of(-1, 0, 1), bindMatrices };
}

/** Bones of a pose by the definition: M_j = M_parent B R B⁻¹. */
function poseBones({ parents, bindMatrices }: Skeleton, rotations: number[][]): Float64Array {
  const bones = makeIdentities(parents.length);
  const [local, inverse] = [new Float64Array(16), new Float64Array(16)];
  parents.forEach((parent, j) => {
    compose([0, 0, 0], rotations[j], [1, 1, 1], local);
    invertAffine(bindMatrices, inverse, 16 * j);
    multiply(bindMatrices, local, local, 16 * j);
    multiply(local, inverse, local);
    if (parent >= 0) multiply(bones, local, bones, 16 * parent, 0, 16 * j);
    else bones.set(local, 16 * j);
  });
  return bones;
}

const rotation = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 })
  .filter((q) => Math.hypot(...q) > 0.1 && Math.abs(q[3]) > 0.01)
  .map((q) => {
    const unit = [0, 0, 0, 1];
    normalizeQuaternion(q[3] < 0 ? q.map((x) => -x) : q, unit);
    return unit;
  });

describe('makePoseRotations', () => {
  const skeleton = makeSkeleton();

  it('recovers each joint rotation, for any pose of its parents', () => {
    const turns = makePoseRotations(skeleton);
    const out = new Float64Array(12);
    fc.assert(
      fc.property(fc.tuple(rotation, rotation, rotation), (rotations) => {
        turns.readInto(poseBones(skeleton, rotations), [0, 1, 2], out);
        rotations.flat().forEach((x, c) => {
          expect(out[c]).toBeCloseTo(x, 9);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('reads the requested joints, in that order', () => {
    const rotations = [
      [0, 0, 0, 1],
      [0.6, 0, 0, 0.8],
      [0, 0.8, 0, 0.6],
    ];
    const out = new Float64Array(8);
    makePoseRotations(skeleton).readInto(poseBones(skeleton, rotations), [2, 1], out);
    [0, 0.8, 0, 0.6, 0.6, 0, 0, 0.8].forEach((x, c) => {
      expect(out[c]).toBeCloseTo(x, 12);
    });
  });

  it('removes scale, and gives the identity under a parent of scale zero', () => {
    const bones = poseBones(skeleton, [
      [0, 0, 0, 1],
      [0.6, 0, 0, 0.8],
      [0, 0, 0, 1],
    ]);
    for (let c = 0; c < 12; c++) if (c % 4 < 3) bones[16 + c] *= 2.5;
    const out = new Float64Array(4);
    const turns = makePoseRotations(skeleton);
    turns.readInto(bones, [1], out);
    [0.6, 0, 0, 0.8].forEach((x, c) => {
      expect(out[c]).toBeCloseTo(x, 12);
    });
    bones.fill(0, 16, 28);
    turns.readInto(bones, [2], out);
    [0, 0, 0, 1].forEach((x, c) => {
      expect(out[c]).toBeCloseTo(x, 12);
    });
  });
});
