// SPDX-License-Identifier: MIT
// Methods do not import one another: here a decomposition provides the first bones of a skeleton.

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { joinClips, splitMotion } from '../../core/model/clip/join-clips.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { defaultsOf, fillDefaults } from '../../core/options/fill-defaults.ts';
import type { ProgressInfo, SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import { lssp, ssdr } from '../../methods/decompose/index.ts';
import {
  type Decomposer,
  type GivenHierarchy,
  SKELETON_OPTIONS,
  type SkeletonResult,
  type SkeletonValues,
  skeletonMethod,
} from '../../methods/skeleton/index.ts';
import { type NoiseOption, prepareNoisy } from '../shared/index.ts';
import { isInward, orientFrames } from './orient-frames.ts';

/** Options of skeleton. */
export interface ExtractOptions extends Partial<SkeletonValues>, Pick<SolveMonitorOptions, 'onProgress' | 'signal'> {
  /** Given bones and joints, instead of a topology found from the motion. */
  hierarchy?: GivenHierarchy;
  /** Standard deviation of the noise per coordinate, file units; 'auto': estimated, and ignored if it is below 0.05 % of the box diagonal; 0: none. With noise, a rest shape is built and corrected. */
  noise?: NoiseOption;
  /** Random seed. */
  seed?: number;
  /** Number of threads; 0: one per core. */
  threads?: number;
  /** Compute to use. Default: one that is made for this call. */
  compute?: Compute;
}

/** Defaults of ExtractOptions. */
export const EXTRACT_DEFAULTS = {
  ...defaultsOf(SKELETON_OPTIONS),
  bones: 0,
  endJoints: false,
  tidy: false,
  anywhere: false,
  asymmetric: false,
  asPublished: false,
  time: 0,
  noise: 'auto',
  seed: 0,
  threads: 0,
} as const;

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
  const o = { ...EXTRACT_DEFAULTS, ...dropUndefined(options) };
  const settled = fillDefaults(SKELETON_OPTIONS, o);
  skeletonMethod.check(settled);
  const compute = options.compute?.child() ?? (await makeCompute({ threads: o.threads }));
  try {
    const { clip: prepared, noise, isRestBuilt } = await prepareNoisy(compute, joinClips(list), o.noise);
    const clip = turnOutward(prepared);
    const size = { vertexCount: clip.mesh.positions.length / 3, frameCount: clip.times.length };
    const { solve } = await skeletonMethod.load();
    const result = await solve(
      { compute, signal: o.signal, onProgress: o.onProgress },
      { clip, decomposer: makeDecomposer(compute, o), hierarchy: o.hierarchy, noise, isRestBuilt, seed: o.seed },
      settled,
      skeletonMethod.plan(settled, undefined, size),
    );
    const motions = result.model.motions.flatMap((motion) => splitMotion(motion, list));
    // joints are placed below the surface, wherever that is; the mesh that is written faces as it did
    const mesh = { ...result.model.mesh, triangles: prepared.mesh.triangles };
    const model = { ...result.model, motions, mesh };
    return { ...result, model, noise, seconds: (performance.now() - start) / 1000 };
  } finally {
    compute.dispose();
  }
}

/** The clip with its triangles outward. */
function turnOutward(clip: Clip): Clip {
  if (!isInward(clip.mesh)) return clip;
  const [{ triangles }] = orientFrames([clip.mesh]).frames;
  return { ...clip, mesh: { ...clip.mesh, triangles } };
}

type DecomposerOptions = Required<Pick<ExtractOptions, 'method' | 'influences' | 'seed' | 'time'>> &
  SolveMonitorOptions;

function makeDecomposer(compute: Compute, options: DecomposerOptions): Decomposer {
  const { method, influences, seed, signal, time, onProgress } = options;
  return async (clip, bones, n, effort) => {
    const shared = {
      ...{ bones, influences, signal, seed: seed + n },
      time: time * DECOMPOSE_PART,
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
