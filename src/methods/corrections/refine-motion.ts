// SPDX-License-Identifier: MIT
// Rigid or affine bones for a corrected rest shape. The bones were optimal without the correction, so they are fitted again with the
// displaced points xᵢₖ = ũᵢ + Uᵢcₖ, one frame and one bone at a time,
//   min over Mⱼ rigid   Σᵢ |wᵢⱼ Mⱼ xᵢₖ − qᵢ|²,   qᵢ = pᵢₖ − Σ_{l≠j} wᵢₗ Mₗ xᵢₖ,
// is a weighted Procrustes problem: R is the nearest rotation to Σ wᵢⱼ qᵢ xᵢᵀ − m q̄ x̄ᵀ, m = Σ w², x̄ = Σ w²x / m, q̄ = Σ w q / m, and t = q̄ − R x̄.
// For affine bones it is plain least squares, A = P C⁻¹ with that product P and C = Σ w² (x − x̄)(x − x̄)ᵀ, regularized towards the previous matrix if C is near singular.
// No step raises the error.

import { factorCholesky, solveCholesky } from '../../core/algebra/dense-cholesky.ts';
import { nearestRotationInto } from '../../core/math/rotation.ts';
import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { boneCountOf } from '../../core/model/skin/skeleton.ts';
import type { CorrectionProblem } from './correction-problem.ts';
import type { LowRank } from './rest-basis.ts';

/** Maximum deviation of a bone matrix from a rotation and a translation to count as rigid. */
const RIGID_TOLERANCE = 1e-6;

/** Regularization of affine bones towards their previous matrix, relative to C. */
const HOLD = 1e-9;

/** Whether all bones are rigid in every frame. */
export function isRigidMotion({ motions }: SkinnedModel): boolean {
  for (const { matrices } of motions) {
    for (let o = 0; o < matrices.length; o += 16) {
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b <= a; b++) {
          let dot = a === b ? -1 : 0;
          for (let r = 0; r < 3; r++) dot += matrices[o + 4 * a + r] * matrices[o + 4 * b + r];
          if (!(Math.abs(dot) <= RIGID_TOLERANCE)) return false;
        }
      }
    }
  }
  return true;
}

/** Influences by bone: point and weight of each. */
export interface BonePoints {
  /** boneCount + 1 */
  starts: Uint32Array;
  points: Uint32Array;
  weights: Float64Array;
}

export function listBonePoints({ weld, pointCount }: CorrectionProblem, { skin, skeleton }: SkinnedModel): BonePoints {
  const boneCount = boneCountOf(skeleton);
  const starts = new Uint32Array(boneCount + 1);
  const each = (visit: (bone: number, point: number, weight: number) => void): void => {
    for (let i = 0; i < pointCount; i++) {
      const v = weld.vertexOfPoint[i];
      for (let e = skin.rowStart[v]; e < skin.rowStart[v + 1]; e++) visit(skin.boneIndices[e], i, skin.weights[e]);
    }
  };
  each((bone) => starts[bone + 1]++);
  for (let j = 0; j < boneCount; j++) starts[j + 1] += starts[j];
  const next = starts.slice();
  const points = new Uint32Array(starts[boneCount]);
  const weights = new Float64Array(starts[boneCount]);
  each((bone, point, weight) => {
    points[next[bone]] = point;
    weights[next[bone]++] = weight;
  });
  return { starts, points, weights };
}

/** Fits the bones of all frames to a correction; the model's matrices are changed in place. */
export function refineMotionInto(
  clips: readonly Clip[],
  model: SkinnedModel,
  { weld, pointCount }: CorrectionProblem,
  bones: BonePoints,
  { rank, basis, coefficients }: LowRank,
  { sweeps, isAffine = false }: { sweeps: number; isAffine?: boolean },
): void {
  const boneCount = boneCountOf(model.skeleton);
  const shaped = new Float64Array(3 * pointCount);
  // the residual p − Σ w M x
  const left = new Float64Array(3 * pointCount);
  const scratch: BoneScratch = {
    product: new Float64Array(9),
    turn: new Float64Array(9),
    spread: isAffine ? new Float64Array(9) : undefined,
  };
  const { positions: rest } = model.mesh;
  let frame = 0;
  clips.forEach((clip, n) => {
    const state: FrameState = { shaped, left, matrices: model.motions[n].matrices };
    const stride = rest.length;
    for (let k = 0; k < clip.times.length; k++, frame++) {
      for (let i = 0; i < pointCount; i++) {
        const v = 3 * weld.vertexOfPoint[i];
        for (let a = 0; a < 3; a++) {
          let x = rest[v + a];
          for (let r = 0; r < rank; r++) x += basis[3 * (i * rank + r) + a] * coefficients[frame * rank + r];
          shaped[3 * i + a] = x;
          left[3 * i + a] = clip.positions[k * stride + v + a];
        }
      }
      const first = 16 * k * boneCount;
      for (let j = 0; j < boneCount; j++) addBone(bones, j, state, first + 16 * j, -1);
      for (let sweep = 0; sweep < sweeps; sweep++) {
        for (let j = 0; j < boneCount; j++) {
          const o = first + 16 * j;
          addBone(bones, j, state, o, 1);
          fitBone(bones, j, state, o, scratch);
          addBone(bones, j, state, o, -1);
        }
      }
    }
  });
}

