// SPDX-License-Identifier: MIT

import { SparseSimplex } from '../../core/algebra/sparse-simplex.ts';
import type { NormRule } from '../../core/kernels/errors/norm-vertices-reference.ts';
import { importanceInto, measureNorm } from '../../core/kernels/errors/norm-vertices-reference.ts';
import type { SkinFit } from '../skin/index.ts';

/** Rounding of H relative to its diagonal. */
const ROUNDING = 1e-12;

/**
 * Searches the bones of vertices with large distances among all bones, and takes them if they lower the objective of the vertex (refine-norm.ts). Few vertices are
 * exchanged, so this is no kernel.
 * @param squares vertexCount x frameCount squared distances, updated
 * @param above vertices with a larger distance are exchanged, solver units
 */
export function exchangeNormBones(fit: SkinFit, squares: Float64Array, rule: NormRule, above: number): void {
  const { trajectories, weights, boneCount, locked } = fit;
  const { frameCount, vertexCount } = trajectories;
  const { influences } = weights;
  const rows = 3 * frameCount;
  const paths = new Float64Array(boneCount * rows);
  const h = new Float64Array(boneCount * boneCount);
  const search = new SparseSimplex(influences, boneCount, { solve: 'active-set', ridge: 0, pivotFloor: ROUNDING });
  const residual = new Float64Array(rows);
  const next = new Float64Array(frameCount);
  const omega = new Float64Array(frameCount);
  const problem = {
    values: h,
    rowAt: (j: number) => j * boneCount,
    diagonalAt: (j: number) => h[j * boneCount + j],
  };
  const [ids, ws, isLocked] = [weights.bones.view(), weights.weights.view(), locked?.view()];
  for (let i = 0; i < vertexCount; i++) {
    const own = squares.subarray(i * frameCount, (i + 1) * frameCount);
    if (isLocked?.[i] || !(own.reduce((largest, square) => Math.max(largest, square), 0) > above * above)) continue;
    importanceInto(own, rule, omega);
    for (let j = 0; j < boneCount; j++) pathInto(fit, i, j, paths.subarray(j * rows, (j + 1) * rows));
    let largest = 0;
    for (let j = 0; j < boneCount; j++) {
      for (let l = 0; l <= j; l++)
        h[j * boneCount + l] = h[l * boneCount + j] = weightedDot(paths, j * rows, l * rows, omega);
      largest = Math.max(largest, h[j * boneCount + j]);
    }
    search.enter(problem, boneCount, ROUNDING * largest);
    const o = i * influences;
    const members: number[] = [];
    const values: number[] = [];
    for (let a = o; a < o + influences; a++) {
      if (ws[a] === 0) continue;
      members.push(ids[a]);
      values.push(ws[a]);
    }
    search.startFrom(members, values);
    search.grow();
    search.exchange();
    residual.fill(0);
    for (let a = 0; a < search.size; a++) {
      const p = search.members[a] * rows;
      for (let row = 0; row < rows; row++) residual[row] += search.weights[a] * paths[p + row];
    }
    for (let k = 0; k < frameCount; k++)
      next[k] = residual[3 * k] ** 2 + residual[3 * k + 1] ** 2 + residual[3 * k + 2] ** 2;
    if (!(measureNorm(next, rule) < measureNorm(own, rule))) continue;
    own.set(next);
    for (let a = 0; a < influences; a++) {
      ids[o + a] = a < search.size ? search.members[a] : 0;
      ws[o + a] = a < search.size ? search.weights[a] : 0;
    }
  }
}

/** Fills out with the distances of vertex i under bone j from its target, row by row. */
function pathInto(
  { trajectories, bones: residentBones, boneCount }: SkinFit,
  i: number,
  j: number,
  out: Float64Array,
): void {
  const [rest, posed, bones] = [trajectories.rest.view(), trajectories.posed.view(), residentBones.view()];
  const x = rest[3 * i];
  const y = rest[3 * i + 1];
  const z = rest[3 * i + 2];
  for (let row = 0, b = 4 * j, v = i * out.length; row < out.length; row++, b += 4 * boneCount)
    out[row] = bones[b] * x + bones[b + 1] * y + bones[b + 2] * z + bones[b + 3] - posed[v + row];
}

function weightedDot(paths: Float64Array, p: number, q: number, omega: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < omega.length; k++) {
    const a = p + 3 * k;
    const b = q + 3 * k;
    sum += omega[k] * (paths[a] * paths[b] + paths[a + 1] * paths[b + 1] + paths[a + 2] * paths[b + 2]);
  }
  return sum;
}
