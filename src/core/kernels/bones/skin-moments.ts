// SPDX-License-Identifier: MIT
// Moments of a skin: everything that bone fitting needs from the vertices. With ũ = (u, 1),
//   Cⱼₗ = Σᵢ wᵢⱼ wᵢₗ ũᵢũᵢᵀ  (symmetric 4x4, core/math/sym4.ts),   Dⱼₖ = Σᵢ wᵢⱼ vᵢₖ ũᵢᵀ  (3x4 per frame),
// and the error of any bones is Σₖ ( Σⱼₗ tr(Mⱼₖ Cⱼₗ Mₗₖᵀ) − 2 Σⱼ tr(Mⱼₖ Dⱼₖᵀ) ) + const: no further pass over vertices.
//
// Every chunk sums its own vertices; the partial sums are then added in a fixed order, so that threads do not change the result.
import { addOuterSym4, SYM4_SIZE } from '../../math/sym4.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import { callExpandTargets } from '../matrices/reduce-rows.ts';
import type { Trajectories } from '../matrices/trajectories.ts';

/** The number of partial sums is limited so that they stay small compared with the clip. */
const MAX_PARTS = 8;
const PART_BYTES = 64e6;
/** Sums per chunk. */
const ADD_CHUNK = 2048;

export interface SkinMoments {
  /** boneCount x boneCount x 10; filled where the first bone is not above the second */
  pairs: Resident<Float64Array>;
  /** boneCount x (3 frameCount) x 4 */
  targets: Resident<Float64Array>;
}

/** Offset of the matrix of two bones, in any order, in SkinMoments.pairs. */
export function pairOffset(boneCount: number, j: number, l: number): number {
  return (Math.min(j, l) * boneCount + Math.max(j, l)) * SYM4_SIZE;
}

export function reserveSkinMoments(compute: Compute, boneCount: number, frameCount: number): SkinMoments {
  return {
    pairs: compute.float64(boneCount * boneCount * SYM4_SIZE),
    targets: compute.float64(boneCount * frameCount * 12),
  };
}

/**
 * Fills moments.
 * @param bones vertexCount x influences
 * @param weights vertexCount x influences; zero: no influence
 */
export async function skinMomentsInto(
  compute: Compute,
  trajectories: Trajectories,
  bones: Resident<Uint32Array>,
  weights: Resident<Float64Array>,
  boneCount: number,
  moments: SkinMoments,
): Promise<void> {
  await compute.scope((memory) =>
    compute.runAll(callSkinMoments(memory, trajectories, bones, weights, boneCount, moments)),
  );
}

/** The same as calls for runAll, with scratch memory from the given compute. */
export function callSkinMoments(
  memory: Compute,
  trajectories: Trajectories,
  bones: Resident<Uint32Array>,
  weights: Resident<Float64Array>,
  boneCount: number,
  moments: SkinMoments,
): KernelCall[] {
  const { vertexCount, frameCount, rest, reduced } = trajectories;
  const { pairs, targets } = moments;
  const partCount = Math.max(2, Math.min(MAX_PARTS, Math.floor(PART_BYTES / (8 * (pairs.length + targets.length)))));
  const rows = reduced ? reduced.rank : 3 * frameCount;
  const influences = weights.length / vertexCount;
  const chunkSize = Math.ceil(vertexCount / partCount);
  const sums = reduced ? memory.float64(boneCount * rows * 4) : targets;
  const pairParts = memory.float64(pairs.length * partCount);
  const targetParts = memory.float64(sums.length * partCount);
  const addUp = (parts: Resident<Float64Array>, out: Resident<Float64Array>): KernelCall => {
    const { length } = out;
    return callOf(
      addPartsKernel,
      { parts, out, length, partCount, chunkSize: ADD_CHUNK },
      Math.ceil(length / ADD_CHUNK),
    );
  };
  const posed = reduced?.coordinates ?? trajectories.posed;
  const arrays = { rest, posed, bones, weights, pairParts, targetParts };
  return [
    callOf(skinMomentsKernel, { ...arrays, vertexCount, rows, boneCount, influences, chunkSize }, partCount),
    addUp(pairParts, pairs),
    addUp(targetParts, sums),
    ...(reduced ? [callExpandTargets(reduced, sums, targets, boneCount)] : []),
  ];
}

export const skinMomentsKernel = kernel(
  'skinMoments',
  {
    rest: 'f64',
    posed: 'f64',
    /** vertexCount x influences */
    bones: 'u32',
    /** vertexCount x influences */
    weights: 'f64',
    /** chunkCount x boneCount x boneCount x 10, filled */
    pairParts: 'f64',
    /** chunkCount x boneCount x rows x 4, filled */
    targetParts: 'f64',
    vertexCount: 'int',
    rows: 'int',
    boneCount: 'int',
    influences: 'int',
    chunkSize: 'int',
  },
  (
    { rest: u, posed: v, bones, weights, pairParts, targetParts, vertexCount, rows, boneCount, influences, chunkSize },
    chunk,
  ) => {
    const cLength = boneCount * boneCount * SYM4_SIZE;
    const dLength = boneCount * rows * 4;
    const c = pairParts.subarray(chunk * cLength, (chunk + 1) * cLength).fill(0);
    const d = targetParts.subarray(chunk * dLength, (chunk + 1) * dLength).fill(0);
    const end = Math.min(vertexCount, (chunk + 1) * chunkSize);
    const h = [0, 0, 0, 1];
    for (let i = chunk * chunkSize; i < end; i++) {
      for (let r = 0; r < 3; r++) h[r] = u[3 * i + r];
      for (let a = i * influences; a < (i + 1) * influences; a++) {
        const w = weights[a];
        if (w === 0) continue;
        const j = bones[a];
        for (let b = i * influences; b < (i + 1) * influences; b++) {
          const ww = w * weights[b];
          if (ww === 0 || bones[b] < j) continue;
          addOuterSym4(ww, h[0], h[1], h[2], c, pairOffset(boneCount, j, bones[b]));
        }
        let q = j * rows * 4;
        for (let row = 0; row < rows; row++) {
          const s = w * v[i * rows + row];
          for (let x = 0; x < 4; x++) d[q++] += s * h[x];
        }
      }
    }
  },
);

/** Adds the parts in their order. */
export const addPartsKernel = kernel(
  'addParts',
  {
    /** partCount x length */
    parts: 'f64',
    /** length, filled */
    out: 'f64',
    length: 'int',
    partCount: 'int',
    chunkSize: 'int',
  },
  ({ parts, out, length, partCount, chunkSize }, chunk) => {
    const end = Math.min(length, (chunk + 1) * chunkSize);
    for (let e = chunk * chunkSize; e < end; e++) {
      let sum = 0;
      for (let p = 0; p < partCount; p++) sum += parts[p * length + e];
      out[e] = sum;
    }
  },
);
