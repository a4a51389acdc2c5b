// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../../core/math/mat4.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { makeHelperBones } from '../../../../deformers/helper-bones/make-helper-bones.ts';
import { dropStillHelpers } from '../drop-still-helpers.ts';

/** Two joints at x = 0 and 1, and helpers on the second: one that moves up as it turns, between two that only follow. */
function makeLearned() {
  const moving = new Float64Array(9 * 3);
  moving[3 + 2] = 0.3;
  const controllers = [new Float64Array(9 * 3), moving, new Float64Array(9 * 3)].map((coefficients, h) => ({
    ...{ bone: 2 + h, parent: 1, order: 1, coefficients },
    ...{ joints: Int32Array.of(1), reaches: Float64Array.of(1) },
  }));
  const binds = [0.5, 1, 1.5].map((x) => {
    const bind = makeIdentities(1);
    bind[12] = x;
    return bind;
  });
  return { controllers, binds, facts: controllers.map(({ parent }, h) => ({ parent, heldOut: h })) };
}

describe('dropStillHelpers', () => {
  it('keeps helpers that move, and replaces the others by their parents', () => {
    const kept = dropStillHelpers(makeLearned(), 2);
    expect([...kept.boneOf]).toEqual([0, 1, 1, 2, 1]);
    expect(kept.controllers.map(({ bone }) => bone)).toEqual([2]);
    expect(kept.facts).toEqual([{ parent: 1, heldOut: 1 }]);
    expect(kept.binds[0][12]).toBe(1);
  });

  it('changes no shape', () => {
    const learned = makeLearned();
    const kept = dropStillHelpers(learned, 2);
    const mesh = makeMesh(Float32Array.of(0.2, 0.1, 0, 1.2, 0, 0.3, 0.8, -0.1, 0.1), Uint32Array.of(0, 1, 2), 'one');
    const ids = [0, 2, 3, 1, 3, 4, 4, 0, 2];
    const weights = [0.5, 0.3, 0.2, 0.4, 0.5, 0.1, 0.6, 0.2, 0.2];
    const joints = makeIdentities(2);
    joints[16 + 12] = 1;
    const shapes = [
      { ...learned, ids },
      { ...kept, ids: ids.map((bone) => kept.boneOf[bone]) },
    ].map(({ controllers, binds, ids: bones }) => {
      const deformer = makeHelperBones({
        kind: 'helper-bones',
        mesh,
        skeleton: {
          names: Array.from({ length: 2 + controllers.length }, (_, j) => `${j}`),
          parents: Int32Array.of(-1, 0, ...controllers.map(({ parent }) => parent)),
          bindMatrices: Float64Array.from([...joints, ...binds.flatMap((bind) => [...bind])]),
        },
        skin: makeSkin(bones, weights, 3),
        controllers,
      });
      const pose = makeIdentities(2 + controllers.length);
      const [cos, sin] = [Math.cos(0.8), Math.sin(0.8)];
      // about the second joint
      pose.set([cos, sin, 0, 0, -sin, cos, 0, 0, 0, 0, 1, 0, 1 - cos, -sin, 0, 1], 16);
      const shape = new Float32Array(9);
      deformer.deformInto({ bones: pose }, shape);
      return shape;
    });
    for (let c = 0; c < 9; c++) expect(shapes[1][c]).toBeCloseTo(shapes[0][c], 6);
    expect(Math.abs(shapes[0][4] - mesh.positions[4])).toBeGreaterThan(0.1);
  });
});
