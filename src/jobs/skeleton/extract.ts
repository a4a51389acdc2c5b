// SPDX-License-Identifier: MIT
// Methods do not import one another: here a decomposition provides the first bones of a skeleton.

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { joinClips, splitMotion } from '../../core/model/clip/join-clips.ts';
import type { ProgressInfo } from '../../core/progress/solve-monitor.ts';
import { lssp, ssdr } from '../../methods/decompose/index.ts';
import {
  type Decomposer,
  extractSkeleton,
  SKELETON_DEFAULTS,
  type SkeletonOptions,
  type SkeletonResult,
} from '../../methods/skeleton/index.ts';
import { type NoiseOption, prepareNoisy } from '../shared/index.ts';
import { isInward, orientFrames } from './orient-frames.ts';

/** Options of skeleton. */
export interface ExtractOptions extends Omit<SkeletonOptions, 'noise' | 'isRestBuilt'> {
  /** Standard deviation of the noise per coordinate, file units; 'auto': estimated, and ignored if it is below 0.05 % of the box diagonal; 0: none. With noise, a rest shape is built and corrected. */
  noise?: NoiseOption;
  /** Number of threads; 0: one per core. */
  threads?: number;
  /** Compute to use. Default: one that is made for this call. */
  compute?: Compute;
}

/** Defaults of ExtractOptions. */
export const EXTRACT_DEFAULTS = { ...SKELETON_DEFAULTS, noise: 'auto', threads: 0 } as const;

/** A skeleton with its skin and joint rotations. */
export interface ExtractResult extends SkeletonResult {
  /** Standard deviation of the noise per coordinate, file units; 0: none was found. */
  noise: number;
  /** Seconds of solving. */
  seconds: number;
}

/** Ratio of the time limit, and of the progress, for the decomposition. */
const DECOMPOSE_PART = 0.5;

/**
 * Extracts a skeleton from one clip, or from several clips of one mesh: one skeleton, one motion per clip.
 * A stopped solve (signal, time) returns its best result so far.
 * @example
 * ```ts
 * import { skeleton, writeGlb } from 'ossify';
 *
 * const { model } = await skeleton(clip);
 * const glb = await writeGlb(asset, { kind: 'skin', model });
 * ```
 */
export async function skeleton(clips: Clip | readonly Clip[], options: ExtractOptions = {}): Promise<ExtractResult> {
  const list = Array.isArray(clips) ? (clips as readonly Clip[]) : [clips as Clip];
  const start = performance.now();
  const compute = options.compute?.child() ?? (await makeCompute({ threads: options.threads }));
  try {
    const { clip: prepared, noise, isRestBuilt } = await prepareNoisy(compute, joinClips(list), options.noise);
    const isTurned = isInward(prepared.mesh);
    const [outward] = isTurned ? orientFrames([prepared.mesh]).frames : [prepared.mesh];
    const clip = isTurned ? { ...prepared, mesh: { ...prepared.mesh, triangles: outward.triangles } } : prepared;
    const result = await extractSkeleton(compute, clip, makeDecomposer(compute, options), {
      ...options,
      noise,
      isRestBuilt,
    });
    const motions = result.model.motions.flatMap((motion) => splitMotion(motion, list));
    // joints are placed below the surface, wherever that is; the mesh that is written faces as it did
    const { mesh } = result.model;
    const model = {
      ...result.model,
      motions,
      mesh: isTurned ? { ...mesh, triangles: prepared.mesh.triangles } : mesh,
    };
    return { ...result, model, noise, seconds: (performance.now() - start) / 1000 };
  } finally {
    compute.dispose();
  }
}

function makeDecomposer(compute: Compute, options: ExtractOptions): Decomposer {
  const { method, influences, seed = 0, signal, time, onProgress } = options;
  return async (clip, bones, n, effort) => {
    const shared = {
      ...{ bones, influences, signal, seed: seed + n },
      time: (time ?? 0) * DECOMPOSE_PART,
      onProgress:
        onProgress && ((info: ProgressInfo) => onProgress({ ...info, fraction: DECOMPOSE_PART * info.fraction })),
    };
    // the skeleton solves its own weights
    const { model } =
      method === 'hasler'
        ? await lssp(compute, clip, shared)
        : await ssdr(compute, clip, { ...shared, iterations: 0, keepRest: true, effort });
    return { boneCount: model.skeleton.names.length, matrices: model.motions[0].matrices };
  };
}
