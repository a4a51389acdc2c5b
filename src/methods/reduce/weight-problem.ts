// SPDX-License-Identifier: MIT
// The input of every weight reduction: welded points of a skinned mesh in units of the rest pose's smallest enclosing ball, about their centroid, with
// their normals, neighbours and weights; only bones with weights.

import { smallestEnclosingBall } from '../../core/mesh/geometry/enclosing-ball.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { type Adjacency, makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import { pointTriangles, pointValues, type Weld, weldVertices } from '../../core/mesh/topology/weld.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';

/** Maximum total difference of the weights of vertices that are one point: the effect of 8-bit quantization on equal weights. */
const SAME_WEIGHTS = 0.02;

/** Weights in double precision, compressed rows: in descending order within a row. Those of cages may be negative. */
export interface WeightRows {
  /** rowCount + 1 */
  rowStart: Uint32Array;
  /** entryCount columns */
  columns: Uint32Array;
  /** entryCount */
  values: Float64Array;
}

export interface WeightProblem {
  weld: Weld;
  pointCount: number;
  /** Number of bones with weights. */
  boneCount: number;
  /** boneCount: the file's bone */
  boneOf: Uint32Array;
  /** pointCount x 3: about the centroid, in units of size */
  rest: Float64Array;
  /** pointCount x 3, unit length or zero */
  normals: Float32Array;
  /** triangleCount x 3 points */
  triangles: Uint32Array;
  adjacency: Adjacency;
  rows: WeightRows;
  /** Length of one unit in file units: the radius of the smallest enclosing ball. */
  size: number;
  center: [number, number, number];
}

/**
 * Makes the problem of a mesh and its skin. Throws on invalid rows: negative weights, a sum other than one, or no weights.
 * @param isSigned weights may be negative, as those of cages
 * @param all keep bones without weights: new weights may use them
 */
export function makeWeightProblem(
  mesh: Mesh,
  skin: Skin,
  fileBoneCount: number,
  isSigned = false,
  all = false,
): WeightProblem {
  checkRows(mesh, skin, fileBoneCount, isSigned);
  const weld = weldSkin(mesh, skin);
  const { pointCount, vertexOfPoint } = weld;
  const isUsed = new Uint8Array(fileBoneCount).fill(all ? 1 : 0);
  for (let e = 0; e < skin.weights.length; e++) if (skin.weights[e] !== 0) isUsed[skin.boneIndices[e]] = 1;
  const boneOf = Uint32Array.from(isUsed.keys()).filter((j) => isUsed[j] === 1);
  const place = new Uint32Array(fileBoneCount);
  boneOf.forEach((bone, j) => {
    place[bone] = j;
  });

  const center: [number, number, number] = [0, 0, 0];
  for (const v of vertexOfPoint) for (let r = 0; r < 3; r++) center[r] += mesh.positions[3 * v + r] / pointCount;
  const size = smallestEnclosingBall(mesh.positions).radius || 1;
  const rest = new Float64Array(3 * pointCount);
  for (let c = 0; c < rest.length; c++)
    rest[c] = (mesh.positions[3 * vertexOfPoint[Math.floor(c / 3)] + (c % 3)] - center[c % 3]) / size;
  const triangles = pointTriangles(mesh.triangles, weld);
  const normals = new Float32Array(3 * pointCount);
  vertexNormalsInto(pointValues(mesh.positions, 3, weld), triangles, normals);
  return {
    ...{ weld, pointCount, boneCount: boneOf.length, boneOf, rest, normals, triangles },
    adjacency: makeAdjacency(pointCount, triangles),
    rows: rowsOfPoints(skin, vertexOfPoint, place),
    ...{ size, center },
  };
}

/** Weights of points as a skin of the file's vertices and bones. Weights of zero or less are dropped. */
export function skinOfRows(problem: Pick<WeightProblem, 'weld' | 'boneOf'>, rows: WeightRows): Skin {
  const { pointOfVertex } = problem.weld;
  const sorted = sortRows(rows);
  const rowStart = new Uint32Array(pointOfVertex.length + 1);
  for (let v = 0; v < pointOfVertex.length; v++)
    rowStart[v + 1] = rowStart[v] + sorted.rowStart[pointOfVertex[v] + 1] - sorted.rowStart[pointOfVertex[v]];
  const boneIndices = new Uint32Array(rowStart[pointOfVertex.length]);
  const weights = new Float32Array(boneIndices.length);
  for (let v = 0; v < pointOfVertex.length; v++) {
    const from = sorted.rowStart[pointOfVertex[v]];
    for (let e = rowStart[v]; e < rowStart[v + 1]; e++) {
      boneIndices[e] = problem.boneOf[sorted.columns[from + e - rowStart[v]]];
      weights[e] = sorted.values[from + e - rowStart[v]];
    }
  }
  return { rowStart, boneIndices, weights };
}

