// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { makeSurfacePaths } from '../../limbs/surface-paths.ts';
import type { Matches } from '../../register/find-matches.ts';
import { makeScanSurface } from '../../register/make-scan-surface.ts';
import { GraphSolver, listJointArms } from '../graph-solver.ts';
import { deformByGraphInto, type GraphPose, makeDeformationGraph, spreadPoints } from '../make-deformation-graph.ts';
import { poseGraph } from '../pose-graph.ts';

const UNITS = { scale: 1, center: [0, 0, 0] };
const SIZE = 9;

/** A sheet of SIZE x SIZE points in the unit square, slightly curved. */
function makeSheet() {
  const positions = new Float32Array(3 * SIZE * SIZE);
  const triangles: number[] = [];
  for (let r = 0; r < SIZE; r++)
    for (let c = 0; c < SIZE; c++) {
      const [x, y] = [c / (SIZE - 1), r / (SIZE - 1)];
      positions.set([x, y, 0.2 * x * x + 0.1 * x * y], 3 * (r * SIZE + c));
      const i = r * SIZE + c;
      if (r < SIZE - 1 && c < SIZE - 1) triangles.push(i, i + 1, i + SIZE, i + 1, i + SIZE + 1, i + SIZE);
    }
  return makeScanSurface({ positions, triangles: Uint32Array.from(triangles) }, UNITS);
}

const surface = makeSheet();
const paths = makeSurfacePaths(surface);
const { points, spacings } = spreadPoints(paths, 8);
const graph = makeDeformationGraph(paths, points, spacings[7]);
const rest = surface.positions;
/** Joints beside the sheet, so that both arms of each have a length. */
const joints = Float64Array.from({ length: (3 * graph.edges.length) / 2 }, (_, c) => {
  const e = 2 * Math.floor(c / 3);
  const middle = (rest[3 * points[graph.edges[e]] + (c % 3)] + rest[3 * points[graph.edges[e + 1]] + (c % 3)]) / 2;
  return middle + (c % 3 === 2 ? -0.1 : 0);
});
const arms = listJointArms(graph, rest, joints);

/** Each point matched with its own place in another shape, with random normals. */
function matchWith(targets: Float64Array): Matches {
  const count = targets.length / 3;
  const random = makeRandom(2);
  const corners = Uint32Array.from({ length: 3 * count }, (_, n) => Math.floor(n / 3));
  const blends = Float64Array.from({ length: 3 * count }, (_, n) => (n % 3 === 0 ? 1 : 0));
  const normals = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    const v = [random.normal(), random.normal(), random.normal()];
    for (let a = 0; a < 3; a++) normals[3 * i + a] = v[a] / Math.hypot(...v);
  }
  return { count, corners, blends, targets, normals, weights: new Float64Array(count).fill(1) };
}

/** x → R x + t with a turn of 0.4 about z. */
const moved = rest.map((_, n) => {
  const [x, y, z] = rest.subarray(3 * Math.floor(n / 3), 3 * Math.floor(n / 3) + 3);
  const [c, s] = [Math.cos(0.4), Math.sin(0.4)];
  return [c * x - s * y + 0.1, s * x + c * y - 0.05, z + 0.2][n % 3];
});

const RHO = 0.1;
const BETA = 0.01;

