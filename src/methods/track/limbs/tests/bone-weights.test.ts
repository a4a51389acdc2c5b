// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import type { Matches } from '../../register/find-matches.ts';
import { makeScanSurface } from '../../register/make-scan-surface.ts';
import {
  type DeformationGraph,
  deformByGraphInto,
  GRAPH_INFLUENCES,
  type GraphPose,
} from '../../solve/make-deformation-graph.ts';
import { poseGraph } from '../../solve/pose-graph.ts';
import { BoneWeights } from '../bone-weights.ts';
import { makeBoneGraph } from '../make-bone-graph.ts';

const [COLUMNS, ROWS] = [21, 3];
const ANGLES = [-0.8, -0.3, 0.4, 0.9];

/** A strip from x = -1 to 1; its right half turns about the middle. */
const surface = makeScanSurface(makeStrip(), { scale: 1, center: [0, 0, 0] });
const rest = surface.positions;

function makeStrip() {
  const triangles: number[] = [];
  const positions = Float32Array.from({ length: 3 * COLUMNS * ROWS }, (_, c) => {
    const i = Math.floor(c / 3);
    return c % 3 === 0 ? (2 * Math.floor(i / ROWS)) / (COLUMNS - 1) - 1 : c % 3 === 1 ? 0.1 * (i % ROWS) : 0;
  });
  for (let c = 0; c + 1 < COLUMNS; c++)
    for (let r = 0; r + 1 < ROWS; r++) {
      const i = c * ROWS + r;
      triangles.push(i, i + ROWS, i + 1, i + 1, i + ROWS, i + ROWS + 1);
    }
  return { positions, triangles: Uint32Array.from(triangles) };
}

/** Two bones at the ends of the strip, and the part of the right one. */
function makeGraph(right: (x: number) => number): DeformationGraph {
  const pointCount = rest.length / 3;
  const nodes = new Uint32Array(GRAPH_INFLUENCES * pointCount);
  const weights = new Float64Array(GRAPH_INFLUENCES * pointCount);
  for (let i = 0; i < pointCount; i++) {
    const w = right(rest[3 * i]);
    nodes.set([0, 1], GRAPH_INFLUENCES * i);
    weights.set([1 - w, w], GRAPH_INFLUENCES * i);
  }
  const points = Uint32Array.of(findPoint(-1), findPoint(1));
  return { nodeCount: 2, points, edges: Uint32Array.of(0, 1), nodes, weights };
}

const findPoint = (x: number): number => rest.findIndex((value, c) => c % 3 === 0 && value === x) / 3;

/** The left bone stays, and the right one turns about the y axis through the middle. */
function poseAt(graph: DeformationGraph, angle: number): GraphPose {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [left, right] = [...graph.points].map((point) => rest.subarray(3 * point, 3 * point + 3));
  return {
    rotations: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, c, 0, -s, 0, 1, 0, s, 0, c),
    centers: Float64Array.of(...left, c * right[0], right[1], -s * right[0]),
  };
}

/** Planes in random directions through the true places. */
function makePlanes(truth: Float64Array, seed: number): Matches {
  const random = makeRandom(seed);
  const count = truth.length / 3;
  const normals = new Float64Array(truth.length);
  for (let i = 0; i < count; i++) {
    const n = [0, 1, 2].map(() => random.next() - 0.5);
    const length = Math.hypot(...n);
    for (let a = 0; a < 3; a++) normals[3 * i + a] = n[a] / length;
  }
  return {
    count,
    corners: Uint32Array.from({ length: 3 * count }, (_, c) => Math.floor(c / 3)),
    blends: Float64Array.from({ length: 3 * count }, (_, c) => (c % 3 === 0 ? 1 : 0)),
    targets: truth.slice(),
    normals,
    weights: new Float64Array(count).fill(1),
  };
}

const blend = (x: number): number => Math.min(1, Math.max(0, 0.5 + 2 * x));

describe('BoneWeights', () => {
  it('recovers weights from one plane per point and frame', () => {
    const known = makeGraph(blend);
    const graph = makeGraph((x) => (x > 0 ? 1 : 0));
    const solver = new BoneWeights(graph, rest, surface.adjacency);
    const [truth, shape] = [new Float64Array(rest.length), new Float64Array(rest.length)];
    for (const [k, angle] of ANGLES.entries()) {
      const pose = poseAt(graph, angle);
      deformByGraphInto(known, rest, pose, truth);
      deformByGraphInto(graph, rest, pose, shape);
      solver.add(pose, shape, makePlanes(truth, k), 0);
    }
    solver.solve();
    for (const angle of ANGLES) {
      const pose = poseAt(graph, angle);
      deformByGraphInto(known, rest, pose, truth);
      deformByGraphInto(graph, rest, pose, shape);
      // weights of one at the start are wrong by up to 0.1
      const errors = Array.from({ length: rest.length / 3 }, (_, i) =>
        Math.hypot(...[0, 1, 2].map((a) => shape[3 * i + a] - truth[3 * i + a])),
      );
      expect(Math.max(...errors)).toBeLessThan(0.02);
    }
    for (let i = 0; i < graph.weights.length; i += GRAPH_INFLUENCES)
      expect(graph.weights.subarray(i, i + GRAPH_INFLUENCES).reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 9);
  });
});

describe('weights without planes', () => {
  it('come from neighbours', () => {
    const graph = makeGraph(blend);
    const odd = GRAPH_INFLUENCES * findPoint(0);
    graph.weights.set([1, 0], odd);
    const solver = new BoneWeights(graph, rest, surface.adjacency);
    const shape = new Float64Array(rest.length);
    for (const angle of ANGLES) {
      const pose = poseAt(graph, angle);
      deformByGraphInto(graph, rest, pose, shape);
      solver.add(pose, shape, { ...makePlanes(shape, 0), count: 0 }, 0);
    }
    solver.solve();
    const right = [...graph.weights.subarray(odd, odd + 2)][graph.nodes[odd] === 1 ? 0 : 1];
    expect(right).toBeGreaterThan(0.3);
    expect(right).toBeLessThan(0.7);
  });
});

describe('makeBoneGraph', () => {
  let compute: Compute;
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
  });
  afterAll(() => compute.dispose());

  it('finds the two rigid halves of a strip that bends', async () => {
    const known = makeGraph((x) => (x > 0 ? 1 : 0));
    const frames = ANGLES.map((angle) => {
      const shape = new Float64Array(rest.length);
      deformByGraphInto(known, rest, poseAt(known, angle), shape);
      return shape;
    });
    const graph = await makeBoneGraph(compute, surface, known, frames, 2);
    expect(graph.nodeCount).toBe(2);
    expect([...graph.edges]).toEqual([0, 1]);
    const moved = new Float64Array(rest.length);
    for (const frame of frames) {
      deformByGraphInto(graph, rest, poseGraph(graph, rest, frame), moved);
      expect(Math.max(...moved.map((x, c) => Math.abs(x - frame[c])))).toBeLessThan(0.05);
    }
  });
});
