// SPDX-License-Identifier: MIT
// A trunk with two arms whose mirror images are known: in the pose that was solved, one arm is raised.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { reserveTrajectories } from '../../../../core/kernels/matrices/trajectories.ts';
import { SkinFit } from '../../../../fit/skin/skin-fit.ts';
import { makeJointTree } from '../../joints/joint-tree.ts';
import type { StrictSolution } from '../../joints/solve-strict.ts';
import type { BodyMirror } from '../find-mirror.ts';
import { poseSymmetric } from '../pose-symmetric.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

const SHOULDER = 0.2;
/** Points of the trunk, then of the right arm, then their images in the left arm. */
const TRUNK: [number, number, number][] = [];
for (const y of [-0.5, -0.2, 0.1, 0.4]) for (const x of [-0.2, 0.2]) for (const z of [-0.1, 0.1]) TRUNK.push([x, y, z]);
const ARM: [number, number, number][] = [];
for (const x of [0.3, 0.5, 0.7, 0.9]) for (const y of [-0.05, 0.05]) for (const z of [-0.04, 0.06]) ARM.push([x, y, z]);

/** Turns about the z axis through a shoulder. */
function turn([x, y, z]: readonly number[], angle: number, shoulder: number): number[] {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [shoulder + c * (x - shoulder) - s * y, s * (x - shoulder) + c * y, z];
}

/** A skeleton of three bones whose left arm is raised by an angle at rest; in its two frames, both arms hang and are raised. */
function makeRaised(angle: number): { solution: StrictSolution; mirror: BodyMirror; frames: number[][][] } {
  const left = ARM.map(([x, y, z]) => turn([-x, y, z], -angle, -SHOULDER));
  const points = [...TRUNK, ...ARM, ...left];
  const bones = [...TRUNK.map(() => 0), ...ARM.map(() => 1), ...left.map(() => 2)];
  const trajectories = reserveTrajectories(compute, points.length, 2);
  trajectories.rest.view().set(points.flat());
  const fit = new SkinFit(compute, trajectories, 3, {
    ...{ influences: 1, transforms: 'rigid', ridge: 1e-9, sweeps: 2, support: 'exchange' },
  });
  fit.weights.bones.view().set(bones);
  fit.weights.weights.view().fill(1);
  const matrices = fit.bones.view();
  const put = (frame: number, bone: number, by: number, shoulder: number): void => {
    const [c, s] = [Math.cos(by), Math.sin(by)];
    const rows = [
      [c, -s, 0, shoulder - c * shoulder],
      [s, c, 0, -s * shoulder],
      [0, 0, 1, 0],
    ];
    rows.forEach((row, r) => {
      matrices.set(row, ((3 * frame + r) * 3 + bone) * 4);
    });
  };
  [-0.5, 0.7].forEach((by, frame) => {
    put(frame, 0, 0, 0);
    put(frame, 1, by, SHOULDER);
    // from the raised pose
    put(frame, 2, angle - by, -SHOULDER);
  });
  const tree = makeJointTree(
    3,
    [
      { a: 0, b: 1, joint: [SHOULDER, 0, 0] },
      { a: 0, b: 2, joint: [-SHOULDER, 0, 0] },
    ],
    0,
  );
  const imageOf = (i: number): number => {
    if (i < TRUNK.length)
      return TRUNK.findIndex(([x, y, z]) => x === -TRUNK[i][0] && y === TRUNK[i][1] && z === TRUNK[i][2]);
    return i < TRUNK.length + ARM.length ? i + ARM.length : i - ARM.length;
  };
  const mirror: BodyMirror = {
    cells: Int32Array.from(points.keys()),
    corners: Uint32Array.from(points.flatMap((_, i) => [imageOf(i), 0, 0])),
    shares: Float64Array.from(points.flatMap(() => [1, 0, 0])),
    part: 1,
  };
  const solution: StrictSolution = {
    ...{ fit, tree, iterations: 0, outsideBefore: 0, outside: 0, status: 'converged' },
  };
  return { solution, mirror, frames: placeFrames(fit) };
}

/** Positions of all points in all frames, from the bones. */
function placeFrames({ bones, trajectories, weights }: SkinFit): number[][][] {
  const [m, rest, ids] = [bones.view(), trajectories.rest.view(), weights.bones.view()];
  return Array.from({ length: trajectories.frameCount }, (_, k) =>
    Array.from(ids, (bone, i) =>
      [0, 1, 2].map((r) => {
        const o = ((3 * k + r) * 3 + bone) * 4;
        return m[o] * rest[3 * i] + m[o + 1] * rest[3 * i + 1] + m[o + 2] * rest[3 * i + 2] + m[o + 3];
      }),
    ),
  );
}

it('lowers a raised arm halfway, raises the other one, and keeps all frames and connected joints', () => {
  const { solution, mirror, frames } = makeRaised(0.8);
  poseSymmetric(solution, mirror);
  const rest = solution.fit.trajectories.rest.view();
  let center = 0;
  for (let i = 0; i < TRUNK.length; i++) center += rest[3 * i] / TRUNK.length;
  for (let i = 0; 3 * i < rest.length; i++) {
    const image = 3 * mirror.corners[3 * i];
    expect(rest[image]).toBeCloseTo(2 * center - rest[3 * i], 2);
    expect(rest[image + 1]).toBeCloseTo(rest[3 * i + 1], 2);
    expect(rest[image + 2]).toBeCloseTo(rest[3 * i + 2], 2);
  }
  // the arms were 0.8 apart
  const hand = 3 * (TRUNK.length + ARM.length - 1);
  const shoulder = solution.tree.joints.subarray(3, 6);
  expect(Math.atan2(rest[hand + 1] - shoulder[1], rest[hand] - shoulder[0])).toBeCloseTo(
    0.4 + Math.atan2(0.05, 0.7),
    1,
  );
  placeFrames(solution.fit).forEach((points, k) => {
    points.forEach((point, i) => {
      point.forEach((value, r) => {
        expect(value).toBeCloseTo(frames[k][i][r], 9);
      });
    });
  });
  // both bones of a joint take it to the same place
  const { joints } = solution.tree;
  const m = solution.fit.bones.view();
  for (let row = 0; row < 6; row++) {
    const at = (bone: number, j: number): number => {
      const o = (row * 3 + bone) * 4;
      return m[o] * joints[3 * j] + m[o + 1] * joints[3 * j + 1] + m[o + 2] * joints[3 * j + 2] + m[o + 3];
    };
    for (const j of [1, 2]) expect(at(0, j)).toBeCloseTo(at(j, j), 9);
  }
});

it('changes nothing if the pose is symmetric', () => {
  const { solution, mirror } = makeRaised(0);
  const before = solution.fit.trajectories.rest.view().slice();
  poseSymmetric(solution, mirror);
  solution.fit.trajectories.rest.view().forEach((value, c) => {
    expect(value).toBeCloseTo(before[c], 9);
  });
});
