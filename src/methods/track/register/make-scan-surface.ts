// SPDX-License-Identifier: MIT

import { measurePointAreas } from '../../../core/mesh/geometry/measure-point-areas.ts';
import { type Adjacency, makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
import { weldVertices } from '../../../core/mesh/topology/weld.ts';
import { makeSurfaceColors, type SurfaceColors } from '../template/make-surface-colors.ts';
import type { ScanFrame } from './scan-frame.ts';

/** The welded surface of a frame, without degenerate triangles and unreferenced vertices. */
export interface ScanSurface {
  /** pointCount x 3, in the units of the solver: the template's box diagonal is one */
  positions: Float64Array;
  /** triangleCount x 3 point indices */
  triangles: Uint32Array;
  adjacency: Adjacency;
  /** pointCount, 0 or 1: whether the point is on an edge with one triangle, such as the rim of a hole */
  isRim: Uint8Array;
  /** pointCount: a third of the area of the triangles around each point */
  areas: Float64Array;
  /** vertexCount of the frame: the point of each vertex; -1 for vertices without a triangle */
  pointOfVertex: Int32Array;
  colors?: SurfaceColors;
}

/** Scale and shift from file units to those of the solver. */
export interface SolverUnits {
  /** File units per unit of the solver. */
  scale: number;
  /** 3: file units */
  center: readonly number[];
}

/** Makes the surface that tracking works on. */
export function makeScanSurface(frame: ScanFrame, { scale, center }: SolverUnits): ScanSurface {
  const { pointOfVertex: weld } = weldVertices(frame.positions);
  const welded = frame.triangles.map((i) => weld[i]);
  const kept: number[] = [];
  for (let c = 0; c < welded.length; c += 3) {
    const [i, j, k] = [welded[c], welded[c + 1], welded[c + 2]];
    if (i !== j && j !== k && k !== i) kept.push(i, j, k);
  }
  const pointOfWeld = new Int32Array(frame.positions.length / 3).fill(-1);
  let count = 0;
  const triangles = Uint32Array.from(kept, (w) => {
    if (pointOfWeld[w] < 0) pointOfWeld[w] = count++;
    return pointOfWeld[w];
  });
  const pointOfVertex = Int32Array.from(weld, (w) => pointOfWeld[w]);
  const positions = new Float64Array(3 * count);
  for (let i = 0; i < pointOfVertex.length; i++)
    for (let a = 0; a < 3 && pointOfVertex[i] >= 0; a++)
      positions[3 * pointOfVertex[i] + a] = (frame.positions[3 * i + a] - center[a]) / scale;
  return {
    positions,
    triangles,
    adjacency: makeAdjacency(count, triangles),
    isRim: findRim(count, triangles),
    areas: measurePointAreas(positions, triangles),
    pointOfVertex,
    ...(frame.colors
      ? { colors: makeSurfaceColors(positions, triangles, averageColors(frame.colors, pointOfVertex, count)) }
      : {}),
  };
}

/** The same surface in other units. */
export function rescaleSurface(surface: ScanSurface, from: SolverUnits, to: SolverUnits): ScanSurface {
  const ratio = from.scale / to.scale;
  const { positions, areas, colors } = surface;
  return {
    ...surface,
    positions: positions.map((x, c) => (x * from.scale + from.center[c % 3] - to.center[c % 3]) / to.scale),
    areas: areas.map((area) => area * ratio * ratio),
    ...(colors ? { colors: { ...colors, gradients: colors.gradients.map((g) => g / ratio) } } : {}),
  };
}

/** The mean colour of the vertices of each point. */
function averageColors(colors: Float32Array, pointOfVertex: Int32Array, pointCount: number): Float64Array {
  const values = new Float64Array(3 * pointCount);
  const counts = new Uint32Array(pointCount);
  for (const [i, point] of pointOfVertex.entries()) {
    if (point < 0) continue;
    counts[point]++;
    for (let a = 0; a < 3; a++) values[3 * point + a] += colors[3 * i + a];
  }
  return values.map((sum, c) => sum / counts[Math.floor(c / 3)]);
}

/** Points of edges that belong to one triangle only. */
function findRim(count: number, triangles: Uint32Array): Uint8Array {
  const uses = new Map<number, number>();
  for (let c = 0; c < triangles.length; c++) {
    const [i, j] = [triangles[c], triangles[c % 3 === 2 ? c - 2 : c + 1]];
    const key = Math.min(i, j) * count + Math.max(i, j);
    uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  const isRim = new Uint8Array(count);
  for (const [key, n] of uses) if (n === 1) isRim[Math.floor(key / count)] = isRim[key % count] = 1;
  return isRim;
}