/** Rows from a fixed number of entries each; zeros are dropped, the others are sorted in descending order and scaled to sum to one. */
export function makeRows(columns: ArrayLike<number>, values: ArrayLike<number>, width: number): WeightRows {
  const count = width === 0 ? 0 : columns.length / width;
  const rowStart = Uint32Array.from({ length: count + 1 }, (_, i) => i * width);
  return sortRows({ rowStart, columns: Uint32Array.from(columns), values: Float64Array.from(values) });
}

/** The same rows without zeros, in descending order (by absolute value if there are negative ones; ties by column), scaled to sum to one. */
export function sortRows({ rowStart, columns, values }: WeightRows): WeightRows {
  const count = rowStart.length - 1;
  const starts = new Uint32Array(count + 1);
  const outColumns = new Uint32Array(columns.length);
  const outValues = new Float64Array(columns.length);
  const order: number[] = [];
  let used = 0;
  for (let i = 0; i < count; i++) {
    order.length = 0;
    let sum = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      if (values[e] === 0) continue;
      order.push(e);
      sum += values[e];
    }
    order.sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || columns[a] - columns[b]);
    for (const e of order) {
      outColumns[used] = columns[e];
      outValues[used++] = values[e] / sum;
    }
    starts[i + 1] = used;
  }
  return { rowStart: starts, columns: outColumns.slice(0, used), values: outValues.slice(0, used) };
}

function checkRows(mesh: Mesh, skin: Skin, boneCount: number, isSigned: boolean): void {
  const vertexCount = mesh.positions.length / 3;
  if (skin.rowStart.length !== vertexCount + 1)
    throw new InputError('weights', `the skin has ${skin.rowStart.length - 1} rows for ${vertexCount} vertices`);
  for (let i = 0; i < vertexCount; i++) {
    let sum = 0;
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      if (skin.boneIndices[e] >= boneCount)
        throw new InputError(
          'weights',
          `vertex ${i} is bound to bone ${skin.boneIndices[e]}, but there are only ${boneCount} bones`,
        );
      if (!isSigned && !(skin.weights[e] >= 0))
        throw new InputError('weights', `vertex ${i} has the weight ${skin.weights[e]}`);
      sum += skin.weights[e];
    }
    if (sum === 0) throw new InputError('weights', `vertex ${i} has no weight on any bone; bind it first`);
    if (!(Math.abs(sum - 1) <= 1e-3))
      throw new InputError('weights', `the weights of vertex ${i} sum to ${sum}; scale them to sum to one first`);
  }
}

/** Vertices at the same position are one point if they have the same bones. */
function weldSkin(mesh: Mesh, skin: Skin): Weld {
  const places = weldVertices(mesh.positions);
  const vertexCount = places.pointOfVertex.length;
  const pointOfVertex = new Uint32Array(vertexCount);
  const points: number[] = [];
  /** Points of each position, as a linked list. */
  const head = new Int32Array(places.pointCount).fill(-1);
  const next: number[] = [];
  for (let v = 0; v < vertexCount; v++) {
    const p = places.pointOfVertex[v];
    let found = head[p];
    while (found >= 0 && !areAlike(skin, points[found], v)) found = next[found];
    if (found < 0) {
      found = points.push(v) - 1;
      next.push(head[p]);
      head[p] = found;
    }
    pointOfVertex[v] = found;
  }
  return { pointCount: points.length, pointOfVertex, vertexOfPoint: Uint32Array.from(points) };
}

function areAlike({ rowStart, boneIndices, weights }: Skin, a: number, b: number): boolean {
  let apart = 0;
  for (const [one, other] of [
    [a, b],
    [b, a],
  ]) {
    for (let e = rowStart[one]; e < rowStart[one + 1]; e++) {
      let same = 0;
      for (let o = rowStart[other]; o < rowStart[other + 1]; o++)
        if (boneIndices[o] === boneIndices[e]) same = weights[o];
      apart += Math.abs(weights[e] - same) / 2;
    }
  }
  return apart <= SAME_WEIGHTS;
}

function rowsOfPoints(skin: Skin, vertexOfPoint: Uint32Array, place: Uint32Array): WeightRows {
  const rowStart = new Uint32Array(vertexOfPoint.length + 1);
  const columns: number[] = [];
  const values: number[] = [];
  vertexOfPoint.forEach((v, i) => {
    for (let e = skin.rowStart[v]; e < skin.rowStart[v + 1]; e++) {
      if (skin.weights[e] === 0) continue;
      columns.push(place[skin.boneIndices[e]]);
      values.push(skin.weights[e]);
    }
    rowStart[i + 1] = columns.length;
  });
  return sortRows({ rowStart, columns: Uint32Array.from(columns), values: Float64Array.from(values) });
}
