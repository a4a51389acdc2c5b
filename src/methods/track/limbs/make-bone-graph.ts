// SPDX-License-Identifier: MIT

import type { Compute } from '../../../core/kernels/compute.ts';
import { reserveTrajectories, squareTrajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { edgeCollapseClusters } from '../../../fit/clusters/index.ts';
import type { ScanSurface } from '../register/make-scan-surface.ts';
import { type DeformationGraph, GRAPH_INFLUENCES } from '../solve/make-deformation-graph.ts';

/** Maximum points that are clusters of their own at first. Merging takes more than linear time: 5 s for 40,000 triangles. */
const MAX_CLUSTERED = 4000;

/**
 * Makes bones from tracked frames: connected clusters of nearly rigid motion, as a deformation graph whose points follow one bone each. Bones that touch are neighbours.
 * @param fine a graph with many nodes: their cells are merged instead of points if there are too many of these
 * @param found for each frame pointCount x 3
 * @param boneCount maximum number, unless the surface has more parts
 */
export async function makeBoneGraph(
  compute: Compute,
  { positions: rest, triangles, adjacency }: ScanSurface,
  fine: DeformationGraph,
  found: readonly Float64Array[],
  boneCount: number,
): Promise<DeformationGraph> {
  const pointCount = rest.length / 3;
  const isLarge = pointCount > MAX_CLUSTERED;
  const cells = Uint32Array.from({ length: pointCount }, (_, i) => (isLarge ? fine.nodes[GRAPH_INFLUENCES * i] : i));
  const cellCount = isLarge ? fine.nodeCount : pointCount;
  const counts = new Float64Array(cellCount);
  for (const cell of cells) counts[cell]++;
  const labelsOfCells = await compute.scope(async (memory) => {
    const trajectories = reserveTrajectories(memory, cellCount, found.length);
    const [restOfCells, posed] = [trajectories.rest.view().fill(0), trajectories.posed.view().fill(0)];
    for (let i = 0; i < pointCount; i++)
      for (let a = 0; a < 3; a++) {
        const cell = cells[i];
        restOfCells[3 * cell + a] += rest[3 * i + a] / counts[cell];
        for (let k = 0; k < found.length; k++)
          posed[(cell * found.length + k) * 3 + a] += found[k][3 * i + a] / counts[cell];
      }
    squareTrajectories(trajectories);
    return edgeCollapseClusters(trajectories, isLarge ? listCellTriangles(triangles, cells) : triangles, boneCount);
  });
  const labels = cells.map((cell) => labelsOfCells[cell]);
  const nodeCount = labels.reduce((count, label) => Math.max(count, label + 1), 0);
  const nodes = new Uint32Array(GRAPH_INFLUENCES * pointCount);
  const weights = new Float64Array(GRAPH_INFLUENCES * pointCount);
  const keys = new Set<number>();
  for (let i = 0; i < pointCount; i++) {
    nodes.fill(labels[i], GRAPH_INFLUENCES * i, GRAPH_INFLUENCES * (i + 1));
    weights[GRAPH_INFLUENCES * i] = 1;
    for (let e = adjacency.rowStart[i]; e < adjacency.rowStart[i + 1]; e++) {
      const other = labels[adjacency.neighbours[e]];
      if (labels[i] < other) keys.add(labels[i] * nodeCount + other);
    }
  }
  const sorted = [...keys].sort((a, b) => a - b);
  const edges = Uint32Array.from(sorted.flatMap((key) => [Math.floor(key / nodeCount), key % nodeCount]));
  return { nodeCount, points: listCentralPoints(rest, labels, nodeCount), edges, nodes, weights };
}

/** Triangles between cells: one for each triangle of points in three cells, each once. */
function listCellTriangles(triangles: Uint32Array, cells: Uint32Array): Uint32Array {
  const seen = new Set<string>();
  const list: number[] = [];
  for (let f = 0; f < triangles.length; f += 3) {
    const [a, b, c] = [cells[triangles[f]], cells[triangles[f + 1]], cells[triangles[f + 2]]];
    if (a === b || b === c || c === a) continue;
    const key = [a, b, c].sort((p, q) => p - q).join();
    if (seen.has(key)) continue;
    seen.add(key);
    list.push(a, b, c);
  }
  return Uint32Array.from(list);
}

/** For each cluster, its point nearest to its center. */
function listCentralPoints(rest: Float64Array, labels: Uint32Array, count: number): Uint32Array {
  const sums = new Float64Array(4 * count);
  for (let i = 0; i < labels.length; i++) {
    for (let a = 0; a < 3; a++) sums[4 * labels[i] + a] += rest[3 * i + a];
    sums[4 * labels[i] + 3]++;
  }
  const points = new Uint32Array(count);
  const least = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  for (let i = 0; i < labels.length; i++) {
    const j = labels[i];
    let square = 0;
    for (let a = 0; a < 3; a++) square += (rest[3 * i + a] - sums[4 * j + a] / sums[4 * j + 3]) ** 2;
    if (square >= least[j]) continue;
    least[j] = square;
    points[j] = i;
  }
  return points;
}
