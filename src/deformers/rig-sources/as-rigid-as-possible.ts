// SPDX-License-Identifier: MIT
// O. Sorkine and M. Alexa, "As-rigid-as-possible surface modeling", Symposium on Geometry Processing 2007. Handles follow their bones; the other points
// minimize Σ_i Σ_{j∈N(i)} w_ij |(p'_i − p'_j) − R_i (p_i − p_j)|² (Eq. 3) by alternating rotations (Eq. 5, 6) and positions (Eq. 9), from linear blend
// skinning on. It is a reference to compare skins with, not a skin: every pose is a solve.

import { factorSparse } from '../../core/algebra/sparse-ldlt.ts';
import { makeSparseSymmetric } from '../../core/algebra/sparse-matrix.ts';
import { nearestRotationInto } from '../../core/math/rotation.ts';
import { pointTriangles, type Weld, weldVertices } from '../../core/mesh/topology/weld.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { makeSmoothLaplacian } from '../delta-mush/index.ts';
import { makeLinearBlend, makeSurfaceNormals } from '../linear-blend/index.ts';

/** Options of makeAsRigidAsPossible. */
export interface ArapOptions {
  /** Number of iterations per pose, at least 1. Default 200. */
  iterations?: number;
}

/** Defaults of ArapOptions. */
export const ARAP_DEFAULTS: Required<ArapOptions> = { iterations: 200 };

/**
 * As-rigid-as-possible deformation by handles. Linear blend skinning with the skin places the handles and is the start of every solve. Normals are those
 * of the posed surface.
 * @param isHandle vertexCount: 1 for vertices that follow the skin
 * @example
 * ```ts
 * import { makeAsRigidAsPossible } from 'ossify/deform';
 *
 * // vertices of one bone only are handles
 * const isHandle = Uint8Array.from({ length: mesh.positions.length / 3 }, (_, i) => (skin.rowStart[i + 1] - skin.rowStart[i] === 1 ? 1 : 0));
 * const reference = makeAsRigidAsPossible(mesh, skin, skeleton.names.length, isHandle);
 * ```
 */
export function makeAsRigidAsPossible(
  mesh: Mesh,
  skin: Skin,
  boneCount: number,
  isHandle: Uint8Array,
  options: ArapOptions = {},
): Deformer {
  const iterations = options.iterations ?? ARAP_DEFAULTS.iterations;
  const vertexCount = mesh.positions.length / 3;
  if (!(Number.isInteger(iterations) && iterations >= 1))
    throw new UsageError('as rigid as possible', `iterations must be a whole number of at least 1, got ${iterations}`);
  if (isHandle.length !== vertexCount)
    throw new InputError('as rigid as possible', `${isHandle.length} handle flags for ${vertexCount} vertices`);
  const base = makeLinearBlend(mesh, skin, boneCount);
  const start = new Float32Array(3 * vertexCount);
  const surface = new RigidSurface(mesh, isHandle);
  const normalsInto = makeSurfaceNormals(mesh);
  return {
    vertexCount,
    boneCount,
    deformInto(pose, positions, normals) {
      base.deformInto(pose, start);
      surface.begin(start);
      for (let n = 0; n < iterations; n++) surface.iterate();
      surface.putInto(positions);
      if (normals) normalsInto(positions, normals);
    },
  };
}

/** The welded points of a mesh, some of them held, and the factor of the others. */
class RigidSurface {
  readonly #weld: Weld;
  /** pointCount x 3 */
  readonly #rest: Float64Array;
  readonly #edges: WeightedEdge[];
  /** pointCount: index among the unknowns, -1 for handles */
  readonly #unknownOf: Int32Array;
  readonly #factor: ReturnType<typeof factorSparse>;
  readonly #isHeld: Set<number>;
  /** pointCount x 3: the present shape */
  readonly #points: Float64Array;
  readonly #moments: Float64Array;
  readonly #rotations: Float64Array;
  readonly #everyPoint: Uint32Array;
  readonly #right: Float64Array;

  constructor(mesh: Mesh, isHandle: Uint8Array) {
    const weld = weldVertices(mesh.positions);
    const rest = Float64Array.from({ length: 3 * weld.pointCount }, (_, c) => {
      return mesh.positions[3 * weld.vertexOfPoint[Math.floor(c / 3)] + (c % 3)];
    });
    this.#weld = weld;
    this.#rest = rest;
    this.#edges = listLaplacianEdges(rest, pointTriangles(mesh.triangles, weld));
    this.#unknownOf = new Int32Array(weld.pointCount).fill(-1);
    let unknowns = 0;
    for (let p = 0; p < weld.pointCount; p++) if (!isHandle[weld.vertexOfPoint[p]]) this.#unknownOf[p] = unknowns++;
    // points in parts without a handle are held where the skin places them
    this.#factor = factorSparse(makeFreeMatrix(this.#edges, this.#unknownOf, unknowns), { singular: 'hold' });
    this.#isHeld = new Set(this.#factor.held);
    this.#points = new Float64Array(3 * weld.pointCount);
    this.#moments = new Float64Array(9 * weld.pointCount);
    this.#rotations = new Float64Array(9 * weld.pointCount);
    this.#everyPoint = Uint32Array.from({ length: weld.pointCount }, (_, p) => p);
    this.#right = new Float64Array(3 * unknowns);
  }

