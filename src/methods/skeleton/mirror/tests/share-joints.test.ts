// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { type MirrorPlane, reflectInto } from '../../../../core/mesh/geometry/find-mirror-plane.ts';
import { makeJointTree } from '../../joints/joint-tree.ts';
import { shareJoints } from '../share-joints.ts';

const plane: MirrorPlane = { normal: [0.8, 0.6, 0], offset: 0.3, error: 0 };
const PARTNERS = Int32Array.of(0, 2, 1, 3);

/** A trunk (0) with two arms (1, 2) and a head (3), and random curvatures. */
function makeProblem(seed: number) {
  const random = makeRandom(seed);
  const point = (): [number, number, number] => [random.normal(), random.normal(), random.normal()];
  const edges = [1, 2, 3].map((b) => ({ a: 0, b, joint: point() }));
  const blocks = new Float64Array(36);
  for (let a = 1; a < 4; a++) {
    for (let n = 0; n < 3; n++) {
      const v = point();
      for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) blocks[9 * a + 3 * r + c] += v[r] * v[c];
    }
  }
  return { tree: makeJointTree(4, edges, 0), blocks };
}

/** Σ (x − o)ᵀ H (x − o) */
function measureRise(joints: Float64Array, before: Float64Array, blocks: Float64Array): number {
  let sum = 0;
  for (let a = 1; a < 4; a++)
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++)
        sum +=
          (joints[3 * a + r] - before[3 * a + r]) * blocks[9 * a + 3 * r + c] * (joints[3 * a + c] - before[3 * a + c]);
  return sum;
}

describe('shareJoints', () => {
  it.each([1, 2, 3, 4])(
    'places pairs at images of each other, with the smallest rise of the error (seed %i)',
    (seed) => {
      const { tree, blocks } = makeProblem(seed);
      const before = tree.joints.slice();
      shareJoints(tree, blocks, PARTNERS, plane);
      const image = new Float64Array(3);
      for (const [a, b] of [
        [1, 2],
        [3, 3],
      ]) {
        reflectInto(plane, tree.joints, 3 * a, image);
        for (let r = 0; r < 3; r++) expect(tree.joints[3 * b + r]).toBeCloseTo(image[r], 9);
      }
      const best = measureRise(tree.joints, before, blocks);
      const random = makeRandom(9);
      for (let n = 0; n < 200; n++) {
        const moved = tree.joints.slice();
        for (let r = 0; r < 3; r++) moved[3 + r] += 0.1 * random.normal();
        reflectInto(plane, moved, 3, image);
        moved.set(image, 6);
        // the regularization of flat directions is a thousandth
        expect(measureRise(moved, before, blocks)).toBeGreaterThan(0.99 * best - 1e-6);
      }
    },
  );

  it('averages joints without curvature', () => {
    const { tree } = makeProblem(5);
    const image = new Float64Array(3);
    reflectInto(plane, tree.joints, 6, image);
    const mean = [0, 1, 2].map((r) => (tree.joints[3 + r] + image[r]) / 2);
    shareJoints(tree, new Float64Array(36), PARTNERS, plane);
    for (let r = 0; r < 3; r++) expect(tree.joints[3 + r]).toBeCloseTo(mean[r], 9);
  });
});
