// SPDX-License-Identifier: MIT
// Weights that also fit the normals of the source: the future work of Helper, §7. Per vertex, over training poses q,
//   min_w Σ_q |Σⱼ wⱼ Mⱼ ũ − v|² + ω ℓ² Σ_q |(I − m mᵀ) Σⱼ wⱼ Lⱼ n|²,   w ≥ 0, Σw = 1, at most K,
// n and m the normals at rest and in the pose, Lⱼ the 3x3 of Mⱼ (viewers rotate normals by the blended matrix), ℓ the mean length of the vertex's edges, so
// that a normal has the weight of a point at the next vertex. Only the error perpendicular to m counts: blended normals are shorter than one in every bend, and are normalized
// when drawn (with the length in the term, weights become rigid and normals less accurate). Both terms are quadratic in w, with the same bones: one small matrix H per vertex.
//
// Weights for normals alone (`isSeparate`) drop the first term to a small part, and are for normals that are transformed by the inverse transpose of the blended matrix, as
// deformers/linear-blend/make-linear-blend.ts does: the blended matrix must map the tangents s, t of the rest shape to the tangent plane of the pose,
//   min_w Σ_q (mᵀ Σⱼ wⱼ Lⱼ s)² + (mᵀ Σⱼ wⱼ Lⱼ t)².
//
// The candidates are the bones of the vertex and its neighbours; the K of largest effect are used (core/algebra/largest-effects.ts).

