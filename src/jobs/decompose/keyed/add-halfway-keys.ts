// SPDX-License-Identifier: MIT
// Players interpolate translation, rotation and scale of bones between keys. Where a written file strays from its input between two keys, a key is added at the time of
// the largest error, with bones that are fitted to what the input shows there with the same weights, first by the mean square and then by the largest error. Affine
// bones get the mean of their two matrices where that is close enough: every vertex is then on the line between its two places.

import type { TransformKind } from '../../../core/kernels/bones/bone-sweep.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { isJump } from '../../../core/keyframes/list-jumps.ts';
import { interpolateAffineInto } from '../../../core/math/interpolate-affine.ts';
import { joinArrays } from '../../../core/math/join-arrays.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { type Motion, poseOf } from '../../../core/model/clip/motion.ts';
import { makeLinearBlend } from '../../../deformers/linear-blend/index.ts';
import { type PlayedClip, playSource } from '../../../deformers/playback/index.ts';
import type { Written } from '../../../measure/index.ts';
import { fitGiven, lowerLargestError } from '../../../methods/decompose/index.ts';

/** An interval strays if its largest error is above this ratio of the largest error at the frames, plus this ratio of the diagonal. */
const STRAY_RATIO = 1.15;
const STRAY_OF_DIAGONAL = 5e-4;

/** A key is added if it leaves at most this part of the error at its time: bones that turn cannot follow vertices that move straight, and keys do not help there. */
const WORTH = 0.7;

export interface HalfwayOptions {
  transforms: TransformKind;
  /** By motion, frames after which keys were tried before and did not help; more are added. */
  tried: readonly Set<number>[];
  /** Maximum error of a vertex, file units, where the file has to meet one. */
  limit?: number;
  /** Whether intervals stray that are within the limit, but well above the errors at the frames. Default: yes. */
  isStrict?: boolean;
  /** Add keys also where bones alone come no closer: corrective shapes will. Default: no. */
  isForced?: boolean;
  compute: Compute;
}

/**
 * The model with a key between every two keys where its file strays; undefined if it does not.
 * @param played the clips of the motions
 * @param model the model of the file
 */
export async function addHalfwayKeys(
  played: readonly PlayedClip[],
  model: SkinnedModel,
  written: Written,
  { transforms, limit = Number.POSITIVE_INFINITY, isStrict = true, isForced = false, compute, tried }: HalfwayOptions,
): Promise<SkinnedModel | undefined> {
  const strict = STRAY_RATIO * written.error.max + STRAY_OF_DIAGONAL * written.error.diagonal;
  const allowed = isStrict ? Math.min(limit, strict) : limit;
  const motions: Motion[] = [];
  for (const [n, motion] of model.motions.entries()) {
    const { perFrame } = written.clips[n].between;
    const strayed = listStrayed(motion.times, perFrame, allowed).filter(({ frame }) => !tried[n].has(frame));
    const times = Float64Array.from(strayed, ({ time }) => time);
    const fitted =
      times.length === 0 ? [] : await fitFrames(played[n], model, motion, { times, transforms, compute, allowed });
    const isWorth = fitted.map(({ error }, k) => isForced || error <= Math.max(allowed, WORTH * strayed[k].error));
    strayed.forEach(({ frame }, k) => {
      if (!isWorth[k]) tried[n].add(frame);
    });
    motions.push(
      insertFrames(
        motion,
        fitted.filter((_, k) => isWorth[k]),
      ),
    );
  }
  const isSame = motions.every((motion, n) => motion === model.motions[n]);
  return isSame ? undefined : { ...model, motions };
}

/** Where an interval strays most. */
export interface Strayed {
  /** Time of the frame before. */
  frame: number;
  time: number;
  error: number;
}