  /** Starts from the positions of vertices. */
  begin(start: Float32Array): void {
    const { pointCount, vertexOfPoint } = this.#weld;
    for (let p = 0; p < pointCount; p++)
      for (let c = 0; c < 3; c++) this.#points[3 * p + c] = start[3 * vertexOfPoint[p] + c];
  }

  /** Rotations, then positions. */
  iterate(): void {
    const [moments, rotations, points] = [this.#moments, this.#rotations, this.#everyPoint];
    fitRotations(this.#edges, this.#rest, this.#points, { moments, rotations, points });
    this.#fillRight();
    this.#factor.solveInto(this.#right, this.#right, 3);
    for (let p = 0; p < this.#unknownOf.length; p++) {
      const u = this.#unknownOf[p];
      if (u < 0 || this.#isHeld.has(u)) continue;
      for (let c = 0; c < 3; c++) this.#points[3 * p + c] = this.#right[3 * u + c];
    }
  }

  /** Eq. 9: the right-hand sides of the free points. */
  #fillRight(): void {
    const [rest, points, rotations] = [this.#rest, this.#points, this.#rotations];
    const [unknownOf, right] = [this.#unknownOf, this.#right];
    right.fill(0);
    for (const { a, b, weight } of this.#edges) {
      for (let row = 0; row < 3; row++) {
        let turned = 0;
        for (let c = 0; c < 3; c++) {
          const r = rotations[9 * a + 3 * c + row] + rotations[9 * b + 3 * c + row];
          turned += 0.5 * r * (rest[3 * a + c] - rest[3 * b + c]);
        }
        if (unknownOf[a] >= 0)
          right[3 * unknownOf[a] + row] += weight * (turned + (unknownOf[b] < 0 ? points[3 * b + row] : 0));
        if (unknownOf[b] >= 0)
          right[3 * unknownOf[b] + row] += weight * (-turned + (unknownOf[a] < 0 ? points[3 * a + row] : 0));
      }
    }
  }

  putInto(positions: Float32Array): void {
    const { pointOfVertex } = this.#weld;
    for (let i = 0; i < pointOfVertex.length; i++)
      for (let c = 0; c < 3; c++) positions[3 * i + c] = this.#points[3 * pointOfVertex[i] + c];
  }
}

/** An edge of welded points and its weight, above zero. */
export interface WeightedEdge {
  a: number;
  b: number;
  weight: number;
}

/** Edges of the Laplacian that smoothing uses: cotangent weights, none negative. */
export function listLaplacianEdges(rest: Float64Array, triangles: Uint32Array): WeightedEdge[] {
  const { size, columnStart, rowIndices, values } = makeSmoothLaplacian(rest, triangles);
  const edges: WeightedEdge[] = [];
  for (let b = 0; b < size; b++) {
    for (let e = columnStart[b]; e < columnStart[b + 1]; e++) {
      if (rowIndices[e] !== b && values[e] < 0) edges.push({ a: rowIndices[e], b, weight: -values[e] });
    }
  }
  return edges;
}

function makeFreeMatrix(edges: readonly WeightedEdge[], unknownOf: Int32Array, unknowns: number) {
  const rows = Array.from({ length: unknowns }, (_, u) => u);
  const columns = rows.slice();
  const values = new Array<number>(unknowns).fill(0);
  for (const { a, b, weight } of edges) {
    const [ua, ub] = [unknownOf[a], unknownOf[b]];
    for (const u of [ua, ub]) if (u >= 0) values[u] += weight;
    if (ua < 0 || ub < 0) continue;
    rows.push(Math.max(ua, ub));
    columns.push(Math.min(ua, ub));
    values.push(-weight);
  }
  return makeSparseSymmetric(unknowns, rows, columns, values);
}

/** Arrays of fitRotations: scratch memory, the result, and the points to rotate. */
export interface RotationFit {
  /** pointCount x 9 */
  moments: Float64Array;
  /** pointCount x 9, column-major; only those of the listed points are written */
  rotations: Float64Array;
  points: Uint32Array;
}

/** Fills the rotation of each point's edges from rest to posed. */
export function fitRotations(
  edges: readonly WeightedEdge[],
  rest: Float64Array,
  posed: Float64Array,
  { moments, rotations, points }: RotationFit,
): void {
  moments.fill(0);
  for (const { a, b, weight } of edges) {
    for (let column = 0; column < 3; column++) {
      const u = weight * (rest[3 * a + column] - rest[3 * b + column]);
      for (let row = 0; row < 3; row++) {
        const product = u * (posed[3 * a + row] - posed[3 * b + row]);
        moments[9 * a + 3 * column + row] += product;
        moments[9 * b + 3 * column + row] += product;
      }
    }
  }
  for (const p of points) nearestRotationInto(moments, rotations, 9 * p, 9 * p);
}
