// SPDX-License-Identifier: MIT
// The verb: a mesh in motion becomes a skinned model. One skin for one clip, or for several clips of one mesh.
import { fitGiven, type GivenParts } from '../decompose/fit-given.ts';
import { SSDR_DEFAULTS, type SsdrOptions, type SsdrResult, ssdr } from '../decompose/ssdr.ts';
import { ssdrByError } from '../decompose/ssdr-by-error.ts';
import type { Compute } from '../kernels/compute.ts';
import { makeCompute } from '../kernels/make-compute.ts';
import type { Clip } from '../model/clip.ts';
import { joinClips, splitMotion } from './join-clips.ts';

export const DECOMPOSE_METHODS = ['ssdr'] as const;

export interface DecomposeOptions extends SsdrOptions {
  /** Which decomposition. */
  method?: (typeof DECOMPOSE_METHODS)[number];
  /** Without bones: the largest distance, in file units, that any vertex may be off; the smallest number of bones found to hold it is used. */
  maxError?: number;
  /** Bones and motion, or weights, that are kept while the rest is solved. */
  given?: GivenParts;
  /** Threads to use; 0: as many as there are cores. */
  threads?: number;
  /** Where to compute; made for the call where absent. */
  compute?: Compute;
}

export const DECOMPOSE_DEFAULTS = { ...SSDR_DEFAULTS, method: 'ssdr', threads: 0 } as const;

export interface DecomposeResult extends SsdrResult {
  /** Seconds of solving. */
  seconds: number;
}

/**
 * Decomposes one clip, or several clips of one mesh, into a skinned model: one skin, one motion per clip.
 * A stopped solve (signal, time) returns its best so far.
 */
export async function decompose(
  clips: Clip | readonly Clip[],
  options: DecomposeOptions = {},
): Promise<DecomposeResult> {
  const list = Array.isArray(clips) ? (clips as readonly Clip[]) : [clips as Clip];
  const clip = joinClips(list);
  const compute = options.compute ?? (await makeCompute({ threads: options.threads }));
  const start = performance.now();
  try {
    const result = await solve(compute, clip, options);
    const motions = result.model.motions.flatMap((motion) => splitMotion(motion, list));
    return { ...result, model: { ...result.model, motions }, seconds: (performance.now() - start) / 1000 };
  } finally {
    if (!options.compute) compute.dispose();
  }
}

function solve(compute: Compute, clip: Clip, options: DecomposeOptions): Promise<SsdrResult> {
  if (options.given) return fitGiven(compute, clip, options.given, options);
  if (options.bones === undefined && options.maxError !== undefined)
    return ssdrByError(compute, clip, options.maxError, options);
  return ssdr(compute, clip, options);
}
