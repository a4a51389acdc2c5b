// SPDX-License-Identifier: MIT
// Targets and regression against helpers whose controllers are known.
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities } from '../../../../core/math/mat4.ts';
import { quaternionFromRotationVector } from '../../../../core/math/quaternion.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { type HelperBones, monomialCountOf } from '../../../../core/model/deformed/helper-bones.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { jointTermsInto } from '../../../../deformers/helper-bones/helper-bones-terms.ts';
import { makeHelperControllers } from '../../../../deformers/helper-bones/make-helper-bones.ts';
import { helperTargets, type SolvedHelper } from '../../helpers/helper-targets.ts';
import { makeJointPoser } from '../../sample/joint-poser.ts';
import type { TrainingSet } from '../../sample/shape-set.ts';
import { fitController } from '../fit-controller.ts';

/** Three joints in a row along x. */
function makeSkeleton(): Skeleton {
  const bindMatrices = makeIdentities(3);
  bindMatrices[16 + 12] = 1;
  bindMatrices[32 + 12] = 2;
  return { names: ['a', 'b', 'c'], parents: Int32Array.of(-1, 0, 1), bindMatrices };
}

const BIND = new Float64Array(16);
compose([1.2, 0.3, 0], [0, 0, Math.sin(0.3), Math.cos(0.3)], [1, 1, 1], BIND);

/** A helper on b that reads c: it moves by 0.1 rz, turns by 0.4 rx and swells by 0.2 rz². */
function makeModel(parent: number): HelperBones {
  const skeleton = makeSkeleton();
  const coefficients = new Float64Array(81);
  coefficients[2] = 0.1;
  coefficients[3 * 9] = 0.4;
  coefficients[7 * 9 + 8] = 0.2;
  return {
    kind: 'helper-bones',
    mesh: makeMesh(new Float32Array(3), new Uint32Array(0)),
    skeleton: {
      names: [...skeleton.names, 'h'],
      parents: Int32Array.of(-1, 0, 1, parent),
      bindMatrices: Float64Array.from([...skeleton.bindMatrices, ...BIND]),
    },
    skin: makeSkin([0], [1], 1),
    controllers: [{ bone: 3, joints: Int32Array.of(2), reaches: Float64Array.of(Math.PI), order: 2, coefficients }],
  };
}

/** Poses with one joint turned at a time, and where the helper is in them. */
function makeSet(
  model: HelperBones,
  perJoint = 40,
  reach = 1.4,
  axes = [1, 1, 1],
): { set: TrainingSet; helper: SolvedHelper } {
  const random = makeRandom(7);
  const frameCount = 2 * perJoint;
  const rotations = new Float64Array(frameCount * 12);
  const bones = new Float64Array(frameCount * 48);
  const moved = new Int32Array(frameCount);
  const matrices = new Float64Array(frameCount * 16);
  const poser = makeJointPoser(makeSkeleton());
  const controllers = makeHelperControllers(model);
  const all = makeIdentities(4);
  for (let k = 0; k < frameCount; k++) {
    moved[k] = k < perJoint ? 1 : 2;
    for (let j = 0; j < 3; j++) rotations[12 * k + 4 * j + 3] = 1;
    const vector = axes.map((part) => part * reach * (2 * random.next() - 1));
    quaternionFromRotationVector(vector, rotations, 0, 12 * k + 4 * moved[k]);
    poser.poseInto(rotations.subarray(12 * k, 12 * k + 12), bones, 48 * k);
    all.set(bones.subarray(48 * k, 48 * k + 48));
    controllers.poseInto(all);
    matrices.set(all.subarray(48, 64), 16 * k);
  }
  const positions = new Float32Array(0);
  const weights = new Float64Array(frameCount).fill(1);
  return {
    set: { frameCount, moved, rotations, bones, positions, weights, idle: [] },
    helper: { bind: BIND, matrices, moments: [10, 1, 0.5, 0.2] },
  };
}

const OPTIONS = { order: 2, beta: 'auto', joints: 4, isSparse: true } as const;

describe('helperTargets', () => {
  it('equal the values of the polynomial', () => {
    const model = makeModel(1);
    const { set, helper } = makeSet(model, 5, 0.6);
    const targets = helperTargets(helper, makeSkeleton(), 1, set);
    for (let k = 0; k < set.frameCount; k++) {
      if (set.moved[k] === 2) continue;
      // turning the parent itself leaves the helper where it is
      for (let c = 0; c < 9; c++) expect(targets[c * set.frameCount + k]).toBeCloseTo(0, 10);
    }
    expect(targets.some((x) => Math.abs(x) > 0.05)).toBe(true);
  });

  it.each([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ])('are continuous through half a turn about the axis %d %d %d', (...axis) => {
    const turn = (angle: number): [number, number, number] => [angle * axis[0], angle * axis[1], angle * axis[2]];
    const skeleton = makeSkeleton();
    const frameCount = 60;
    const rotations = new Float64Array(frameCount * 12);
    const bones = new Float64Array(frameCount * 48);
    const matrices = new Float64Array(frameCount * 16);
    const poser = makeJointPoser(skeleton);
    for (let k = 0; k < frameCount; k++) {
      for (let j = 0; j < 3; j++) rotations[12 * k + 4 * j + 3] = 1;
      quaternionFromRotationVector(turn((2.5 * k) / frameCount), rotations, 0, 12 * k + 8);
      poser.poseInto(rotations.subarray(12 * k, 12 * k + 12), bones, 48 * k);
      // the helper turns twice as far
      const q = [0, 0, 0, 1];
      quaternionFromRotationVector(turn((5 * k) / frameCount), q);
      compose([0, 0, 0], q, [1, 1, 1], matrices, 0, 0, 0, 16 * k);
    }
    const helper: SolvedHelper = { bind: BIND, matrices, moments: [1, 1, 1, 1] };
    const targets = helperTargets(helper, skeleton, 0, { bones, rotations, moved: new Int32Array(frameCount).fill(2) });
    const vectorAt = (k: number): number[] => [3, 4, 5].map((output) => targets[output * frameCount + k]);
    for (let k = 1; k < frameCount; k++) {
      const [before, after] = [vectorAt(k - 1), vectorAt(k)];
      expect(Math.hypot(...after.map((x, c) => x - before[c]))).toBeCloseTo(5 / frameCount, 6);
    }
  });
});

