// SPDX-License-Identifier: MIT
// One bone at a time on the residual (bone-sweep.ts), with an importance per vertex and frame: Σᵢₖ ωᵢₖ |Σⱼ wᵢⱼ Mⱼₖ ũᵢ − vᵢₖ|². The moments of every frame are then its own,
//   Cⱼₗ = Σᵢ ωᵢₖ wᵢⱼ wᵢₗ ũũᵀ,  Dⱼ = Σᵢ ωᵢₖ wᵢⱼ v ũᵀ,
// and each frame visits all vertices. A chunk is a frame.
import { SYM4_SIZE } from '../../math/sym4.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import type { Trajectories } from '../matrices/trajectories.ts';
import type { FitWeights } from '../weights/convex-weights.ts';
import { MIN_MOMENT, type SweepOptions, sweepFrame, sweepScratchOf, TRANSFORM_KINDS } from './bone-sweep.ts';
import { pairOffset } from './skin-moments.ts';

/**
 * A call for runAll that fits bones in place (rows x 4 boneCount), with scratch memory from the given compute.
 * @param importance vertexCount x frameCount, not negative
 */
export function callWeightedSweep(
  memory: Compute,
  { vertexCount, frameCount, rest, posed }: Trajectories,
  bones: Resident<Float64Array>,
  { influences, bones: ids, weights }: Pick<FitWeights, 'influences' | 'bones' | 'weights'>,
  importance: Resident<Float64Array>,
  { sweeps, kind, axes, frozen }: SweepOptions,
): KernelCall {
  const boneCount = bones.length / (12 * frameCount);
  const perThread = sweepScratchOf(boneCount) + SYM4_SIZE * boneCount ** 2 + 12 * boneCount;
  const scratch = memory.float64(perThread * memory.threads);
  const arrays = { bones, rest, posed, ids, weights, importance, axes, frozen, scratch };
  const sizes = { vertexCount, frameCount, boneCount, influences, bytesPerThread: perThread * 8 };
  const rule = { sweeps, kind: TRANSFORM_KINDS.indexOf(kind), minMoment: MIN_MOMENT };
  return callOf(weightedSweepKernel, { ...arrays, ...sizes, ...rule }, frameCount);
}

/** One chunk per frame. */
export const weightedSweepKernel = kernel(
  'weightedSweep',
  {
    /** rows x 4 boneCount, changed in place */
    bones: 'f64',
    rest: 'f64',
    posed: 'f64',
    /** vertexCount x influences */
    ids: 'u32',
    weights: 'f64',
    /** vertexCount x frameCount */
    importance: 'f64',
    /** boneCount x 9 */
    axes: 'f64',
    /** boneCount */
    frozen: 'u32?',
    vertexCount: 'int',
    frameCount: 'int',
    boneCount: 'int',
    influences: 'int',
    sweeps: 'int',
    /** index in TRANSFORM_KINDS */
    kind: 'int',
    minMoment: 'float',
    scratch: 'f64',
    bytesPerThread: 'int',
  },
  ({ bones, rest, posed, ids, weights, importance, vertexCount, frameCount, influences, ...sweep }, k) => {
    const { boneCount } = sweep;
    const c = new Float64Array(SYM4_SIZE * boneCount * boneCount);
    const d = new Float64Array(12 * boneCount);
    for (let i = 0; i < vertexCount; i++) {
      const omega = importance[i * frameCount + k];
      const point = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2], 1];
      for (let a = i * influences; a < (i + 1) * influences; a++) {
        if (weights[a] === 0 || omega === 0) continue;
        const s = omega * weights[a];
        for (let b = a; b < (i + 1) * influences; b++) {
          if (weights[b] === 0) continue;
          let o = pairOffset(boneCount, ids[a], ids[b]);
          for (let p = 0; p < 4; p++) for (let q = p; q < 4; q++) c[o++] += s * weights[b] * point[p] * point[q];
        }
        for (let e = 0; e < 12; e++)
          d[12 * ids[a] + e] += s * posed[3 * (i * frameCount + k) + Math.floor(e / 4)] * point[e % 4];
      }
    }
    const frame = bones.subarray(12 * k * boneCount, 12 * (k + 1) * boneCount);
    sweepFrame(frame, d, { ...sweep, pairs: c });
  },
);
