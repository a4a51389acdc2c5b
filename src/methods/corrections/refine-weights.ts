// SPDX-License-Identifier: MIT
// Weights for a corrected rest shape, on the present bones of a point: with aⱼₖ = Mⱼₖ xₖ − pₖ, x the displaced point,
//   min Σₖ |Σⱼ wⱼ aⱼₖ|²,  w ≥ 0, Σw = 1      (with Σw = 1, p can be part of a, which avoids cancellation)
// is a small problem per point.

import { makeSimplexSolver } from '../../core/algebra/simplex-least-squares.ts';
import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { boneCountOf } from '../../core/model/skin/skeleton.ts';
import { makeSkin, maxInfluencesOf, type Skin } from '../../core/model/skin/skin.ts';
import type { CorrectionProblem } from './correction-problem.ts';
import type { LowRank } from './rest-basis.ts';

/** Fits the weights of all points to a correction. The weights of the model's skin are changed in place and may no longer be sorted. */
export function refineWeightsInto(
  clips: readonly Clip[],
  model: SkinnedModel,
  { weld, pointCount }: CorrectionProblem,
  { rank, basis, coefficients }: LowRank,
): void {
  const { skin, motions, mesh } = model;
  const boneCount = boneCountOf(model.skeleton);
  const width = maxInfluencesOf(skin);
  const solver = makeSimplexSolver(width);
  const normal = new Float64Array(width * width);
  const side = new Float64Array(width);
  const weights = new Float64Array(width);
  const images = new Float64Array(3 * width);
  const place = new Float64Array(3);
  const stride = mesh.positions.length;
  for (let i = 0; i < pointCount; i++) {
    const v = weld.vertexOfPoint[i];
    const first = skin.rowStart[v];
    const count = skin.rowStart[v + 1] - first;
    if (count < 2) continue;
    normal.fill(0);
    let frame = 0;
    for (let n = 0; n < clips.length; n++) {
      const { matrices } = motions[n];
      const { positions } = clips[n];
      for (let k = 0; k < clips[n].times.length; k++, frame++) {
        displacedInto(mesh.positions, v, { rank, basis, coefficients }, i, frame, place);
        const x = place[0],
          y = place[1],
          z = place[2];
        for (let e = 0; e < count; e++) {
          const o = 16 * (k * boneCount + skin.boneIndices[first + e]);
          for (let a = 0; a < 3; a++)
            images[3 * e + a] =
              matrices[o + a] * x +
              matrices[o + 4 + a] * y +
              matrices[o + 8 + a] * z +
              matrices[o + 12 + a] -
              positions[k * stride + 3 * v + a];
        }
        addProducts(images, count, normal);
      }
    }
    for (let e = 0; e < count; e++) {
      for (let f = 0; f < e; f++) normal[f * count + e] = normal[e * count + f];
      weights[e] = skin.weights[first + e];
    }
    solver.solveInto(normal, side, weights, count, count);
    for (let e = 0; e < count; e++) skin.weights[first + e] = weights[e];
  }
  spreadWeights(skin, weld);
}

/** The displaced position of a point in a frame. */
function displacedInto(
  positions: Float32Array,
  v: number,
  { rank, basis, coefficients }: LowRank,
  i: number,
  frame: number,
  out: Float64Array,
): void {
  let x = positions[3 * v],
    y = positions[3 * v + 1],
    z = positions[3 * v + 2];
  for (let r = 0; r < rank; r++) {
    const c = coefficients[frame * rank + r];
    const u = 3 * (i * rank + r);
    x += c * basis[u];
    y += c * basis[u + 1];
    z += c * basis[u + 2];
  }
  out[0] = x;
  out[1] = y;
  out[2] = z;
}

/** Adds the products of vectors to a matrix, count x count, lower triangle. */
function addProducts(vectors: Float64Array, count: number, out: Float64Array): void {
  for (let e = 0; e < count; e++)
    for (let f = 0; f <= e; f++)
      out[e * count + f] +=
        vectors[3 * e] * vectors[3 * f] +
        vectors[3 * e + 1] * vectors[3 * f + 1] +
        vectors[3 * e + 2] * vectors[3 * f + 2];
}

/** Copies the weights of a point to its vertices. */
export function spreadWeights(skin: Skin, { pointOfVertex, vertexOfPoint }: CorrectionProblem['weld']): void {
  for (let v = 0; v < pointOfVertex.length; v++) {
    const from = skin.rowStart[vertexOfPoint[pointOfVertex[v]]];
    if (from === skin.rowStart[v]) continue;
    for (let e = skin.rowStart[v], f = from; e < skin.rowStart[v + 1]; e++, f++) skin.weights[e] = skin.weights[f];
  }
}

/** The skin with sorted rows: in descending order, without zeros. */
export function tidySkin(skin: Skin): Skin {
  const width = maxInfluencesOf(skin);
  const vertexCount = skin.rowStart.length - 1;
  const bones = new Uint32Array(vertexCount * width);
  const weights = new Float64Array(vertexCount * width);
  for (let v = 0; v < vertexCount; v++) {
    const row = [skin.rowStart[v], skin.rowStart[v + 1]] as const;
    bones.set(skin.boneIndices.subarray(...row), v * width);
    weights.set(skin.weights.subarray(...row), v * width);
  }
  return makeSkin(bones, weights, width);
}
