// SPDX-License-Identifier: MIT
import { transformPoint } from '../math/mat4.ts';
import { measureBounds } from '../mesh/bounds.ts';
import { smallestEnclosingBall } from '../mesh/enclosing-ball.ts';
import type { SkinnedModel } from '../model/asset.ts';
import type { Mesh } from '../model/mesh.ts';
import type { Motion } from '../model/motion.ts';
import type { Skin } from '../model/skin.ts';

/**
 * Weights above it count as if they were one; a smaller weight w counts its vertex at w / SMALL_WEIGHT of the distance, so that each such
 * influence adds at most SMALL_WEIGHT of the tolerance to a vertex.
 */
const SMALL_WEIGHT = 0.01;

/** Reach of a bone without any surface, in parts of the shape's diagonal: what it carries in a scene should still turn with it. */
const LEAST_REACH = 0.01;

/** Balls around what each bone moves, at rest, in model space. */
export interface BoneBalls {
  /** boneCount x 3 */
  centers: Float64Array;
  /** boneCount */
  radii: Float64Array;
}

export function makeBoneBalls({ mesh, skin, skeleton }: SkinnedModel): BoneBalls {
  const boneCount = skeleton.names.length;
  const least = LEAST_REACH * measureBounds(mesh.positions).diagonal;
  const centers = new Float64Array(boneCount * 3);
  const radii = new Float64Array(boneCount);
  for (let j = 0; j < boneCount; j++) {
    for (let c = 0; c < 3; c++) centers[3 * j + c] = skeleton.bindMatrices[16 * j + 12 + c];
  }
  listOwnPoints(mesh, skin, boneCount).forEach((points, j) => {
    if (points.length === 0) return;
    const { center, radius } = smallestEnclosingBall(points);
    centers.set(center, 3 * j);
    radii[j] = radius;
  });
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const weight = skin.weights[e];
      if (weight > SMALL_WEIGHT) continue;
      const j = skin.boneIndices[e];
      const distance = Math.hypot(
        mesh.positions[3 * i] - centers[3 * j],
        mesh.positions[3 * i + 1] - centers[3 * j + 1],
        mesh.positions[3 * i + 2] - centers[3 * j + 2],
      );
      radii[j] = Math.max(radii[j], (distance * weight) / SMALL_WEIGHT);
    }
  }
  for (let j = 0; j < boneCount; j++) radii[j] = Math.max(radii[j], least);
  return { centers, radii };
}

/** By bone: positions of the vertices that it moves by more than SMALL_WEIGHT. */
function listOwnPoints(mesh: Mesh, skin: Skin, boneCount: number): Float32Array[] {
  const counts = new Uint32Array(boneCount);
  for (let e = 0; e < skin.weights.length; e++) if (skin.weights[e] > SMALL_WEIGHT) counts[skin.boneIndices[e]]++;
  const points = Array.from(counts, (count) => new Float32Array(count * 3));
  counts.fill(0);
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      if (!(skin.weights[e] > SMALL_WEIGHT)) continue;
      const j = skin.boneIndices[e];
      for (let c = 0; c < 3; c++) points[j][3 * counts[j] + c] = mesh.positions[3 * i + c];
      counts[j]++;
    }
  }
  return points;
}

/**
 * How far from each bone's joint the surface that it moves reaches, itself or through the joints below it, in each frame: an upper bound, by balls.
 * @param bindMatrices boneCount x 16
 * @param aboves boneCount: the bone whose joint this one hangs under, a smaller index, or -1
 * @returns boneCount x frameCount, file units
 */
export function measureJointReach(
  balls: BoneBalls,
  motion: Motion,
  bindMatrices: Float64Array,
  aboves: Int32Array,
): Float64Array {
  const frameCount = motion.times.length;
  const boneCount = aboves.length;
  const reach = new Float64Array(boneCount * frameCount);
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
        const far = Math.sqrt(x * x + y * y + z * z) + radius;
        if (far > reach[n * frameCount + k]) reach[n * frameCount + k] = far;
      }
    }
  }
  return reach;
}

/** An upper bound of how much a matrix lengthens, exact for rotations and scaled axes: σ² is at most the largest row sum of |MᵀM|. */
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
