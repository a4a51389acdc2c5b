// SPDX-License-Identifier: MIT
// One bone at a time on the residual (bone-sweep.ts), with an importance per vertex and frame: Σᵢₖ ωᵢₖ |Σⱼ wᵢⱼ Mⱼₖ ũᵢ − vᵢₖ|². The moments of every frame are then its own,
//   Cⱼₗ = Σᵢ ωᵢₖ wᵢⱼ wᵢₗ ũũᵀ,  Dⱼ = Σᵢ ωᵢₖ wᵢⱼ v ũᵀ,
// and each frame visits all vertices. A chunk is a frame.
import { SYM4_SIZE } from '../../math/sym4.ts';
import type { Compute, KernelCall, Resident, ResidentArray } from '../compute.ts';
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
  boneCount: number,
  { influences, bones: ids, weights }: Pick<FitWeights, 'influences' | 'bones' | 'weights'>,
  importance: Resident<Float64Array>,
  { sweeps, kind, axes, frozen }: SweepOptions,
): KernelCall {
  const perThread = sweepScratchOf(boneCount) + SYM4_SIZE * boneCount ** 2 + 12 * boneCount;
  const scratch = memory.float64(perThread * memory.threads);
  return {
    kernel: 'weightedSweep',
    args: [
      ...[bones, rest, posed, ids, weights, importance, axes, frozen ?? 0, vertexCount, frameCount, boneCount],
      ...[influences, sweeps, TRANSFORM_KINDS.indexOf(kind), MIN_MOMENT, scratch, perThread * 8],
    ],
    chunkCount: frameCount,
  };
}

/** args: as in weighted-sweep.as.ts */
export function weightedSweepReference(args: readonly (ResidentArray | number)[], k: number): void {
  const [t, u, v] = args as Float64Array[];
  const ids = args[3] as Uint32Array;
  const [weights, importance, axes] = args.slice(4) as Float64Array[];
  const frozen = args[7] === 0 ? undefined : (args[7] as Uint32Array);
  const [vertexCount, frameCount, boneCount, influences, sweeps, kind, minMoment] = args.slice(8) as number[];
  const c = new Float64Array(SYM4_SIZE * boneCount * boneCount);
  const d = new Float64Array(12 * boneCount);
  for (let i = 0; i < vertexCount; i++) {
    const omega = importance[i * frameCount + k];
    const point = [u[3 * i], u[3 * i + 1], u[3 * i + 2], 1];
    for (let a = i * influences; a < (i + 1) * influences; a++) {
      if (weights[a] === 0 || omega === 0) continue;
      const s = omega * weights[a];
      for (let b = a; b < (i + 1) * influences; b++) {
        if (weights[b] === 0) continue;
        let o = pairOffset(boneCount, ids[a], ids[b]);
        for (let p = 0; p < 4; p++) for (let q = p; q < 4; q++) c[o++] += s * weights[b] * point[p] * point[q];
      }
      for (let e = 0; e < 12; e++)
        d[12 * ids[a] + e] += s * v[3 * (i * frameCount + k) + Math.floor(e / 4)] * point[e % 4];
    }
  }
  const frame = t.subarray(12 * k * boneCount, 12 * (k + 1) * boneCount);
  sweepFrame(frame, c, d, axes, frozen, boneCount, sweeps, kind, minMoment);
}
