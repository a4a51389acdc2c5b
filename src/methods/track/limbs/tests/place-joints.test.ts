// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeScanSurface } from '../../register/make-scan-surface.ts';
import { makeDeformationGraph, spreadPoints } from '../../solve/make-deformation-graph.ts';
import { placeJoints } from '../place-joints.ts';
import { makeSurfacePaths } from '../surface-paths.ts';

const AROUND = 8;
const LENGTH = 20;

describe('placeJoints', () => {
  it('places a joint at the mean center of the border between two nodes, or between their own centers', () => {
    const positions: number[] = [];
    const triangles: number[] = [];
    for (let r = 0; r <= LENGTH; r++)
      for (let c = 0; c < AROUND; c++) {
        const angle = (2 * Math.PI * c) / AROUND;
        positions.push(r / LENGTH, 0.05 * Math.cos(angle), 0.05 * Math.sin(angle));
        if (r === LENGTH) continue;
        const [i, j] = [r * AROUND + c, r * AROUND + ((c + 1) % AROUND)];
        triangles.push(i, j, i + AROUND, j, j + AROUND, i + AROUND);
      }
    const surface = makeScanSurface(
      { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) },
      { scale: 1, center: [0, 0, 0] },
    );
    const paths = makeSurfacePaths(surface);
    const { points, spacings } = spreadPoints(paths, 2);
    const graph = makeDeformationGraph(paths, points, spacings[1]);
    const axis = surface.positions.map((x, c) => (c % 3 === 0 ? x : 0));
    // nodes are at both ends, the border is in the middle
    const [x, y, z] = placeJoints(graph, surface, axis);
    expect(x).toBeCloseTo(0.5, 1);
    expect([y, z]).toEqual([0, 0]);
    const apart = { ...graph, nodes: graph.nodes.map(() => 0) };
    expect(placeJoints(apart, surface, axis)[0]).toBeCloseTo((axis[3 * points[0]] + axis[3 * points[1]]) / 2, 12);
  });
});