/** The intervals between frames whose largest error is not allowed, in order. */
export function listStrayed(
  frames: Float64Array,
  { times, max }: { times: Float64Array; max: Float64Array },
  allowed: number,
): Strayed[] {
  const worst = new Map<number, number>();
  let k = 0;
  times.forEach((time, n) => {
    while (k + 1 < frames.length && frames[k + 1] <= time) k++;
    const isInside = k + 1 < frames.length && !isJump(frames[k], time) && !isJump(time, frames[k + 1]);
    const known = worst.get(k);
    if (isInside && max[n] > allowed && (known === undefined || max[n] > max[known])) worst.set(k, n);
  });
  return [...worst].map(([frame, n]) => ({ frame: frames[frame], time: Math.fround(times[n]), error: max[n] }));
}

/** A frame to insert. */
interface AddedFrame {
  time: number;
  /** boneCount x 16 */
  matrices: Float64Array;
  /** Largest distance from the source. */
  error: number;
}

interface FitFramesOptions {
  /** Ascending; at most one between two frames. */
  times: Float64Array;
  transforms: TransformKind;
  compute: Compute;
  /** Largest error that needs no further fit, file units. */
  allowed: number;
}

/** Frames with bones that are fitted to the source at some times. */
async function fitFrames(
  played: PlayedClip,
  model: SkinnedModel,
  motion: Motion,
  { times, transforms, compute, allowed }: FitFramesOptions,
): Promise<AddedFrame[]> {
  const { skin, skeleton, mesh } = model;
  const { positions } = playSource(played, times);
  const stride = mesh.positions.length;
  return compute.scope(async (memory) => {
    const clip: Clip = { ...played.clip, mesh, positions, times };
    const start: Motion = {
      name: motion.name,
      times,
      matrices: joinArrays(Array.from(times, (time) => poseBetween(motion, time, interpolateAffineInto))),
    };
    const solved = await fitGiven(memory, clip, { skin, skeleton, start }, { transforms, keepRest: true });
    const [solvedMotion] = solved.model.motions;
    return Array.from(times, (time, n): AddedFrame => {
      const target = positions.subarray(n * stride, (n + 1) * stride);
      const matrices = poseOf(solvedMotion, n);
      let error = measureFrame(model, matrices, target);
      if (error > allowed) {
        lowerLargestError(mesh.positions, skin, matrices, target, allowed);
        error = measureFrame(model, matrices, target);
      }
      if (transforms !== 'affine') return { time, matrices, error };
      const straight = poseBetween(motion, time, meanInto);
      const ofMean = measureFrame(model, straight, target);
      const isCloser = ofMean > allowed && error < ofMean;
      return isCloser ? { time, matrices, error } : { time, matrices: straight, error: ofMean };
    });
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

type Blend = (a: Float64Array, b: Float64Array, ratio: number, out: Float64Array) => void;

/** Bones at a time between two frames, blended by a function: boneCount x 16. */
function poseBetween(motion: Motion, time: number, blend: Blend): Float64Array {
  const { times } = motion;
  const next = times.findIndex((one) => one > time);
  const k = Math.max(0, next - 1);
  const ratio = (time - times[k]) / (times[next] - times[k]);
  const [before, after] = [poseOf(motion, k), poseOf(motion, next)];
  const out = new Float64Array(before.length);
  for (let o = 0; o < out.length; o += 16) {
    const [a, b] = [before, after].map((pose) => pose.subarray(o, o + 16));
    blend(a, b, ratio, out.subarray(o, o + 16));
  }
  return out;
}

function meanInto(a: Float64Array, b: Float64Array, ratio: number, out: Float64Array): void {
  for (let e = 0; e < out.length; e++) out[e] = (1 - ratio) * a[e] + ratio * b[e];
}

/** A motion with more frames, given in their order. */
function insertFrames(motion: Motion, added: readonly AddedFrame[]): Motion {
  if (added.length === 0) return motion;
  const all = [...Array.from(motion.times, (time, k) => ({ time, matrices: poseOf(motion, k) })), ...added];
  all.sort((a, b) => a.time - b.time);
  return {
    ...motion,
    times: Float64Array.from(all, ({ time }) => time),
    matrices: joinArrays(all.map(({ matrices }) => matrices)),
  };
}
