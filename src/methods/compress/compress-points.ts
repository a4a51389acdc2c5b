// SPDX-License-Identifier: MIT

import { SYM4_SIZE } from '../../core/math/sym4.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { makeDdmPatches } from '../../deformers/direct-delta-mush/index.ts';

/** The distinct vertices of a model with their multi-weights about their own centers; all positions are relative to the center of the box. */
export interface CompressPoints {
  pointCount: number;
  /** vertexCount */
  pointOfVertex: Uint32Array;
  /** pointCount: the first vertex of each point */
  vertexOfPoint: Uint32Array;
  /** The center of the box, file units. */
  origin: readonly [number, number, number];
  /** The longest side of the box, file units: the reference length of relative errors. */
  height: number;
  /** pointCount x 3 */
  positions: Float64Array;
  /** pointCount + 1 */
  rowStart: Uint32Array;
  /** entryCount */
  boneIndices: Uint32Array;
  /** entryCount x 10: multi-weights about the center */
  centered: Float64Array;
  /** pointCount x 3 */
  centers: Float64Array;
  /** pointCount x 6: their sum, xx xy xz yy yz zz */
  spreads: Float64Array;
}

/** Groups vertices with the same position and multi-weights: the vertices of UV seams are compressed once. */
export function listCompressPoints(model: DirectDeltaMush): CompressPoints {
  const rest = model.mesh.positions;
  const { rowStart, boneIndices } = model.multiWeights;
  const { min, max } = measureBounds(rest);
  const origin: [number, number, number] = [0, 1, 2].map((c) => (min[c] + max[c]) / 2) as [number, number, number];
  const height = Math.max(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
  const { pointOfVertex, vertices } = groupVertices(model);

  const patches = makeDdmPatches(model);
  const pointCount = vertices.length;
  const starts = new Uint32Array(pointCount + 1);
  vertices.forEach((i, p) => {
    starts[p + 1] = starts[p] + rowStart[i + 1] - rowStart[i];
  });
  const points: CompressPoints = {
    pointCount,
    pointOfVertex,
    vertexOfPoint: Uint32Array.from(vertices),
    origin,
    height,
    positions: new Float64Array(3 * pointCount),
    rowStart: starts,
    boneIndices: new Uint32Array(starts[pointCount]),
    centered: new Float64Array(SYM4_SIZE * starts[pointCount]),
    centers: new Float64Array(3 * pointCount),
    spreads: new Float64Array(6 * pointCount),
  };
  vertices.forEach((i, p) => {
    for (let c = 0; c < 3; c++) {
      points.positions[3 * p + c] = rest[3 * i + c] - origin[c];
      points.centers[3 * p + c] = patches.centers[3 * i + c] - origin[c];
    }
    points.boneIndices.set(boneIndices.subarray(rowStart[i], rowStart[i + 1]), starts[p]);
    points.centered.set(
      patches.centered.subarray(SYM4_SIZE * rowStart[i], SYM4_SIZE * rowStart[i + 1]),
      SYM4_SIZE * starts[p],
    );
    points.spreads.set(patches.spreads.subarray(6 * i, 6 * i + 6), 6 * p);
  });
  return points;
}

/** Groups vertices, by first vertex. */
function groupVertices({ mesh, multiWeights }: DirectDeltaMush): { pointOfVertex: Uint32Array; vertices: number[] } {
  const rest = mesh.positions;
  const pointOfVertex = new Uint32Array(rest.length / 3);
  const vertices: number[] = [];
  const byPlace = new Map<string, number[]>();
  for (let i = 0; i < pointOfVertex.length; i++) {
    const key = `${rest[3 * i]} ${rest[3 * i + 1]} ${rest[3 * i + 2]}`;
    const there = byPlace.get(key) ?? [];
    let point = there.find((p) => isSameRow(multiWeights, vertices[p], i));
    if (point === undefined) {
      point = vertices.length;
      vertices.push(i);
      there.push(point);
      byPlace.set(key, there);
    }
    pointOfVertex[i] = point;
  }
  return { pointOfVertex, vertices };
}

function isSameRow({ rowStart, boneIndices, omegas }: DirectDeltaMush['multiWeights'], a: number, b: number): boolean {
  const count = rowStart[a + 1] - rowStart[a];
  if (rowStart[b + 1] - rowStart[b] !== count) return false;
  for (let e = 0; e < count; e++) if (boneIndices[rowStart[a] + e] !== boneIndices[rowStart[b] + e]) return false;
  const oa = SYM4_SIZE * rowStart[a];
  const ob = SYM4_SIZE * rowStart[b];
  for (let c = 0; c < SYM4_SIZE * count; c++) if (omegas[oa + c] !== omegas[ob + c]) return false;
  return true;
}
