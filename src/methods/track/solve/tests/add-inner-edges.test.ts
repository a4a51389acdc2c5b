// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { vertexNormalsInto } from '../../../../core/mesh/geometry/vertex-normals.ts';
import { addInnerEdges } from '../add-inner-edges.ts';
import { type DeformationGraph, GRAPH_INFLUENCES } from '../make-deformation-graph.ts';

const [RINGS, SIDES] = [6, 8];

/** A tube with a node at every point. */
function makeTube(): { surface: { positions: Float64Array; triangles: Uint32Array }; graph: DeformationGraph } {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let r = 0; r < RINGS; r++)
    for (let s = 0; s < SIDES; s++) {
      const angle = (2 * Math.PI * s) / SIDES;
      positions.push(Math.cos(angle), Math.sin(angle), r);
      const [a, b] = [r * SIDES + s, r * SIDES + ((s + 1) % SIDES)];
      if (r + 1 < RINGS) triangles.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
    }
  const count = RINGS * SIDES;
  const nodes = new Uint32Array(GRAPH_INFLUENCES * count);
  const weights = new Float64Array(GRAPH_INFLUENCES * count);
  for (let i = 0; i < count; i++) {
    nodes[GRAPH_INFLUENCES * i] = i;
    weights[GRAPH_INFLUENCES * i] = 1;
  }
  const points = Uint32Array.from({ length: count }, (_, j) => j);
  return {
    surface: { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) },
    graph: { nodeCount: count, points, edges: Uint32Array.of(0, 1), nodes, weights },
  };
}

it('couples opposite sides of a tube, and keeps other edges', () => {
  const { surface, graph } = makeTube();
  const normals = new Float32Array(surface.positions.length);
  vertexNormalsInto(surface.positions, surface.triangles, normals);
  const { edges } = addInnerEdges(graph, surface, normals);
  expect([...edges.subarray(0, 2)]).toEqual([0, 1]);
  let opposite = 0;
  for (let e = 2; e < edges.length; e += 2) {
    const [j, k] = [edges[e], edges[e + 1]];
    // the same ring or the next one, and not on the same side
    expect(Math.abs(Math.floor(j / SIDES) - Math.floor(k / SIDES))).toBeLessThanOrEqual(1);
    const apart = Math.abs((j % SIDES) - (k % SIDES));
    if (Math.min(apart, SIDES - apart) === SIDES / 2) opposite++;
  }
  expect(opposite).toBeGreaterThan(RINGS);
});

it('adds nothing to an open surface', () => {
  const { surface, graph } = makeTube();
  // only one half of the tube, seen from outside
  const half = surface.triangles.filter((_, c) => Math.floor(c / 6) % SIDES < SIDES / 4);
  const normals = new Float32Array(surface.positions.length);
  vertexNormalsInto(surface.positions, half, normals);
  expect(addInnerEdges(graph, { ...surface, triangles: half }, normals).edges.length).toBe(2);
});
