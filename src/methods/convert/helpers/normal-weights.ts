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
import { makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
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
  const { vertexOfPoint } = normalized.weld;
  const { frameCount, vertexCount: pointCount } = fit.trajectories;
  const adjacency = makeAdjacency(pointCount, pointTriangles(mesh.triangles, normalized.weld));
  const restNormals = mesh.normals ?? makeRestNormals(mesh);
  const rest = fit.trajectories.rest.view();
  const posed = fit.trajectories.posed.view();
  const bones = fit.bones.view();
  const ids = fit.weights.bones.view();
  const weights = fit.weights.weights.view();
  const before = { ids: ids.slice(), weights: weights.slice() };
  const influences = fit.weights.influences;
  const stride = 4 * fit.boneCount;
  const solve = makeLargestEffects(influences, MAX_CANDIDATES);
  const h = new Float64Array(MAX_CANDIDATES * MAX_CANDIDATES);
  const row = new Float64Array(MAX_CANDIDATES);
  const turned = new Float64Array(3 * MAX_CANDIDATES);
  for (let i = 0; i < pointCount; i++) {
    const candidates = listCandidateBones(i, before, influences, adjacency, MAX_CANDIDATES);
    const count = candidates.length;
    const edge = meanEdge(rest, i, adjacency);
    const share = weight * edge * edge;
    const c = 3 * vertexOfPoint[i];
    const [x, y, z] = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]];
    const [nx, ny, nz] = [restNormals[c], restNormals[c + 1], restNormals[c + 2]];
    const tangents = isSeparate ? tangentsOf(nx, ny, nz) : [];
    h.fill(0, 0, count * count);
    for (let k = 0; k < frameCount; k++) {
      const square = fit.roots[k] * fit.roots[k];
      const at = k * mesh.positions.length + c;
      for (let r = 0; r < 3; r++) {
        const o = (3 * k + r) * stride;
        const v = posed[i * 3 * frameCount + 3 * k + r] / fit.roots[k];
        for (let a = 0; a < count; a++) {
          const m = o + 4 * candidates[a];
          row[a] = bones[m] * x + bones[m + 1] * y + bones[m + 2] * z + bones[m + 3] - v;
          turned[3 * a + r] = bones[m] * nx + bones[m + 1] * ny + bones[m + 2] * nz;
        }
        addSquareInto(h, row, count, isSeparate ? POSITION_PART * square : square);
      }
      if (isSeparate) {
        for (const [sx, sy, sz] of tangents) {
          for (let a = 0; a < count; a++) {
            row[a] = 0;
            for (let r = 0; r < 3; r++) {
              const m = (3 * k + r) * stride + 4 * candidates[a];
              row[a] += normals[at + r] * (bones[m] * sx + bones[m + 1] * sy + bones[m + 2] * sz);
            }
          }
          addSquareInto(h, row, count, square * share);
        }
        continue;
      }
      for (let a = 0; a < count; a++) {
        let along = 0;
        for (let r = 0; r < 3; r++) along += normals[at + r] * turned[3 * a + r];
        for (let r = 0; r < 3; r++) turned[3 * a + r] -= along * normals[at + r];
      }
      for (let r = 0; r < 3; r++) {
        for (let a = 0; a < count; a++) row[a] = turned[3 * a + r];
        addSquareInto(h, row, count, square * share);
      }
    }
    for (let a = 0; a < count; a++) {
      h[a * count + a] = h[a * count + a] * (1 + RIDGE) + Number.MIN_VALUE;
      for (let b = 0; b < a; b++) h[b * count + a] = h[a * count + b];
    }
    const { kept, weights: found, count: keptCount, error } = solve(h, count);
    if (!(error < errorOf(h, count, candidates, before, i * influences, influences))) continue;
    for (let a = 0; a < influences; a++) {
      ids[i * influences + a] = a < keptCount ? candidates[kept[a]] : 0;
      weights[i * influences + a] = a < keptCount ? found[a] : 0;
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