/** The points of one frame, and the matrices of all frames of its motion. */
interface FrameState {
  /** pointCount x 3: displaced rest positions */
  shaped: Float64Array;
  /** pointCount x 3: residuals */
  left: Float64Array;
  /** frameCount x boneCount x 16 */
  matrices: Float64Array;
}

/** 3x3 matrices, column-major. */
interface BoneScratch {
  product: Float64Array;
  turn: Float64Array;
  /** C, only for affine bones. */
  spread: Float64Array | undefined;
}

/** left += sign w M x for the points of a bone, M at offset o. */
function addBone(
  { starts, points, weights }: BonePoints,
  j: number,
  { shaped, left, matrices: m }: FrameState,
  o: number,
  sign: number,
): void {
  for (let e = starts[j]; e < starts[j + 1]; e++) {
    const c = 3 * points[e];
    const w = sign * weights[e];
    const x = shaped[c],
      y = shaped[c + 1],
      z = shaped[c + 2];
    left[c] += w * (m[o] * x + m[o + 4] * y + m[o + 8] * z + m[o + 12]);
    left[c + 1] += w * (m[o + 1] * x + m[o + 5] * y + m[o + 9] * z + m[o + 13]);
    left[c + 2] += w * (m[o + 2] * x + m[o + 6] * y + m[o + 10] * z + m[o + 14]);
  }
}

/** Fits the matrix of a bone, at offset o, to the residual; affine if scratch memory for C is given. A bone without weights is unchanged. */
function fitBone(
  { starts, points, weights }: BonePoints,
  j: number,
  { shaped, left, matrices }: FrameState,
  o: number,
  { product, turn, spread }: BoneScratch,
): void {
  let mass = 0;
  const [source, target] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (let e = starts[j]; e < starts[j + 1]; e++) {
    const w = weights[e];
    mass += w * w;
    for (let a = 0; a < 3; a++) {
      source[a] += w * w * shaped[3 * points[e] + a];
      target[a] += w * left[3 * points[e] + a];
    }
  }
  if (!(mass > 0)) return;
  for (let a = 0; a < 3; a++) {
    source[a] /= mass;
    target[a] /= mass;
  }
  product.fill(0);
  spread?.fill(0);
  for (let e = starts[j]; e < starts[j + 1]; e++) {
    const w = weights[e];
    const c = 3 * points[e];
    for (let b = 0; b < 3; b++) {
      const x = w * (shaped[c + b] - source[b]);
      for (let a = 0; a < 3; a++) product[3 * b + a] += (left[c + a] - w * target[a]) * x;
      if (spread) for (let a = 0; a < 3; a++) spread[3 * b + a] += x * w * (shaped[c + a] - source[a]);
    }
  }
  if (spread) solveAffine(product, spread, turn, matrices, o);
  else nearestRotationInto(product, turn);
  for (let a = 0; a < 3; a++) {
    let t = target[a];
    for (let b = 0; b < 3; b++) {
      matrices[o + 4 * b + a] = turn[3 * b + a];
      t -= turn[3 * b + a] * source[b];
    }
    matrices[o + 12 + a] = t;
  }
}

/** A = (P + h A₀)(C + h I)⁻¹, column-major as P. */
function solveAffine(
  product: Float64Array,
  spread: Float64Array,
  out: Float64Array,
  matrices: Float64Array,
  o: number,
): void {
  const hold = HOLD * (spread[0] + spread[4] + spread[8]);
  const row = new Float64Array(3);
  if (!(hold > 0)) {
    for (let c = 0; c < 9; c++) out[c] = matrices[o + 4 * Math.floor(c / 3) + (c % 3)];
    return;
  }
  for (let d = 0; d < 9; d += 4) spread[d] += hold;
  factorCholesky(spread, 3, hold);
  for (let a = 0; a < 3; a++) {
    for (let b = 0; b < 3; b++) row[b] = product[3 * b + a] + hold * matrices[o + 4 * b + a];
    solveCholesky(spread, 3, row);
    for (let b = 0; b < 3; b++) out[3 * b + a] = row[b];
  }
}
