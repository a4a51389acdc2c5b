// SPDX-License-Identifier: MIT
// Negative weights, which files and players do not support, expressed exactly by non-negative weights with more bones.
//
// With one more bone C, and for every bone two bones that extend it and mirror it about C, T± = C ± s (T − C), Σ w = 1 gives
//   Σⱼ wⱼ Tⱼ = C + Σⱼ wⱼ (Tⱼ − C) = Σⱼ (|wⱼ|/s) T_{±}ⱼ + (1 − Σⱼ |wⱼ|/s) C,
// which is convex if s is the largest Σ |w| of any vertex. So every blended matrix is unchanged, and with it positions, normals and corrections. The cost is the
// bone C, the mirrored bones, and one more influence. C is the mean of the bones, frame by frame.
import type { VertexWeights } from './vertex-weights.ts';

export interface ConvexBones {
  boneCount: number;
  /** rows x 4 boneCount */
  bones: Float64Array;
  weights: VertexWeights;
}

/** Smaller weights count as zero. */
const NEGLIGIBLE = 1e-9;

/**
 * Bones and non-negative weights with the same blended matrices; the given ones if no weight is negative.
 * @param bones rows x 4 boneCount
 */
export function makeConvexBones(bones: Float64Array, boneCount: number, given: VertexWeights): ConvexBones {
  const { influences, weights } = given;
  let scale = 1;
  const isUsed = [new Uint8Array(boneCount), new Uint8Array(boneCount)];
  for (let i = 0; i < weights.length; i += influences) {
    let sum = 0;
    for (let e = i; e < i + influences; e++) {
      sum += Math.abs(weights[e]);
      if (Math.abs(weights[e]) > NEGLIGIBLE) isUsed[weights[e] < 0 ? 1 : 0][given.bones[e]] = 1;
    }
    scale = Math.max(scale, sum);
  }
  if (!isUsed[1].includes(1)) return { boneCount, bones, weights: given };
  /** New bones: extended ones in their old order, mirrored ones, C. */
  const list: { bone: number; sign: number }[] = [];
  const placeOf = isUsed.map((used, mirrored) =>
    Array.from(used, (is, bone) => (is ? list.push({ bone, sign: mirrored ? -scale : scale }) - 1 : -1)),
  );
  const center = list.length;
  const count = center + 1;
  const rows = bones.length / (4 * boneCount);
  const made = new Float64Array(rows * 4 * count);
  for (let row = 0; row < rows; row++) {
    for (let c = 0; c < 4; c++) {
      const from = row * 4 * boneCount + c;
      const to = row * 4 * count + c;
      let mean = 0;
      for (let j = 0; j < boneCount; j++) mean += bones[from + 4 * j] / boneCount;
      for (const [n, { bone, sign }] of list.entries())
        made[to + 4 * n] = mean + sign * (bones[from + 4 * bone] - mean);
      made[to + 4 * center] = mean;
    }
  }
  const vertexCount = weights.length / influences;
  const width = influences + 1;
  const ids = new Uint32Array(vertexCount * width).fill(center);
  const values = new Float64Array(vertexCount * width);
  for (let i = 0; i < vertexCount; i++) {
    let left = 1;
    for (let e = 0; e < influences; e++) {
      const w = weights[i * influences + e];
      if (!(Math.abs(w) > NEGLIGIBLE)) continue;
      ids[i * width + e] = placeOf[w < 0 ? 1 : 0][given.bones[i * influences + e]];
      values[i * width + e] = Math.abs(w) / scale;
      left -= Math.abs(w) / scale;
    }
    values[i * width + influences] = Math.max(0, left);
  }
  return {
    boneCount: count,
    bones: made,
    weights: { influences: width, bones: ids, weights: values, error: given.error },
  };
}
