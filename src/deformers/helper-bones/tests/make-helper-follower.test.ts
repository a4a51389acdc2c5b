// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities } from '../../../core/math/mat4.ts';
import type { HelperBones } from '../../../core/model/deformed/helper-bones.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeHelperControllers } from '../make-helper-bones.ts';
import { makeHelperFollower } from '../make-helper-follower.ts';
import { makeSpring } from '../make-spring.ts';

/** A joint that turns about z, and a helper that moves along x by its angle. */
function makeModel(delay: number, damping: number): HelperBones {
  const coefficients = new Float64Array(9 * 3);
  coefficients[2] = 1;
  return {
    kind: 'helper-bones',
    mesh: makeMesh(Float32Array.of(0, 0, 0), new Uint32Array(0)),
    skeleton: {
      names: ['root', 'joint', 'helper'],
      parents: Int32Array.of(-1, 0, 0),
      bindMatrices: makeIdentities(3),
    },
    skin: makeSkin([2], [1], 1),
    controllers: [
      {
        ...{ bone: 2, joints: Int32Array.of(1), reaches: Float64Array.of(3), order: 1, coefficients },
        follow: { delay, damping },
      },
    ],
  };
}

function pose(angle: number): Float64Array {
  const bones = makeIdentities(3);
  compose([0, 0, 0], [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)], [1, 1, 1], bones, 0, 0, 0, 16);
  return bones;
}

describe('makeSpring', () => {
  it.each([1, 0.6, 0.2])('solves the equation of motion with damping %d, for any length of steps', (damping) => {
    const follow = { delay: 0.3, damping };
    const omega = (2 * damping) / follow.delay;
    // reference: small steps
    let [x, v] = [0.2, -1];
    const target = (t: number) => 1 + 3 * t;
    const step = 1e-5;
    for (let t = 0; t < 0.5 - step / 2; t += step) {
      const a = omega * omega * (target(t + step / 2) - x - (v * step) / 2) - 2 * damping * omega * v;
      const middle = v + (a * step) / 2;
      x += middle * step;
      v += (omega * omega * (target(t + step / 2) - x) - 2 * damping * omega * middle) * step;
    }
    for (const count of [1, 7]) {
      const [values, speeds] = [Float64Array.of(0.2), Float64Array.of(-1)];
      for (let n = 0; n < count; n++) {
        const [from, to] = [target((0.5 * n) / count), target((0.5 * (n + 1)) / count)];
        makeSpring(follow).advance(values, speeds, Float64Array.of(from), Float64Array.of(to), 0.5 / count);
      }
      expect(values[0]).toBeCloseTo(x, 3);
      expect(speeds[0]).toBeCloseTo(v, 2);
    }
  });
});

describe('makeHelperFollower', () => {
  it('starts at the target, lags behind a steady motion by the delay, and ends at the target', () => {
    const model = makeModel(0.1, 0.8);
    const follower = makeHelperFollower(model);
    const xAt = (angle: number, seconds: number) => {
      const bones = pose(angle);
      follower.poseInto(bones, seconds);
      return bones[32 + 12];
    };
    expect(xAt(0.5, 0)).toBeCloseTo(0.5, 12);
    let x = 0;
    for (let k = 1; k <= 60; k++) x = xAt(0.5 + k / 60, 1 / 60);
    expect(x).toBeCloseTo(1.5 - 0.1, 3);
    for (let k = 0; k < 120; k++) x = xAt(1.5, 1 / 60);
    expect(x).toBeCloseTo(1.5, 6);
    follower.reset();
    expect(xAt(0.1, 1)).toBeCloseTo(0.1, 12);
  });

  it('follows at once without a delay, as the controllers do', () => {
    const [{ follow: _follow, ...controller }] = makeModel(1, 1).controllers;
    const model = { ...makeModel(1, 1), controllers: [controller] };
    const [bones, expected] = [pose(0.7), pose(0.7)];
    const follower = makeHelperFollower(model);
    follower.poseInto(pose(0.1), 0);
    follower.poseInto(bones, 0.01);
    makeHelperControllers(model).poseInto(expected);
    expect(bones).toEqual(expected);
  });
});
