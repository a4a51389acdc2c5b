// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compose, invertAffine, makeIdentities, multiply } from '../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import { makeRandom } from '../../../core/math/random.ts';
import {
  checkHelperBones,
  type HelperBones,
  listMonomials,
  monomialCountOf,
} from '../../../core/model/deformed/helper-bones.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { LOCAL_SIZE } from '../../../core/model/skin/rest-local.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { jointTermsInto } from '../helper-bones-terms.ts';
import { makeHelperBones, makeHelperControllers, makeJointRotations } from '../make-helper-bones.ts';

/** Two joints in a row along x, and a helper on the first, driven by the second: a triangle follows all three. */
function makeModel(scale = 1): HelperBones {
  const bindMatrices = makeIdentities(3);
  bindMatrices[16 + 12] = 1;
  compose([0.5, 0.2, 0], [0, 0, Math.SQRT1_2, Math.SQRT1_2], [1, 1, 1], bindMatrices, 0, 0, 0, 32);
  for (const e of [0, 5, 10]) bindMatrices[e] = scale;
  const coefficients = new Float64Array(9 * 9);
  coefficients[9 + 2] = 0.1; // y from r_z
  coefficients[3 * 9 + 0] = 0.5; // turns with r_x
  coefficients[6 * 9 + 8] = 0.3; // x scale from r_z²
  return {
    kind: 'helper-bones',
    mesh: makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0.5, 0.5, 0), Uint32Array.of(0, 1, 2)),
    skeleton: { names: ['a', 'b', 'a helper'], parents: Int32Array.of(-1, 0, 0), bindMatrices },
    skin: makeSkin([0, 2, 1, 2, 2, 0], [0.5, 0.5, 0.6, 0.4, 1, 0], 2),
    controllers: [{ bone: 2, joints: Int32Array.of(1), reaches: Float64Array.of(2), order: 2, coefficients }],
  };
}

/** Bone matrices with joint b turned about its own place, all of it turned by the root. */
function poseOf(model: HelperBones, q: number[], rootTurn = 0): Float64Array {
  const bones = makeIdentities(3);
  const root = [0, 0, 0, 1];
  quaternionFromAxisAngle([1, 2, 3], rootTurn, root);
  compose([0, 0, 0], root, [1, 1, 1], bones);
  const local = new Float64Array(16);
  const bind = model.skeleton.bindMatrices.slice(16, 32);
  const inverse = new Float64Array(16);
  invertAffine(bind, inverse);
  compose([0, 0, 0], q, [1, 1, 1], local);
  multiply(bind, local, local);
  multiply(local, inverse, local);
  multiply(bones, local, bones, 0, 0, 16);
  return bones;
}

describe('helper bones', () => {
  it('return the rest shape at rest, for any helper matrix in the pose', () => {
    const model = makeModel();
    const bones = makeIdentities(3);
    bones.fill(7, 32, 48);
    const positions = new Float32Array(9);
    makeHelperBones(model).deformInto({ bones }, positions);
    positions.forEach((x, c) => {
      expect(x).toBeCloseTo(model.mesh.positions[c], 6);
    });
  });

  it('move by the polynomial, in the space of their parent', () => {
    const model = makeModel();
    const q = [0, 0, 0, 1];
    quaternionFromAxisAngle([0, 0, 1], 0.8, q);
    const locals = new Float64Array(LOCAL_SIZE);
    makeHelperControllers(model).localsInto(poseOf(model, q, 1), locals);
    expect(locals[0]).toBeCloseTo(0.5, 12);
    expect(locals[1]).toBeCloseTo(0.2 + 0.08, 12);
    expect(locals[7]).toBeCloseTo(1 + 0.3 * 0.64, 12);
    expect(locals[8]).toBeCloseTo(1, 12);
  });

  it('turn with the whole model', () => {
    const model = makeModel();
    const q = [0.3, -0.2, 0.1, 0.9];
    const length = Math.hypot(...q);
    const unit = q.map((x) => x / length);
    const [still, turned] = [poseOf(model, unit), poseOf(model, unit, 2)];
    const controllers = makeHelperControllers(model);
    controllers.poseInto(still);
    controllers.poseInto(turned);
    const expected = new Float64Array(16);
    multiply(turned, still, expected, 0, 32);
    for (let e = 0; e < 16; e++) expect(turned[32 + e]).toBeCloseTo(expected[e], 10);
  });

  it('accept uniformly scaled parents, and reject others', () => {
    const locals = new Float64Array(LOCAL_SIZE);
    makeHelperControllers(makeModel(4)).localsInto(makeIdentities(3), locals);
    expect(locals[7]).toBeCloseTo(1 / 4, 12);
    expect(locals[0]).toBeCloseTo(0.5 / 4, 12);
    const uneven = makeModel();
    uneven.skeleton.bindMatrices[0] = 2;
    expect(() => makeHelperControllers(uneven)).toThrow(/"a helper" hangs on "a", which is scaled unevenly/);
  });

  it('read rotations from scaled bones too', () => {
    const model = makeModel();
    const q = [0, 0, 0, 1];
    quaternionFromAxisAngle([1, 1, 0], 1.2, q);
    const bones = poseOf(model, q, 0.4);
    for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) bones[16 + 4 * c + r] *= 1.5;
    const out = new Float64Array(4);
    makeJointRotations(model.skeleton).rotationInto(bones, 1, out);
    out.forEach((x, c) => {
      expect(x).toBeCloseTo(q[c], 10);
    });
  });
});

