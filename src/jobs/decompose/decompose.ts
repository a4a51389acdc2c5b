// SPDX-License-Identifier: MIT

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { joinClips, splitMotion } from '../../core/model/clip/join-clips.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import { type CorrectOptions, type CorrectResult, correctModel } from '../../methods/corrections/index.ts';
import {
  type AutoResult,
  type DecomposeMethodName,
  type DecomposeMethodOptions,
  type Decomposition,
  decomposeMethodOf,
  type FsdResult,
  findForeignOption,
  type GivenParts,
  type LsspResult,
  pickMethodOptions,
  type SmaResult,
  SSDR_DEFAULTS,
  type SsdrResult,
} from '../../methods/decompose/index.ts';
import { type NoiseOption, prepareNoisy } from '../shared/index.ts';

/** Options of decompose. Each method uses some of them. */
export interface DecomposeOptions extends Omit<DecomposeMethodOptions, 'deviation'> {
  /** Standard deviation of the noise per coordinate, file units; 'auto': estimated, and ignored if it is below 0.05 % of the box diagonal; 0: none. With noise, a rest shape is built and corrected; ssdr and auto also correct it while they solve. */
  noise?: NoiseOption;
  /** Decomposition method. */
  method?: DecomposeMethodName;
  /** Maximum vertex error, file units. Without bones: the fewest bones that meet it are used. */
  maxError?: number;
  /** Root mean square error over points and frames, file units. Without bones: the fewest bones that meet it are used. */
  maxRms?: number;
  /** The search for the fewest bones may end with an error from this part of maxError or maxRms on. Default: it ends with the fewest. */
  close?: number;
  /** Bones and motion, or weights, that are kept while the rest is solved. */
  given?: GivenParts;
  /** Corrective shapes for the remaining error: a number, or the fewest that meet an error. */
  corrections?: CorrectOptions;
  /** Number of threads; 0: one per core. */
  threads?: number;
  /** Compute to use. Default: one that is made for this call. */
  compute?: Compute;
}

/** Defaults of the default method. DECOMPOSE_METHODS has those of each method. */
export const DECOMPOSE_DEFAULTS = { ...SSDR_DEFAULTS, method: 'ssdr', noise: 'auto', threads: 0 } as const;

/** Minimum seconds for corrections: they have a step that a time limit does not shorten. */
const MIN_TIME = 1e-3;
/** Iterations that fit the skin to its corrections. */
const REFINE_ITERATIONS = 10;

/** Fields of one method only, present where that method solved. */
type OwnFields<Result extends Decomposition> = Partial<Omit<Result, keyof Decomposition>>;

/** A skinned model, its error, and why the solve ended. */
export interface DecomposeResult
  extends Decomposition,
    OwnFields<SsdrResult>,
    OwnFields<SmaResult>,
    OwnFields<FsdResult>,
    OwnFields<LsspResult>,
    OwnFields<AutoResult> {
  method: DecomposeMethodName;
  /** Present if corrections were requested. */
  corrected?: CorrectResult;
  /** Standard deviation of the noise per coordinate, file units; 0: none was found. */
  noise: number;
  /** Seconds of solving. */
  seconds: number;
}

/**
 * Decomposes one clip, or several clips of one mesh, into a skinned model: one skin, one motion per clip.
 * A stopped solve (signal, time) returns its best result so far.
 * @example Decompose an animated mesh and write bones and weights.
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { decompose, writeGlb } from 'ossify';
 * import { bakeClip } from 'ossify/deform';
 *
 * const animated = bakeClip(asset, { fps: 30 });
 * const { model, eRms } = await decompose(animated, { bones: 20, influences: 4 });
 * await writeFile('out.glb', await writeGlb(asset, { kind: 'skin', model }));
 * ```
 * @example Stop a solve after ten seconds and keep the best result so far.
 * ```ts
 * import { decompose } from 'ossify';
 *
 * const { model, status } = await decompose(clip, {
 *   bones: 40,
 *   signal: AbortSignal.timeout(10_000),
 *   onProgress: ({ phase, fraction }) => console.log(phase, fraction),
 * });
 * ```
 */
export async function decompose(
  clips: Clip | readonly Clip[],
  options: DecomposeOptions = {},
): Promise<DecomposeResult> {
  const list = Array.isArray(clips) ? (clips as readonly Clip[]) : [clips as Clip];
  const { method = DECOMPOSE_DEFAULTS.method, noise: wanted, ...own } = options;
  checkMethod(method, own);
  const joined = joinClips(list);
  const compute = options.compute?.child() ?? (await makeCompute({ threads: options.threads }));
  try {
    // given bones and weights belong to the given rest pose
    const { clip, noise } = options.given ? { clip: joined, noise: 0 } : await prepareNoisy(compute, joined, wanted);
    const start = performance.now();
    const result = await solve(compute, clip, method, { ...own, deviation: noise });
    const motions = result.model.motions.flatMap((motion) => splitMotion(motion, list));
    const model = { ...result.model, motions };
    const { corrections, signal, onProgress } = options;
    // given parts do not change
    const refine = options.given ? 0 : REFINE_ITERATIONS;
    const left = options.time ? Math.max(MIN_TIME, options.time - (performance.now() - start) / 1000) : 0;
    const { transforms = (result as DecomposeResult).transforms ?? decomposeMethodOf(method).defaults.transforms } =
      options;
    const bones = transforms === 'affine' ? 'affine' : 'rigid';
    const corrected =
      corrections &&
      (await correctModel(list, model, { signal, onProgress, refine, bones, time: left, ...corrections }));
    const seconds = (performance.now() - start) / 1000;
    return { ...result, method, noise, model: corrected?.model ?? model, ...(corrected ? { corrected } : {}), seconds };
  } finally {
    compute.dispose();
  }
}

function checkMethod(name: DecomposeMethodName, options: Omit<DecomposeOptions, 'noise'>): void {
  const method = decomposeMethodOf(name);
  const foreign = findForeignOption(name, options);
  if (foreign !== undefined) throw new InputError('decompose', `${foreign} is not an option of ${name}`);
  if (options.transforms !== undefined && !method.transforms.includes(options.transforms))
    throw new UsageError(name, `transforms must be ${method.transforms.join(', ')}, got ${options.transforms}`);
  if (options.given && !method.solveGiven)
    throw new InputError('decompose', `${name} cannot keep given bones or weights`);
}

function solve(
  compute: Compute,
  clip: Clip,
  name: DecomposeMethodName,
  options: Omit<DecomposeOptions, 'noise'> & { deviation: number },
): Promise<Decomposition> {
  const method = decomposeMethodOf(name);
  const own = pickMethodOptions(name, options);
  if (options.given && method.solveGiven) return method.solveGiven(compute, clip, options.given, own);
  const goal: ErrorGoal | undefined =
    options.maxRms !== undefined
      ? { kind: 'rms', limit: options.maxRms, close: options.close }
      : options.maxError !== undefined
        ? { kind: 'max', limit: options.maxError, close: options.close }
        : undefined;
  if (own.bones === undefined && goal && method.solveByError) return method.solveByError(compute, clip, goal, own);
  return method.solve(compute, clip, own);
}
