// SPDX-License-Identifier: MIT
// Players interpolate translation, rotation and scale of bones between frames. Where a written file strays from the clip halfway between two frames, keys are added
// there, with bones that are fitted to the reference (measure/between/halfway-reference.ts) with the same weights, first by the mean square and then by the largest error. Affine bones get means of their two matrices where that is
// close enough: every vertex is then on the line between its two places.

import type { TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import { interpolateAffineInto } from '../../core/math/interpolate-affine.ts';
import { joinArrays } from '../../core/math/join-arrays.ts';
import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { type Motion, poseOf } from '../../core/model/clip/motion.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../deformers/linear-blend/index.ts';
import { HalfwayReference, type Written } from '../../measure/index.ts';
import { fitGiven, lowerLargestError } from '../../methods/decompose/index.ts';

/** An interval strays if its largest error is above this ratio of the largest error at the frames, plus this ratio of the diagonal. */
const STRAY_RATIO = 1.15;
const STRAY_OF_DIAGONAL = 5e-4;
/** Above this multiple of that error, an interval gets three keys instead of one. Not tuned. */
const FAR = 3;

export interface HalfwayOptions {
  transforms: TransformKind;
  /** By clip: intervals that get keys anyway, from a call before. Keys change the factors of the affine bones after them, and other intervals may stray then. */
  keyed?: readonly (readonly number[])[];
  /** Maximum error of a vertex, file units, where the file has to meet one. */
  limit?: number;
  compute: Compute;
}

/** A model with keys halfway between frames. */
export interface KeyedModel {
  model: SkinnedModel;
  /** By clip: the frames before the keys. */
  intervals: number[][];
}

/**
 * The model with keys halfway between the frames where its file strays; undefined if it does not.
 * @param model a frame of motion for every frame of the clips
 * @param written the file of the model, or of the model of a call before
 */
export async function addHalfwayKeys(
  clips: readonly Clip[],
  model: SkinnedModel,
  written: Written,
  { transforms, limit = Number.POSITIVE_INFINITY, compute, keyed = [] }: HalfwayOptions,
): Promise<KeyedModel | undefined> {
  const allowed = Math.min(limit, STRAY_RATIO * written.error.max + STRAY_OF_DIAGONAL * written.error.diagonal);
  let isStraying = false;
  const strayed = written.clips.map(({ between: { perFrame } }, n) =>
    [...perFrame.max.keys()].filter((k) => {
      const isKeyed = keyed[n]?.includes(k) === true;
      const strays = perFrame.max[k] > allowed;
      if (strays && !isKeyed) isStraying = true;
      return strays || isKeyed;
    }),
  );
  if (!isStraying) return undefined;
  const motions: Motion[] = [];
  for (const [n, motion] of model.motions.entries()) {
    const intervals = strayed[n] ?? [];
    const { max } = written.clips[n].between.perFrame;
    if (intervals.length === 0) {
      motions.push(motion);
      continue;
    }
    const { frames, targets } = await fitFrames(clips[n], model, motion, written.asset.rig?.skin, {
      ...{ intervals, transforms, compute, allowed },
    });
    const added = intervals.flatMap((interval, e): AddedFrame[] => {
      const fitted = [{ interval, part: 0.5, matrices: frames[e] }];
      if (transforms !== 'affine') return fitted;
      const blended = blendFrames(motion, interval, max[interval] > FAR * allowed);
      const straight = blended.find(({ part }) => part === 0.5)!;
      const ofMean = measureFrame(model, straight.matrices, targets[e]);
      const isCloser = ofMean > allowed && measureFrame(model, frames[e], targets[e]) < ofMean;
      return isCloser ? fitted : blended;
    });
    motions.push(insertFrames(motion, added));
  }
  return { model: { ...model, motions }, intervals: strayed };
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

/** Matrices between those of two frames: halfway, and at the quarters too where the file strays far. */
function blendFrames({ matrices, times }: Motion, interval: number, isFar: boolean): AddedFrame[] {
  const stride = matrices.length / times.length;
  const o = interval * stride;
  return (isFar ? [0.25, 0.5, 0.75] : [0.5]).map((part) => {
    const blended = Float64Array.from({ length: stride }, (_, e) => {
      return (1 - part) * matrices[o + e] + part * matrices[o + stride + e];
    });
    return { interval, part, matrices: blended };
  });
}

/** The largest distance of a vertex from its target. */
function measureFrame({ mesh, skin, skeleton }: SkinnedModel, bones: Float64Array, target: Float32Array): number {
  const positions = new Float32Array(target.length);
  makeLinearBlend(mesh, skin, skeleton.names.length).deformInto({ bones }, positions);
  let largest = 0;
  for (let c = 0; c < target.length; c += 3) {
    const [x, y, z] = [0, 1, 2].map((r) => positions[c + r] - target[c + r]);
    largest = Math.max(largest, x * x + y * y + z * z);
  }
  return Math.sqrt(largest);
}

interface FitFramesOptions {
  intervals: readonly number[];
  transforms: TransformKind;
  compute: Compute;
  /** Largest error that needs no further fit, file units. */
  allowed: number;
}

/** By interval: bones fitted to the reference halfway, boneCount x 16, and that reference. */
async function fitFrames(
  clip: Clip,
  model: SkinnedModel,
  motion: Motion,
  parts: Skin | undefined,
  { intervals, transforms, compute, allowed }: FitFramesOptions,
): Promise<{ frames: Float64Array[]; targets: Float32Array[] }> {
  const stride = clip.mesh.positions.length;
  const positions = new Float32Array(intervals.length * stride);
  const halfway = new HalfwayReference(clip, parts);
  intervals.forEach((k, n) => {
    halfway.fillInto(k, positions, n * stride);
  });
  const times = Float64Array.from(intervals, (k) => (clip.times[k] + clip.times[k + 1]) / 2);
  return compute.scope(async (memory) => {
    const middle: Clip = { ...clip, mesh: model.mesh, positions, times };
    const { skin, skeleton } = model;
    const start: Motion = {
      name: motion.name,
      times,
      matrices: joinArrays(intervals.map((k) => halfwayPose(motion, k))),
    };
    const solved = await fitGiven(memory, middle, { skin, skeleton, start }, { transforms, keepRest: true });
    const [solvedMotion] = solved.model.motions;
    const frames = intervals.map((_, n) => poseOf(solvedMotion, n));
    const targets = intervals.map((_, n) => positions.subarray(n * stride, (n + 1) * stride));
    frames.forEach((bones, n) => {
      if (measureFrame(model, bones, targets[n]) > allowed)
        lowerLargestError(model.mesh.positions, skin, bones, targets[n], allowed);
    });
    return { frames, targets };
  });
}

/** Bones halfway between frames k and k + 1, as players interpolate them: boneCount x 16. */
function halfwayPose(motion: Motion, k: number): Float64Array {
  const [before, after] = [poseOf(motion, k), poseOf(motion, k + 1)];
  const out = new Float64Array(before.length);
  for (let o = 0; o < out.length; o += 16) {
    const [a, b] = [before, after].map((pose) => pose.subarray(o, o + 16));
    interpolateAffineInto(a, b, 0.5, out.subarray(o, o + 16));
  }
  return out;
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