describe('jointTermsInto', () => {
  it.each([Math.PI, 2])('is continuous at 180 degrees about any axis, reach %f', (reach) => {
    const random = makeRandom(2);
    const order = 4;
    const before = new Float64Array(monomialCountOf(order));
    const after = new Float64Array(monomialCountOf(order));
    for (let n = 0; n < 20; n++) {
      const axis = [random.normal(), random.normal(), random.normal()];
      const q = [0, 0, 0, 1];
      quaternionFromAxisAngle(axis, Math.PI - 1e-7, q);
      jointTermsInto(q, order, reach, before);
      quaternionFromAxisAngle(axis, Math.PI + 1e-7, q);
      jointTermsInto(q, order, reach, after);
      before.forEach((x, t) => {
        expect(Math.abs(x - after[t])).toBeLessThan(1e-4);
      });
    }
  });

  it('lists the monomials of the paper, in the right number', () => {
    expect(monomialCountOf(2)).toBe(9);
    expect(listMonomials(3).length / 3).toBe(monomialCountOf(3));
    const q = [0, 0, 0, 1];
    quaternionFromAxisAngle([0.6, 0, 0.8], 1, q);
    const out = new Float64Array(9);
    jointTermsInto(q, 2, Math.PI, out);
    [0.6, 0, 0.8, 0.36, 0, 0.48, 0, 0, 0.64].forEach((x, t) => {
      expect(out[t]).toBeCloseTo(x, 12);
    });
  });
});

describe('a reach', () => {
  it('limits controllers to the range of their fit', () => {
    const model = makeModel();
    const controllers = makeHelperControllers(model);
    const [at, beyond] = [new Float64Array(LOCAL_SIZE), new Float64Array(LOCAL_SIZE)];
    const q = [0, 0, 0, 1];
    quaternionFromAxisAngle([0, 0, 1], 2, q);
    controllers.localsInto(poseOf(model, q), at);
    quaternionFromAxisAngle([0, 0, 1], 2.5, q);
    controllers.localsInto(poseOf(model, q), beyond);
    beyond.forEach((x, c) => {
      expect(x).toBeCloseTo(at[c], 10);
    });
  });
});

describe('checkHelperBones', () => {
  it('throws on inconsistent models', () => {
    const change = (part: Partial<HelperBones['controllers'][0]>): HelperBones => {
      const model = makeModel();
      return { ...model, controllers: [{ ...model.controllers[0], ...part }] };
    };
    expect(() => checkHelperBones(change({ bone: 9 }))).toThrow(/no bone 9/);
    expect(() => checkHelperBones(change({ bone: 0 }))).toThrow(/does not hang on a joint/);
    expect(() => checkHelperBones(change({ order: 0 }))).toThrow(/order/);
    expect(() => checkHelperBones(change({ joints: Int32Array.of(2) }))).toThrow(/not a joint/);
    expect(() => checkHelperBones(change({ reaches: Float64Array.of(4) }))).toThrow(/reach/);
    expect(() => checkHelperBones(change({ coefficients: new Float64Array(3) }))).toThrow(/coefficients/);
    expect(() => checkHelperBones(change({ coefficients: new Float64Array(81).fill(Number.NaN) }))).toThrow(/finite/);
  });
});
