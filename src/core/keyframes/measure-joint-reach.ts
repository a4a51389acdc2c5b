// SPDX-License-Identifier: MIT
// The extent of the surface that each joint moves, for bounds on the displacement by an error of its keys. A vertex i is within tolerance if Σⱼ wᵢⱼ eᵢⱼ is,
// where eᵢⱼ is its displacement by bone j. The tolerance is divided among the bones of the vertex: bone j gets the share qᵢⱼ, Σⱼ qᵢⱼ = 1, so eᵢⱼ may be
// qᵢⱼ / wᵢⱼ of the tolerance. Any division is valid. With q = w all bones of a vertex have the same limit; but then a distant vertex with a weight of a hundredth
// determines the reach of the bone, and decompositions have such vertices. Therefore q is proportional to wᵢⱼ max(1, dᵢⱼ / rⱼ), with dᵢⱼ the distance of the
// vertex from the bone's center and rⱼ the usual distance for the bone: distant vertices count as if at distance rⱼ, at a small cost for their strong bones.
import { transformPoint } from '../math/mat4.ts';
import { measureBounds } from '../mesh/geometry/bounds.ts';
import type { SkinnedModel } from '../model/asset.ts';
import type { Motion } from '../model/clip/motion.ts';

/** The usual distance rⱼ, relative to the weighted root mean square; above that of the surface of a ball or a bar. */
const USUAL = 2;

/** Reach of a bone without any surface, relative to the shape's diagonal: objects attached to it in a scene should still follow it. */
const MIN_REACH = 0.01;

/** The vertices of each bone at rest, in model space: a vertex at pᵢ with the factor fᵢⱼ = wᵢⱼ / qᵢⱼ. */
export interface BoneBalls {
  /** boneCount x 3: cⱼ, the weighted mean of pᵢ; the position of the joint if there is no weight */
  centers: Float64Array;
  /** boneCount: largest fᵢⱼ |pᵢ − cⱼ| */
  radii: Float64Array;
  /** boneCount: largest fᵢⱼ */
  factors: Float64Array;
}

export function makeBoneBalls({ mesh, skin, skeleton }: SkinnedModel): BoneBalls {
  const boneCount = skeleton.names.length;
  const vertexCount = skin.rowStart.length - 1;
  const { rowStart, boneIndices, weights } = skin;
  const p = mesh.positions;
  const least = MIN_REACH * measureBounds(p).diagonal;

  const centers = new Float64Array(boneCount * 3);
  const sums = new Float64Array(boneCount);
  for (let i = 0; i < vertexCount; i++) {
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const j = boneIndices[e];
      sums[j] += weights[e];
      for (let c = 0; c < 3; c++) centers[3 * j + c] += weights[e] * p[3 * i + c];
    }
  }
  for (let j = 0; j < boneCount; j++) {
    for (let c = 0; c < 3; c++)
      centers[3 * j + c] = sums[j] > 0 ? centers[3 * j + c] / sums[j] : skeleton.bindMatrices[16 * j + 12 + c];
  }
  const distanceOf = (i: number, j: number): number => {
    const x = p[3 * i] - centers[3 * j],
      y = p[3 * i + 1] - centers[3 * j + 1],
      z = p[3 * i + 2] - centers[3 * j + 2];
    return Math.sqrt(x * x + y * y + z * z);
  };

  const usual = new Float64Array(boneCount);
  for (let i = 0; i < vertexCount; i++) {
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
      usual[boneIndices[e]] += weights[e] * distanceOf(i, boneIndices[e]) ** 2;
  }
  for (let j = 0; j < boneCount; j++) usual[j] = sums[j] > 0 ? USUAL * Math.sqrt(usual[j] / sums[j]) : 0;

  const radii = new Float64Array(boneCount).fill(least);
  const factors = new Float64Array(boneCount);
  for (let j = 0; j < boneCount; j++) if (!(sums[j] > 0)) factors[j] = 1;
  const partOf = (i: number, e: number): number => {
    const j = boneIndices[e];
    return weights[e] * (usual[j] > 0 ? Math.max(1, distanceOf(i, j) / usual[j]) : 1);
  };
  for (let i = 0; i < vertexCount; i++) {
    let sum = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) sum += partOf(i, e);
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const part = partOf(i, e) / sum;
      if (!(part > 0)) continue;
      const j = boneIndices[e];
      const factor = weights[e] / part;
      factors[j] = Math.max(factors[j], factor);
      radii[j] = Math.max(radii[j], factor * distanceOf(i, j));
    }
  }
  return { centers, radii, factors };
}

/** By joint: the effect of an error on the surface that it and its descendants move, relative to the tolerance of a vertex. */
export interface JointReach {
  /** boneCount x frameCount: largest factor times distance from the joint, file units */
  distances: Float64Array;
  /** boneCount: largest factor */
  factors: Float64Array;
}

/**
 * Measures the maximum distance of the surface from each joint in each frame: an upper bound, by balls.
 * @param bindMatrices boneCount x 16
 * @param aboves boneCount: bone of the parent joint, a smaller index, or -1
 */
export function measureJointReach(
  balls: BoneBalls,
  motion: Motion,
  bindMatrices: Float64Array,
  aboves: Int32Array,
): JointReach {
  const frameCount = motion.times.length;
  const boneCount = aboves.length;
  const distances = new Float64Array(boneCount * frameCount);
  const factors = balls.factors.slice();
  for (let j = boneCount - 1; j >= 0; j--)
    if (aboves[j] >= 0) factors[aboves[j]] = Math.max(factors[aboves[j]], factors[j]);
  const origins = new Float64Array(boneCount * 3);
  const center = new Float64Array(3);
  for (let k = 0; k < frameCount; k++) {
    for (let j = 0; j < boneCount; j++) {
      const m = (k * boneCount + j) * 16;
      transformPoint(motion.matrices, bindMatrices, origins, m, 16 * j + 12, 3 * j);
      transformPoint(motion.matrices, balls.centers, center, m, 3 * j);
      const radius = balls.radii[j] * stretchOf(motion.matrices, m);
      for (let n = j; n >= 0; n = aboves[n]) {
        const x = center[0] - origins[3 * n];
        const y = center[1] - origins[3 * n + 1];
        const z = center[2] - origins[3 * n + 2];
        const far = balls.factors[j] * Math.sqrt(x * x + y * y + z * z) + radius;
        if (far > distances[n * frameCount + k]) distances[n * frameCount + k] = far;
      }
    }
  }
  return { distances, factors };
}

/** An upper bound on the norm of a matrix, exact for rotations and scaled axes: σ² is at most the largest row sum of |MᵀM|. */
function stretchOf(m: Float64Array, o: number): number {
  let most = 0;
  for (let p = 0; p < 3; p++) {
    let sum = 0;
    for (let q = 0; q < 3; q++) {
      let dot = 0;
      for (let r = 0; r < 3; r++) dot += m[o + 4 * p + r] * m[o + 4 * q + r];
      sum += Math.abs(dot);
    }
    most = Math.max(most, sum);
  }
  return Math.sqrt(most);
}
