// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import { jointTermsInto } from '../../../deformers/helper-bones/helper-bones-terms.ts';
import { listControllers } from '../../../deformers/helper-bones/list-controllers.ts';
import { makeHelperBones } from '../../../deformers/helper-bones/make-helper-bones.ts';
import { writeBlenderDrivers } from '../../../deformers/helper-bones/write-blender-drivers.ts';
import { addHelperMotion } from '../../../deformers/playback/bake/bake-helper-motions.ts';
import { makeRigClip, makeRigSample } from '../../../samples/rigs/make-rig-sample.ts';
import { convert } from '../convert.ts';

const QUICK = { samples: 6, iterations: 2, order: 2, threads: 1 };

describe('convert', () => {
  it('takes a source from the library, with motions for its ranges and its error', async () => {
    const source = makeRigSample('helper-bone');
    const { motion } = makeRigClip('helper-bone', 8);
    const result = await convert(
      { kind: 'rig', rig: source },
      { ...QUICK, ranges: 'auto', motions: [motion!], maxError: 1 },
    );
    expect(result.tried).toEqual([{ helpers: 0, max: expect.any(Number) }]);
    expect(result.seconds).toBeGreaterThan(0);
    await expect(convert({ kind: 'rig', rig: source }, { ...QUICK, ranges: 'limits' })).rejects.toThrow(
      'only a file can have joint limits',
    );
    await expect(convert({ kind: 'rig', rig: source }, { ...QUICK, maxError: -1 })).rejects.toThrow(
      'maxError must be a length above zero',
    );
    await expect(convert({ kind: 'rig', rig: source }, { ...QUICK, ranges: { tail: 9 } })).rejects.toThrow(
      'there is no bone "tail"',
    );
  });

  it('gives motions of all bones, and controllers by name', async () => {
    const source = makeRigSample('helper-bone');
    const { motion } = makeRigClip('helper-bone', 8);
    const { model, bones } = await convert({ kind: 'rig', rig: source }, { ...QUICK, helpers: 1 });
    expect([...bones]).toEqual([0, 1, 2, -1]);
    const whole = addHelperMotion(model, motion!);
    expect(whole.matrices.length).toBe(8 * 4 * 16);
    const { helpers } = listControllers(model);
    expect(helpers[0].parent).toBe(model.skeleton.names[model.skeleton.parents[3]]);
    expect(helpers[0].terms.length).toBeGreaterThan(0);
    const script = writeBlenderDrivers(model, 'odd $& "name".glb');
    expect(script).toContain('odd $& \\"name\\".glb');
    expect(script).toContain(JSON.stringify(JSON.stringify(helpers[0].name)).slice(1, -1));
  });

  it('writes terms that a few lines evaluate to what the deformer does', async () => {
    const source = makeRigSample('helper-bone');
    const { model } = await convert({ kind: 'rig', rig: source }, { ...QUICK, helpers: 1 });
    const [{ terms, inputs }] = listControllers(model).helpers;
    const q = [0, 0, 0, 1];
    quaternionFromAxisAngle([1, 2, -1], 0.7, q);
    const vector = [1, 2, -1].map((x) => (0.7 * x) / Math.sqrt(6));
    const found = [0, 0, 0];
    for (const { powers, translation, input } of terms)
      if (translation && inputs[input].joint === inputs[0].joint)
        translation.forEach((k, c) => {
          found[c] += k * powers.reduce((value, power, axis) => value * vector[axis] ** power, 1);
        });
    const { coefficients, joints, order } = model.controllers[0];
    const width = coefficients.length / 9;
    const values = new Float64Array(width / joints.length);
    jointTermsInto(q, order, Math.PI, values);
    for (let c = 0; c < 3; c++) {
      const expected = values.reduce((sum, value, t) => sum + value * coefficients[c * width + t], 0);
      expect(found[c]).toBeCloseTo(expected, 8);
    }
    const positions = new Float32Array(source.mesh.positions.length);
    makeHelperBones(model).deformInto({ bones: makeIdentities(4) }, positions);
    expect(Math.max(...positions.map((x, c) => Math.abs(x - source.mesh.positions[c])))).toBeLessThan(1e-5);
  });
});
