// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeSurfacePaths } from '../../limbs/surface-paths.ts';
import { makeScanSurface } from '../../register/make-scan-surface.ts';
import { GRAPH_INFLUENCES, makeDeformationGraph, spreadPoints } from '../make-deformation-graph.ts';

/** A strip folded in half, so that its ends are close in space: x goes to 1 and back, z is 0 and then 0.01. */
function makeFolded() {
  const steps = 40;
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let n = 0; n <= steps; n++) {
    const t = (2 * n) / steps;
    for (const y of [0, 0.05]) positions.push(t <= 1 ? t : 2 - t, y, t <= 1 ? 0 : 0.01);
    if (n > 0) triangles.push(2 * n - 2, 2 * n, 2 * n - 1, 2 * n - 1, 2 * n, 2 * n + 1);
  }
  const frame = { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
  return makeScanSurface(frame, { scale: 1, center: [0, 0, 0] });
}

describe('makeDeformationGraph', () => {
  const surface = makeFolded();
  const paths = makeSurfacePaths(surface);
  const { points, spacings } = spreadPoints(paths, 12);
  const graph = makeDeformationGraph(paths, points, spacings[11]);

  it('has weights from 0 to 1 that sum to one', () => {
    for (let row = 0; row < graph.weights.length; row += GRAPH_INFLUENCES) {
      const weights = graph.weights.subarray(row, row + GRAPH_INFLUENCES);
      expect(Math.min(...weights)).toBeGreaterThanOrEqual(0);
      expect(weights.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 12);
    }
  });

  it('does not couple parts that are close in space and far along the surface', () => {
    // in these coordinates the strip is straight
    const along = (i: number): number => {
      const [x, , z] = surface.positions.subarray(3 * i, 3 * i + 3);
      return z > 0.005 ? 2 - x : x;
    };
    for (let n = 0; n < graph.nodes.length; n++) {
      if (graph.weights[n] === 0) continue;
      const distance = Math.abs(along(Math.floor(n / GRAPH_INFLUENCES)) - along(graph.points[graph.nodes[n]]));
      expect(distance).toBeLessThan(0.7);
    }
  });

  it('joins separate parts, so that every node has a neighbour', () => {
    const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1);
    const two = makeScanSurface(
      { positions, triangles: Uint32Array.of(0, 1, 2, 3, 4, 5) },
      { scale: 1, center: [0, 0, 0] },
    );
    const links = makeSurfacePaths(two);
    const spread = spreadPoints(links, 4);
    const { edges, nodeCount } = makeDeformationGraph(links, spread.points, spread.spacings[3]);
    expect(new Set(edges).size).toBe(nodeCount);
  });
});