import { makeLargestEffects } from '../../../core/algebra/largest-effects.ts';
import { type Adjacency, makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
import { pointTriangles } from '../../../core/mesh/topology/weld.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import { makeRestNormals } from '../../../deformers/linear-blend/index.ts';
import type { NormalizedClip } from '../../../fit/skin/index.ts';
import { addSquareInto } from '../fit/add-square-into.ts';
import type { HelperFit } from './helper-fit.ts';
import { listCandidateBones } from './list-candidate-bones.ts';

/** Maximum number of candidate bones of a vertex. */
const MAX_CANDIDATES = 10;
const RIDGE = 1e-9;
/** Weight of positions in the fit of weights for normals alone, which do not always determine them. */
const POSITION_PART = 1e-3;

/**
 * Solves the weights of a fit again, with normals. The fit is changed in place.
 * @param normals frameCount x vertexCount x 3: normals of the source in the training poses
 * @param weight ω
 * @param isSeparate weights for normals alone
 */
export function normalWeights(
  fit: HelperFit,
  normalized: NormalizedClip,
  mesh: Mesh,
  normals: Float32Array,
  weight: number,
  isSeparate = false,
): void {
  const problem = new NormalProblem(fit, normalized, mesh, normals, weight, isSeparate);
  for (let i = 0; i < fit.trajectories.vertexCount; i++) problem.solve(i);
}

/** A vertex in a pose. */
interface PosedVertex {
  k: number;
  /** Offset of the normal in the pose. */
  at: number;
  /** Weight of the pose. */
  square: number;
}

class NormalProblem {
  readonly #fit: HelperFit;
  readonly #mesh: Mesh;
  readonly #normals: Float32Array;
  readonly #weight: number;
  readonly #isSeparate: boolean;
  readonly #vertexOfPoint: ArrayLike<number>;
  readonly #adjacency: Adjacency;
  readonly #restNormals: ArrayLike<number>;
  /** The weights of the fit before. */
  readonly #before: { ids: Uint32Array; weights: Float64Array };
  readonly #largestEffects: ReturnType<typeof makeLargestEffects>;
  /** candidates x candidates */
  readonly #h = new Float64Array(MAX_CANDIDATES * MAX_CANDIDATES);
  readonly #row = new Float64Array(MAX_CANDIDATES);
  /** candidates x 3: normals that the bones turn */
  readonly #turned = new Float64Array(3 * MAX_CANDIDATES);
  #candidates: number[] = [];

  constructor(
    fit: HelperFit,
    { weld }: NormalizedClip,
    mesh: Mesh,
    normals: Float32Array,
    weight: number,
    isSeparate: boolean,
  ) {
    this.#fit = fit;
    this.#mesh = mesh;
    this.#normals = normals;
    this.#weight = weight;
    this.#isSeparate = isSeparate;
    this.#vertexOfPoint = weld.vertexOfPoint;
    this.#adjacency = makeAdjacency(fit.trajectories.vertexCount, pointTriangles(mesh.triangles, weld));
    this.#restNormals = mesh.normals ?? makeRestNormals(mesh);
    this.#before = { ids: fit.weights.bones.view().slice(), weights: fit.weights.weights.view().slice() };
    this.#largestEffects = makeLargestEffects(fit.weights.influences, MAX_CANDIDATES);
  }

  /** Solves the weights of a point. They are kept if they do not lower the error. */
  solve(i: number): void {
    const { influences } = this.#fit.weights;
    const [ids, weights] = [this.#fit.weights.bones.view(), this.#fit.weights.weights.view()];
    this.#candidates = listCandidateBones(i, this.#before, influences, this.#adjacency, MAX_CANDIDATES);
    const [h, candidates, count] = [this.#h, this.#candidates, this.#candidates.length];
    this.#fill(i);
    for (let a = 0; a < count; a++) {
      h[a * count + a] = h[a * count + a] * (1 + RIDGE) + Number.MIN_VALUE;
      for (let b = 0; b < a; b++) h[b * count + a] = h[a * count + b];
    }
    const { kept, weights: found, count: keptCount, error } = this.#largestEffects(h, count);
    if (!(error < errorOf(h, count, candidates, this.#before, i * influences, influences))) return;
    for (let a = 0; a < influences; a++) {
      ids[i * influences + a] = a < keptCount ? candidates[kept[a]] : 0;
      weights[i * influences + a] = a < keptCount ? found[a] : 0;
    }
  }

  /** Fills H, the lower triangle. */
  #fill(i: number): void {
    const { roots, trajectories } = this.#fit;
    const count = this.#candidates.length;
    const edge = meanEdge(trajectories.rest.view(), i, this.#adjacency);
    const share = this.#weight * edge * edge;
    const c = 3 * this.#vertexOfPoint[i];
    const restNormals = this.#restNormals;
    const normal = [restNormals[c], restNormals[c + 1], restNormals[c + 2]] as const;
    const tangents = this.#isSeparate ? tangentsOf(...normal) : [];
    this.#h.fill(0, 0, count * count);
    for (let k = 0; k < trajectories.frameCount; k++) {
      const posed = { k, at: k * this.#mesh.positions.length + c, square: roots[k] * roots[k] };
      this.#addPositions(i, posed, normal);
      if (this.#isSeparate) this.#addTangents(posed, tangents, share);
      else this.#addNormals(posed, share);
    }
  }

  /** Adds the term of positions, and turns the normal at rest by every bone. */
  #addPositions(i: number, { k, square }: PosedVertex, [nx, ny, nz]: readonly [number, number, number]): void {
    const { boneCount, roots, trajectories } = this.#fit;
    const [bones, rest, posed] = [this.#fit.bones.view(), trajectories.rest.view(), trajectories.posed.view()];
    const [row, turned, candidates] = [this.#row, this.#turned, this.#candidates];
    const [x, y, z] = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]];
    const count = candidates.length;
    for (let r = 0; r < 3; r++) {
      const o = (3 * k + r) * 4 * boneCount;
      const v = posed[i * 3 * trajectories.frameCount + 3 * k + r] / roots[k];
      for (let a = 0; a < count; a++) {
        const m = o + 4 * candidates[a];
        row[a] = bones[m] * x + bones[m + 1] * y + bones[m + 2] * z + bones[m + 3] - v;
        turned[3 * a + r] = bones[m] * nx + bones[m + 1] * ny + bones[m + 2] * nz;
      }
      addSquareInto(this.#h, row, count, this.#isSeparate ? POSITION_PART * square : square);
    }
  }

  #addTangents({ k, at, square }: PosedVertex, tangents: readonly [number, number, number][], share: number): void {
    const bones = this.#fit.bones.view();
    const [row, candidates, normals] = [this.#row, this.#candidates, this.#normals];
    for (const [sx, sy, sz] of tangents) {
      for (let a = 0; a < candidates.length; a++) {
        row[a] = 0;
        for (let r = 0; r < 3; r++) {
          const m = (3 * k + r) * 4 * this.#fit.boneCount + 4 * candidates[a];
          row[a] += normals[at + r] * (bones[m] * sx + bones[m + 1] * sy + bones[m + 2] * sz);
        }
      }
      addSquareInto(this.#h, row, candidates.length, square * share);
    }
  }

  /** Adds the term of what is perpendicular to the normal in the pose. */
  #addNormals({ at, square }: PosedVertex, share: number): void {
    const [row, turned, normals, count] = [this.#row, this.#turned, this.#normals, this.#candidates.length];
    for (let a = 0; a < count; a++) {
      let along = 0;
      for (let r = 0; r < 3; r++) along += normals[at + r] * turned[3 * a + r];
      for (let r = 0; r < 3; r++) turned[3 * a + r] -= along * normals[at + r];
    }
    for (let r = 0; r < 3; r++) {
      for (let a = 0; a < count; a++) row[a] = turned[3 * a + r];
      addSquareInto(this.#h, row, count, square * share);
    }
  }
}

/** Two unit vectors perpendicular to a normal and to each other. */
function tangentsOf(x: number, y: number, z: number): [number, number, number][] {
  const [ax, ay, az] = Math.abs(x) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  const s: [number, number, number] = [ay * z - az * y, az * x - ax * z, ax * y - ay * x];
  const length = Math.hypot(...s) || 1;
  const [sx, sy, sz] = s.map((c) => c / length);
  return [
    [sx, sy, sz],
    [y * sz - z * sy, z * sx - x * sz, x * sy - y * sx],
  ];
}

function meanEdge(rest: Float64Array, i: number, { rowStart, neighbours }: ReturnType<typeof makeAdjacency>): number {
  let sum = 0;
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
    const n = 3 * neighbours[e];
    sum += Math.hypot(rest[n] - rest[3 * i], rest[n + 1] - rest[3 * i + 1], rest[n + 2] - rest[3 * i + 2]);
  }
  return sum / Math.max(1, rowStart[i + 1] - rowStart[i]);
}

/** The error of the previous weights. */
function errorOf(
  h: Float64Array,
  count: number,
  candidates: number[],
  { ids, weights }: { ids: Uint32Array; weights: Float64Array },
  o: number,
  influences: number,
): number {
  let sum = 0;
  for (let a = o; a < o + influences; a++) {
    if (weights[a] === 0) continue;
    for (let b = o; b < o + influences; b++)
      if (weights[b] !== 0)
        sum += weights[a] * weights[b] * h[candidates.indexOf(ids[a]) * count + candidates.indexOf(ids[b])];
  }
  return sum;
}