const parents = (...list: number[]) => list.map((parent) => ({ parent }));

describe('fitController', () => {
  it('finds the parent, the joint and the coefficients', async () => {
    const model = makeModel(1);
    const { set, helper } = makeSet(model);
    const found = await fitController(helper, makeSkeleton(), set, parents(0, 1, 2), OPTIONS);
    expect(found.parent).toBe(1);
    expect(found.joints).toEqual([2]);
    found.coefficients.forEach((x, e) => {
      expect(x).toBeCloseTo(model.controllers[0].coefficients[e], 4);
    });
    expect(found.heldOut).toBeLessThan(1e-6);
  });

  it('reports regularly, with ratios that rise to one', async () => {
    const { set, helper } = makeSet(makeModel(1));
    const ratios: number[] = [];
    const onStep = async (ratio: number) => void ratios.push(ratio);
    await fitController(helper, makeSkeleton(), set, parents(0, 1, 2), { ...OPTIONS, onStep });
    expect(ratios.length).toBeGreaterThanOrEqual(3 * 9);
    expect(ratios).toEqual(ratios.toSorted((p, q) => p - q));
    expect(ratios.at(-1)).toBe(1);
  });

  it('finds the same if all joints move at once', async () => {
    const { set, helper } = makeSet(makeModel(1));
    const found = await fitController(
      helper,
      makeSkeleton(),
      { ...set, moved: set.moved.map(() => -1) },
      parents(0, 1, 2),
      {
        ...OPTIONS,
        isSparse: false,
      },
    );
    expect(found.parent).toBe(1);
    expect(found.joints).toContain(2);
    expect(found.heldOut).toBeLessThan(1e-4);
  });

  it('uses no joint if the helper does not move', async () => {
    const model = makeModel(1);
    model.controllers[0].coefficients.fill(0);
    const { set, helper } = makeSet(model);
    const found = await fitController(helper, makeSkeleton(), set, parents(1), OPTIONS);
    expect(found.joints).toEqual([]);
    expect(found.coefficients.length).toBe(0);
  });

  it('ignores rounding errors about the other axes of a hinge', async () => {
    const model = makeModel(1);
    const { set, helper } = makeSet(model, 40, 1.4, [1e-14, 1e-14, 1]);
    // what the helper does besides, no turn explains
    const random = makeRandom(3);
    for (let e = 0; e < helper.matrices.length; e += 16) helper.matrices[e + 13] += 0.01 * random.next();
    for (const isSparse of [true, false]) {
      const found = await fitController(helper, makeSkeleton(), set, parents(1), { ...OPTIONS, order: 4, isSparse });
      expect(Math.max(...found.coefficients.map(Math.abs))).toBeLessThan(10);
      expect(found.coefficients.some((x) => Math.abs(x) > 0.05)).toBe(true);
    }
  });

  it('respects the maximum number of joints, and is empty at the largest strength', async () => {
    const { set, helper } = makeSet(makeModel(1));
    const far = await fitController(helper, makeSkeleton(), set, parents(0), { ...OPTIONS, joints: 1 });
    expect(far.joints.length).toBe(1);
    const none = await fitController(helper, makeSkeleton(), set, parents(1), { ...OPTIONS, beta: 0.999999 });
    expect(none.coefficients.filter((x) => Math.abs(x) > 1e-4).length).toBeLessThanOrEqual(9);
  });

  it('meets key poses exactly, and keeps what they do not give', async () => {
    const model = makeModel(1);
    const { set, helper } = makeSet(model);
    const turns = Float64Array.of(0, 0, Math.sin(0.4), Math.cos(0.4));
    const outputs = new Float64Array(9).fill(Number.NaN);
    outputs.set(
      [1.2, 1.1, 0.9].map((scale) => scale - 1),
      6,
    );
    const dense = { ...OPTIONS, order: 4, isSparse: false };
    const given = { parent: 1, joints: [2], reaches: [1.5] };
    const plain = await fitController(helper, makeSkeleton(), set, [given], dense);
    const edited = await fitController(helper, makeSkeleton(), set, [{ ...given, keys: [{ turns, outputs }] }], dense);
    const count = monomialCountOf(4);
    const terms = new Float64Array(count);
    jointTermsInto(turns, 4, 1.5, terms);
    const outputOf = (coefficients: Float64Array, c: number) =>
      terms.reduce((sum, term, t) => sum + term * coefficients[c * count + t], 0);
    for (let c = 0; c < 6; c++)
      expect(outputOf(edited.coefficients, c)).toBeCloseTo(outputOf(plain.coefficients, c), 9);
    for (let c = 6; c < 9; c++) expect(outputOf(edited.coefficients, c)).toBeCloseTo(outputs[c], 6);
  });
});
