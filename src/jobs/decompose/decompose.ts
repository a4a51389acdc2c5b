// SPDX-License-Identifier: MIT

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { joinClips, splitMotion } from '../../core/model/clip/join-clips.ts';
import { UsageError } from '../../core/model/errors.ts';
import { defaultsOf } from '../../core/options/fill-defaults.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import { type CorrectOptions, type CorrectResult, correctModel } from '../../methods/corrections/index.ts';
import {
  type AutoResult,
  DECOMPOSE_METHODS,
  type DecomposeMethodName,
  type DecomposeMethodOptions,
  type Decomposition,
  decomposeMethodOf,
  type FsdResult,
  type GivenParts,
  type LsspResult,
  listMethodsWith,
  type SmaResult,
  type SsdrResult,
} from '../../methods/decompose/index.ts';
import { type NoiseOption, prepareNoisy } from '../shared/index.ts';
import { DEFAULT_METHOD } from './method-options.ts';

/** Options of decompose. Each method uses some of them. */
export interface DecomposeOptions extends DecomposeMethodOptions {
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

/** Defaults of the default method. DECOMPOSE_METHODS has the options of each method, with their defaults. */
export const DECOMPOSE_DEFAULTS = {
  ...defaultsOf(DECOMPOSE_METHODS[DEFAULT_METHOD].options),
  ...({ method: DEFAULT_METHOD, noise: 'auto', threads: 0 } as const),
};

/** Minimum seconds for corrections: they have a step that a time limit does not shorten. */
const MIN_TIME = 1e-3;
/** Iterations that fit the skin to its corrections. */
const REFINE_ITERATIONS = 10;

/** Fields of one method only, present where that method solved. */
type OwnFields<Result extends Decomposition> = Partial<Omit<Result, keyof Decomposition>>;

/** What one of the methods returns. */
export interface SolvedFields
  extends Decomposition,
    OwnFields<SsdrResult>,
    OwnFields<SmaResult>,
    OwnFields<FsdResult>,
    OwnFields<LsspResult>,
    OwnFields<AutoResult> {}

/** A skinned model, its error, and why the solve ended. */
export interface DecomposeResult extends SolvedFields {
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
  const { method = DEFAULT_METHOD, noise: wanted, maxError, maxRms, close, given, corrections, ...others } = options;
  const { threads, compute: shared, signal, onProgress, ...own } = others;
  checkMethod(method, own, given);
  const joined = joinClips(list);
  const compute = shared?.child() ?? (await makeCompute({ threads }));
  try {
    // given bones and weights belong to the given rest pose
    const { clip, noise } = given ? { clip: joined, noise: 0 } : await prepareNoisy(compute, joined, wanted);
    const start = performance.now();
    const run = { compute, signal, onProgress };
    const goal = given || own.bones !== undefined ? undefined : goalOf(method, { maxError, maxRms, close });
    const solver = decomposeMethodOf(method);
    const result: SolvedFields = await solver.run(run, { frames: clip, goal, given, deviation: noise }, own);
    const motions = result.model.motions.flatMap((motion) => splitMotion(motion, list));
    const model = { ...result.model, motions };
    // given parts do not change
    const refine = given ? 0 : REFINE_ITERATIONS;
    const left = own.time ? Math.max(MIN_TIME, own.time - (performance.now() - start) / 1000) : 0;
    const bones = transformsOf(method, own.transforms, result) === 'affine' ? 'affine' : 'rigid';
    const corrected =
      corrections &&
      (await correctModel(list, model, { signal, onProgress, refine, bones, time: left, ...corrections }));
    const seconds = (performance.now() - start) / 1000;
    return { ...result, method, noise, model: corrected?.model ?? model, ...(corrected ? { corrected } : {}), seconds };
  } finally {
    compute.dispose();
  }
}

/** The transforms of the bones of a result. */
export function transformsOf(
  method: DecomposeMethodName,
  given: TransformKind | undefined,
  { transforms }: Pick<SolvedFields, 'transforms'>,
): TransformKind {
  const { options } = decomposeMethodOf(method);
  return transforms ?? given ?? ('transforms' in options ? options.transforms.default : undefined) ?? 'rigid';
}

/** The error that the fewest bones have to meet, where the method searches for their number. */
function goalOf(
  method: DecomposeMethodName,
  { maxError, maxRms, close }: Pick<DecomposeOptions, 'maxError' | 'maxRms' | 'close'>,
): ErrorGoal | undefined {
  const [kind, limit] = maxRms === undefined ? (['max', maxError] as const) : (['rms', maxRms] as const);
  const isFound = decomposeMethodOf(method).capabilities.goals.includes(kind);
  return isFound && limit !== undefined ? { kind, limit, close } : undefined;
}

/** Throws a UsageError for options of other methods, and for parts that the method cannot keep. */
function checkMethod(name: DecomposeMethodName, own: DecomposeMethodOptions, given: GivenParts | undefined): void {
  const { capabilities } = decomposeMethodOf(name);
  for (const [key, value] of Object.entries(own)) {
    const owners = listMethodsWith(key);
    if (value !== undefined && owners.length > 0 && !owners.includes(name))
      throw new UsageError('decompose', `${key} is not an option of ${name}`);
  }
  if (given && capabilities.keeps.length === 0)
    throw new UsageError('decompose', `${name} cannot keep given bones or weights`);
}
