// SPDX-License-Identifier: MIT
// Weights that also fit the normals of the source: the future work of Helper, §7. Per vertex, over training poses q,
//   min_w Σ_q |Σⱼ wⱼ Mⱼ ũ − v|² + ω ℓ² Σ_q |(I − m mᵀ) Σⱼ wⱼ Lⱼ n|²,   w ≥ 0, Σw = 1, at most K,
// n and m the normals at rest and in the pose, Lⱼ the 3x3 of Mⱼ (viewers rotate normals by the blended matrix), ℓ the mean length of the vertex's edges, so
// that a normal has the weight of a point at the next vertex. Only the error perpendicular to m counts: blended normals are shorter than one in every bend, and are normalized
// when drawn (with the length in the term, weights become rigid and normals less accurate). Both terms are quadratic in w, with the same bones: one small matrix H per vertex.
//
// The candidates are the bones of the vertex and its neighbours; the K of largest effect are used (solve/largest-effects.ts).

import { makeRestNormals } from '../deform/rest-normals.ts';
import type { NormalizedClip } from '../fit/normalize-clip.ts';
import { makeAdjacency } from '../mesh/adjacency.ts';
import { pointTriangles } from '../mesh/weld.ts';
import type { Mesh } from '../model/mesh.ts';
import { makeLargestEffects } from '../solve/largest-effects.ts';
import type { HelperFit } from './helper-fit.ts';

/** Maximum number of candidate bones of a vertex. */
const MAX_CANDIDATES = 10;
const RIDGE = 1e-9;

/**
 * Solves the weights of a fit again, with normals. The fit is changed in place.
 * @param normals frameCount x vertexCount x 3: normals of the source in the training poses
 * @param weight ω
 */
export function normalWeights(
  fit: HelperFit,
  normalized: NormalizedClip,
  mesh: Mesh,
  normals: Float32Array,
  weight: number,
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
    const candidates = listCandidates(i, before, influences, adjacency);
    const count = candidates.length;
    const edge = meanEdge(rest, i, adjacency);
    const share = weight * edge * edge;
    const c = 3 * vertexOfPoint[i];
    const [x, y, z] = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]];
    const [nx, ny, nz] = [restNormals[c], restNormals[c + 1], restNormals[c + 2]];
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
        addSquare(h, row, count, square);
      }
      for (let a = 0; a < count; a++) {
        let along = 0;
        for (let r = 0; r < 3; r++) along += normals[at + r] * turned[3 * a + r];
        for (let r = 0; r < 3; r++) turned[3 * a + r] -= along * normals[at + r];
      }
      for (let r = 0; r < 3; r++) {
        for (let a = 0; a < count; a++) row[a] = turned[3 * a + r];
        addSquare(h, row, count, square * share);
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

/** Bones of a point, then of its neighbours, up to the maximum. */
function listCandidates(
  i: number,
  { ids, weights }: { ids: Uint32Array; weights: Float64Array },
  influences: number,
  { rowStart, neighbours }: ReturnType<typeof makeAdjacency>,
): number[] {
  const found = new Set<number>();
  const add = (point: number): void => {
    for (let e = point * influences; e < (point + 1) * influences; e++)
      if (weights[e] > 0 && found.size < MAX_CANDIDATES) found.add(ids[e]);
  };
  add(i);
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) add(neighbours[e]);
  return [...found];
}

function meanEdge(rest: Float64Array, i: number, { rowStart, neighbours }: ReturnType<typeof makeAdjacency>): number {
  let sum = 0;
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
    const n = 3 * neighbours[e];
    sum += Math.hypot(rest[n] - rest[3 * i], rest[n + 1] - rest[3 * i + 1], rest[n + 2] - rest[3 * i + 2]);
  }
  return sum / Math.max(1, rowStart[i + 1] - rowStart[i]);
}

/** Adds factor · row rowᵀ to the lower triangle. */
function addSquare(h: Float64Array, row: Float64Array, count: number, factor: number): void {
  for (let a = 0; a < count; a++) {
    const s = factor * row[a];
    for (let b = 0; b <= a; b++) h[a * count + b] += s * row[b];
  }
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
