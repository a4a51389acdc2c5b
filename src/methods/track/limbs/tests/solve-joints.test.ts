// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { DeformationGraph, GraphPose } from '../../solve/make-deformation-graph.ts';
import { solveJoints } from '../solve-joints.ts';

const REST = Float64Array.of(-1, 0, 0, 1, 0.2, 0);
const JOINT = [0.3, 0.1, 0.5];
const GRAPH: DeformationGraph = {
  ...{ nodeCount: 2, points: Uint32Array.of(0, 1), edges: Uint32Array.of(0, 1) },
  ...{ nodes: new Uint32Array(0), weights: new Float64Array(0) },
};

/** The first bone turns about the z axis through the origin, and the second one against it about an axis through the joint. */
function poseAt(angle: number, bend: number, axis: 'x' | 'y'): GraphPose {
  const first = turn('z', angle);
  const second = multiply(first, turn(axis, bend));
  const joint = apply(first, JOINT);
  const arm = apply(
    second,
    JOINT.map((x, a) => REST[3 + a] - x),
  );
  return {
    rotations: Float64Array.of(...first, ...second),
    centers: Float64Array.of(...apply(first, [...REST.subarray(0, 3)]), ...joint.map((x, a) => x + arm[a])),
  };
}

/** Column-major. */
function turn(axis: 'x' | 'y' | 'z', angle: number): number[] {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  if (axis === 'x') return [1, 0, 0, 0, c, s, 0, -s, c];
  return axis === 'y' ? [c, 0, -s, 0, 1, 0, s, 0, c] : [c, s, 0, -s, c, 0, 0, 0, 1];
}

function apply(m: readonly number[], v: readonly number[]): number[] {
  return [0, 1, 2].map((r) => m[r] * v[0] + m[3 + r] * v[1] + m[6 + r] * v[2]);
}

function multiply(m: readonly number[], n: readonly number[]): number[] {
  return [0, 3, 6].flatMap((c) => apply(m, n.slice(c, c + 3)));
}

describe('solveJoints', () => {
  it('finds the point that two bones move to the same place', () => {
    const poses = [poseAt(0.4, 0.8, 'x'), poseAt(-0.7, 1, 'y'), poseAt(0.2, -0.9, 'x')];
    const solved = solveJoints(
      GRAPH,
      REST,
      Float64Array.from(JOINT, (x) => x + 0.05),
      poses,
    );
    for (let a = 0; a < 3; a++) expect(solved[a]).toBeCloseTo(JOINT[a], 3);
  });

  it('keeps the given place along an axis about which the bones turn, and where they do not turn', () => {
    const given = Float64Array.of(0.9, 0, 0);
    const [x, y, z] = solveJoints(GRAPH, REST, given, [poseAt(0.1, 1, 'x'), poseAt(0.3, -0.8, 'x')]);
    expect(x).toBeCloseTo(0.9, 6);
    expect(y).toBeCloseTo(JOINT[1], 2);
    expect(z).toBeCloseTo(JOINT[2], 2);
    for (const [a, value] of solveJoints(GRAPH, REST, given, [poseAt(0.5, 0, 'x')]).entries())
      expect(value).toBeCloseTo(given[a], 9);
  });
});