/** The energy of the file's header. */
function measureEnergy(pose: GraphPose, matches: Matches, stiffness: number, share: number): number {
  const x = new Float64Array(rest.length);
  deformByGraphInto(graph, rest, pose, x);
  let data = 0;
  for (let m = 0; m < matches.count; m++) {
    const r = [0, 1, 2].map((a) => x[3 * m + a] - matches.targets[3 * m + a]);
    const along = r.reduce((sum, v, a) => sum + v * matches.normals[3 * m + a], 0);
    data += (1 - share) * along * along + share * r.reduce((sum, v) => sum + v * v, 0);
  }
  let coupling = 0;
  const { rotations, centers } = pose;
  for (let e = 0; e < graph.edges.length; e += 2) {
    const [j, k] = [graph.edges[e], graph.edges[e + 1]];
    const places = [j, k].map((node) =>
      [0, 1, 2].map((a) => {
        const arm = [0, 1, 2].map((c) => joints[(3 * e) / 2 + c] - rest[3 * points[node] + c]);
        return arm.reduce((sum, v, c) => sum + rotations[9 * node + 3 * c + a] * v, centers[3 * node + a]);
      }),
    );
    const gap = places[0].reduce((sum, v, a) => sum + (v - places[1][a]) ** 2, 0);
    const square = [0, 1, 2].reduce((sum, a) => sum + (rest[3 * points[j] + a] - rest[3 * points[k] + a]) ** 2, 0);
    coupling += (2 * BETA * gap) / (BETA + gap / square);
    let half = 0;
    for (let n = 0; n < 9; n++) half += (rotations[9 * j + n] - rotations[9 * k + n]) ** 2 / 2;
    coupling += (2 * RHO * square * BETA * half) / (BETA + half);
  }
  return data / matches.count + (stiffness * coupling) / (graph.edges.length / 2);
}

describe('GraphSolver', () => {
  it('recovers a rigid motion from planes alone', async () => {
    const solver = new GraphSolver(await makeCompute({ kind: 'typescript' }), graph);
    const pose = poseGraph(graph, rest, rest);
    const positions = rest.slice();
    const matches = matchWith(moved);
    for (let n = 0; n < 8; n++) {
      await solver.step(rest, positions, pose, matches, { joints: arms, stiffness: 1, pointShare: 0 });
      deformByGraphInto(graph, rest, pose, positions);
    }
    for (let c = 0; c < positions.length; c++) expect(positions[c]).toBeCloseTo(moved[c], 6);
  });

  it('moves against the gradient of its energy, by finite differences, and ends where that is zero', async () => {
    const solver = new GraphSolver(await makeCompute({ kind: 'typescript' }), graph);
    const random = makeRandom(9);
    const bent = moved.map((x) => x + 0.02 * random.normal());
    const matches = matchWith(bent);
    const options = { joints: arms, stiffness: 0.3, pointShare: 0.2 };
    const pose = poseGraph(graph, rest, moved);
    const positions = new Float64Array(rest.length);
    deformByGraphInto(graph, rest, pose, positions);
    const energies = [measureEnergy(pose, matches, 0.3, 0.2)];
    for (let n = 0; n < 12; n++) {
      await solver.step(rest, positions, pose, matches, options);
      deformByGraphInto(graph, rest, pose, positions);
      energies.push(measureEnergy(pose, matches, 0.3, 0.2));
    }
    expect(energies[1]).toBeLessThan(energies[0]);
    const last = energies[energies.length - 1];
    for (let j = 0; j < graph.nodeCount; j++)
      for (let a = 0; a < 3; a++)
        for (const h of [1e-4, -1e-4]) {
          const shifted = { rotations: pose.rotations, centers: pose.centers.slice() };
          shifted.centers[3 * j + a] += h;
          expect(measureEnergy(shifted, matches, 0.3, 0.2)).toBeGreaterThan(last);
          const turned = { rotations: pose.rotations.slice(), centers: pose.centers };
          turn(turned.rotations, 9 * j, a, h);
          expect(measureEnergy(turned, matches, 0.3, 0.2)).toBeGreaterThan(last);
        }
  });
});

/** Turns a rotation by a small angle about an axis. */
function turn(m: Float64Array, o: number, axis: number, angle: number): void {
  const [p, q] = [(axis + 1) % 3, (axis + 2) % 3];
  for (let c = 0; c < 3; c++) {
    const [x, y] = [m[o + 3 * c + p], m[o + 3 * c + q]];
    m[o + 3 * c + p] = Math.cos(angle) * x - Math.sin(angle) * y;
    m[o + 3 * c + q] = Math.sin(angle) * x + Math.cos(angle) * y;
  }
}
