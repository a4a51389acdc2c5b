// SPDX-License-Identifier: MIT
// One rule for all jobs: the memory that the frames of an input need is estimated before any of them is made.

import type { Asset } from '../../core/model/asset.ts';
import { frameCountOf } from '../../core/model/clip/clip.ts';
import type { FrameRange } from '../../core/model/clip/select-frames.ts';
import type { LightKind } from '../../core/model/deformed/skin-light.ts';
import { faultOf, InputError } from '../../core/model/errors.ts';
import type { InputSize } from '../../core/options/method.ts';
import { checkMemory, countFrames } from '../../deformers/playback/index.ts';
import { CONVERT_FRAME_BYTES } from '../../methods/convert/index.ts';
import { lightBytesOf } from '../../methods/light/index.ts';
import { formatCount } from './format-number.ts';
import type { JobPlan, OpenedInput } from './job.ts';

/** Limit where the machine's memory is not known, as in a browser. */
export const UNKNOWN_MACHINE_MEMORY = 2e9;

/** Bones that a solve is estimated for if their number is found while solving. */
const UNKNOWN_BONES = 64;

/** Bytes of a position: three 32-bit floats. */
const BYTES_PER_POSITION = 12;

/** The options that decide how many frames and bones there are. */
interface FrameValues {
  bones?: number | boolean;
  skeleton?: string;
  maxMemory?: number;
  animation?: string;
  rate?: number;
  fps?: number;
  keys?: boolean | string;
  frames?: FrameRange;
  helpers?: number;
  kind?: LightKind;
}

/** Bytes that a job holds at once besides the frames themselves. */
interface FrameWork {
  /** Per vertex and frame: copies for the solver, and frames of the written file. */
  vertex: number;
  /** Per bone and frame: matrices of the solver and of the model, and keys of the file. */
  bone: number;
  /** Whether frames of positions are not held. */
  isStreamed?: boolean;
}

/**
 * What each job does with all frames of its input, measured: peak memory of 3,128 vertices x 1,000 frames, less that of reading them. Jobs that
 * are not listed have a plan (JobSpec.plan), or evaluate a bounded number of frames.
 */
const FRAME_WORK: Readonly<Record<string, (values: FrameValues, isPair: boolean) => FrameWork | undefined>> = {
  convert: ({ skeleton }) => (skeleton === undefined ? { ...CONVERT_FRAME_BYTES, vertex: 0 } : CONVERT_FRAME_BYTES),
  compare: () => ({ vertex: 24, bone: 0 }),
  // frames of positions, and the bytes of the file
  bake: () => ({ vertex: 24, bone: 400 }),
  light: ({ kind = 'occlusion' }) => ({ vertex: lightBytesOf(kind), bone: 0, isStreamed: true }),
  draw: (_, isPair) => (isPair ? { vertex: 24, bone: 0 } : undefined),
};

/** What the check of memory is about. */
export interface CheckedJob {
  command: string;
  /** The values of the options of the job. */
  values: object;
  /** Whether the job has two inputs. */
  isPair: boolean;
  /** How the job solves frames, if it has a plan. */
  plan?(values: object, size: InputSize): JobPlan | undefined;
}

/**
 * Throws an InputError if the frames of an input need more memory than --max-memory. Nothing is allocated for them: a file of 2 kB whose last
 * key is at 1e6 s has 30 million frames.
 * @returns the estimate in bytes; 0 for jobs that evaluate a bounded number of frames
 */
export function checkJobMemory(job: CheckedJob, { input, asset }: OpenedInput): number {
  const { command } = job;
  const options = job.values as FrameValues;
  const vertexCount = asset.mesh.positions.length / 3;
  const used = countJobFrames(asset, options, command);
  const plan = job.plan?.(options, { vertexCount, frameCount: used });
  const work = FRAME_WORK[command]?.(options, job.isPair);
  if (!plan && !work) return 0;
  // convert plays a rig pose by pose; only a clip is held as frames
  const isHeld = plan || (work && work.vertex > 0 && !work.isStreamed);
  const baked = asset.clips.length === 0 && isHeld ? used * vertexCount * BYTES_PER_POSITION : 0;
  const bytes = baked + (plan?.bytes ?? (work ? estimateWork(work, options, vertexCount, used, command) : 0));
  const fewer = asset.clips.length > 0 ? 'use fewer frames (--frames)' : 'use a lower frame rate (--rate)';
  const remedy = plan?.remedy === undefined ? fewer : `${fewer}, or ${plan.remedy}`;
  try {
    checkMemory(
      `${formatCount(used, 'frame')} of ${formatCount(vertexCount, 'vertex', 'vertices')}`,
      bytes,
      options.maxMemory ?? UNKNOWN_MACHINE_MEMORY,
      command === 'convert' && options.skeleton === undefined ? undefined : remedy,
    );
  } catch (error) {
    throw new InputError(input, faultOf(error), { cause: error });
  }
  return bytes;
}

/** Bytes of the frames that are used, besides their positions. */
function estimateWork(
  work: FrameWork,
  options: FrameValues,
  vertexCount: number,
  used: number,
  command: string,
): number {
  const wanted = typeof options.bones === 'number' ? options.bones : (options.helpers ?? UNKNOWN_BONES);
  const boneCount = command === 'convert' ? wanted : Math.min(wanted, vertexCount);
  return used * (vertexCount * work.vertex + boneCount * work.bone);
}

/** Frames that are used. */
function countJobFrames(asset: Asset, options: FrameValues, command: string): number {
  const motions = asset.clips.length > 0 ? asset.clips : asset.animations;
  const fps = options.rate ?? options.fps;
  // --keys of other jobs is about the keys that are written
  const keys = command === 'compare' && options.keys === true;
  const named = motions.filter(({ name }, n) => options.animation === name || options.animation === String(n));
  let used = 0;
  for (const motion of options.animation === undefined || named.length === 0 ? motions : named) {
    const count = 'tracks' in motion ? countFrames(motion, { fps, keys }) : frameCountOf(motion);
    used += countRange(count, options.frames);
  }
  return used;
}

function countRange(frameCount: number, range: FrameRange = {}): number {
  const last = Math.min(range.last ?? frameCount - 1, frameCount - 1);
  return Math.max(0, Math.floor((last - (range.first ?? 0)) / (range.step ?? 1)) + 1);
}
