// SPDX-License-Identifier: MIT
// Players interpolate translation, rotation and scale of bones between frames. Where a written file strays from the clip halfway between two frames, keys are added
// there: affine bones get means of their two matrices, with which every vertex is on the line between its two places; other bones are fitted to the reference
// (metric/halfway-reference.ts) with the same weights.
import { fitGiven } from '../decompose/fit-given.ts';
import type { TransformKind } from '../kernels/bone-sweep.ts';
import { makeCompute } from '../kernels/make-compute.ts';
import { HalfwayReference } from '../metric/halfway-reference.ts';
import type { SkinnedModel } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import type { Motion } from '../model/motion.ts';
import type { Skin } from '../model/skin.ts';
import type { Written } from './measure-written.ts';

/** An interval strays if its largest error is above this ratio of the largest error at the frames, plus this ratio of the diagonal. */
const STRAY_RATIO = 1.15;
const STRAY_OF_DIAGONAL = 5e-4;
/** Above this multiple of that error, an interval gets three keys instead of one. Not tuned. */
const FAR = 3;

export interface HalfwayOptions {
  transforms: TransformKind;
  /** Maximum error of a vertex, file units, where the file has to meet one. */
  limit?: number;
  threads?: number;
}

/** The model with keys halfway between the frames where its file strays; undefined if it does not. */
export async function addHalfwayKeys(
  clips: readonly Clip[],
  model: SkinnedModel,
  written: Written,
  { transforms, limit = Number.POSITIVE_INFINITY, threads }: HalfwayOptions,
): Promise<SkinnedModel | undefined> {
  const allowed = Math.min(limit, STRAY_RATIO * written.error.max + STRAY_OF_DIAGONAL * written.error.diagonal);
  const strayed = written.clips.map(({ between }) =>
    [...between.perFrame.max.keys()].filter((k) => between.perFrame.max[k] > allowed),
  );
  if (strayed.every((intervals) => intervals.length === 0)) return undefined;
  const motions: Motion[] = [];
  for (const [n, motion] of model.motions.entries()) {
    const intervals = strayed[n] ?? [];
    const { max } = written.clips[n].between.perFrame;
    if (intervals.length === 0) motions.push(motion);
    else if (transforms === 'affine') motions.push(insertFrames(motion, blendFrames(motion, intervals, max, allowed)));
    else {
      const frames = await fitFrames(clips[n], model, written.asset.rig?.skin, intervals, transforms, threads);
      const stride = motion.matrices.length / motion.times.length;
      const added = intervals.map((interval, e) => {
        return { interval, part: 0.5, matrices: frames.subarray(e * stride, (e + 1) * stride) };
      });
      motions.push(insertFrames(motion, added));
    }
  }
  return { ...model, motions };
}

/** A frame to insert. */
interface AddedFrame {
  /** The frame before it. */
  interval: number;
  /** Its place between that frame and the next. */
  part: number;
  /** boneCount x 16 */
  matrices: Float64Array;
}

/** Matrices between those of frames k and k + 1: halfway, and at the quarters too where the file strays far. */
function blendFrames(
  { matrices, times }: Motion,
  intervals: readonly number[],
  max: Float64Array,
  allowed: number,
): AddedFrame[] {
  const stride = matrices.length / times.length;
  return intervals.flatMap((interval) =>
    (max[interval] > FAR * allowed ? [0.25, 0.5, 0.75] : [0.5]).map((part) => {
      const o = interval * stride;
      const blended = Float64Array.from({ length: stride }, (_, e) => {
        return (1 - part) * matrices[o + e] + part * matrices[o + stride + e];
      });
      return { interval, part, matrices: blended };
    }),
  );
}

/** intervals x boneCount x 16: bones fitted to the reference halfway */
async function fitFrames(
  clip: Clip,
  model: SkinnedModel,
  parts: Skin | undefined,
  intervals: readonly number[],
  transforms: TransformKind,
  threads: number | undefined,
): Promise<Float64Array> {
  const stride = clip.mesh.positions.length;
  const positions = new Float32Array(intervals.length * stride);
  const halfway = new HalfwayReference(clip, parts);
  intervals.forEach((k, n) => {
    halfway.fillInto(k, positions, n * stride);
  });
  const times = Float64Array.from(intervals, (k) => (clip.times[k] + clip.times[k + 1]) / 2);
  const compute = await makeCompute({ threads });
  try {
    const middle: Clip = { ...clip, mesh: model.mesh, positions, times };
    const { skin, skeleton } = model;
    const solved = await fitGiven(compute, middle, { skin, skeleton }, { transforms, keepRest: true });
    return solved.model.motions[0].matrices;
  } finally {
    compute.dispose();
  }
}

/** A motion with more frames, given in their order. */
function insertFrames(motion: Motion, added: readonly AddedFrame[]): Motion {
  const frameCount = motion.times.length;
  const stride = motion.matrices.length / frameCount;
  const times: number[] = [];
  const matrices = new Float64Array((frameCount + added.length) * stride);
  let next = 0;
  for (let k = 0; k < frameCount; k++) {
    matrices.set(motion.matrices.subarray(k * stride, (k + 1) * stride), times.length * stride);
    times.push(motion.times[k]);
    for (; next < added.length && added[next].interval === k; next++) {
      const { part, matrices: own } = added[next];
      matrices.set(own, times.length * stride);
      times.push((1 - part) * motion.times[k] + part * motion.times[k + 1]);
    }
  }
  return { ...motion, times: Float64Array.from(times), matrices };
}
