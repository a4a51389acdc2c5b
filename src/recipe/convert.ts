// SPDX-License-Identifier: MIT
// The verb: any skeleton-driven deformer becomes linear blend skinning with helper bones, and the controllers that move these.

import { makeHelperBones } from '../deform/make-helper-bones.ts';
import { sampleAnimation } from '../deform/sample-animation.ts';
import { rangesFromLimits } from '../fit/ranges-from-limits.ts';
import { rangesFromMotions } from '../fit/ranges-from-motions.ts';
import { type JointRange, type RangeTable, readRanges } from '../fit/ranges-of-motion.ts';
import type { Compute } from '../kernels/compute.ts';
import { makeCompute } from '../kernels/make-compute.ts';
import { makeIdentities } from '../math/mat4.ts';
import { measureBounds } from '../mesh/bounds.ts';
import type { Asset } from '../model/asset.ts';
import { type Clip, frameCountOf, frameOf } from '../model/clip.ts';
import type { Deformer } from '../model/deformer.ts';
import { UsageError } from '../model/errors.ts';
import type { HelperBones } from '../model/helper-bones.ts';
import type { MorphDriver } from '../model/morph-drivers.ts';
import { type Motion, poseOf } from '../model/motion.ts';
import type { RigSource } from '../model/rig-source.ts';
import type { Skeleton } from '../model/skeleton.ts';
import { convertClip } from '../rig/convert-clip.ts';
import { CONVERT_RIG_DEFAULTS, type ConvertRigOptions } from '../rig/convert-options.ts';
import { type ConvertRigResult, convertRig, type HelperGoal, listRotations } from '../rig/convert-rig.ts';
import { measureConversion } from '../rig/measure-conversion.ts';
import { SourceProbe } from '../rig/source-probe.ts';
import { makeAssetSource } from './convert-source.ts';
import { listPoseTimes } from './mush.ts';

/** What is converted: a file with a rig, any skeleton-driven deformer, or a clip with the skeleton that moved it. */
export type ConvertSource =
  | { kind: 'asset'; asset: Asset }
  | { kind: 'rig'; rig: RigSource }
  | {
      kind: 'clip';
      clip: Clip;
      skeleton: Skeleton;
      /** One pose per frame of the clip. */
      motion: Motion;
    };

/** Options of convert. */
export interface ConvertOptions extends Omit<ConvertRigOptions, 'ranges'> {
  /** Ranges of joint rotations: ±90° about each axis (default), 'auto' (from the motions of the input), 'limits' (its joint limits), or degrees by joint name (others: ±90°). */
  ranges?: 'default' | 'auto' | 'limits' | RangeTable;
  /** Maximum vertex error in the motions of the input, or in random poses if it has none, file units. Without helpers: the fewest that meet it are added. */
  maxError?: number;
  /** Drivers of the morph targets of an asset (corrective shapes). */
  drivers?: readonly MorphDriver[];
  /** Motions of the joints of a rig that is not an asset, for ranges 'auto' and for maxError. */
  motions?: readonly Motion[];
  /** Number of threads; 0: one per core. */
  threads?: number;
  compute?: Compute;
}

/** Defaults of ConvertOptions. */
export const CONVERT_DEFAULTS = { ...CONVERT_RIG_DEFAULTS, ranges: 'default', threads: 0 } as const;

/** A rig with helper bones, and what was converted. */
export interface ConvertResult extends ConvertRigResult {
  /** What was converted; absent for a clip, which has no other poses. */
  source?: RigSource;
  /** For each bone of the model, the bone of the asset's rig; -1 for helpers, which are last. */
  bones: Int32Array;
  /** Seconds of converting. */
  seconds: number;
}

/** Frames of motions that are looked at for an error; random poses where there are none. */
const GOAL_FRAMES = 120;
const GOAL_POSES = 100;
/** Frames of the animations that ranges are taken from. */
const MOST_RANGE_FRAMES = 1000;

/**
 * Converts a rig, an asset with a rig, or a clip with its skeleton to linear blend skinning with helper bones. Throws an InputError if there are no joints or
 * if the source returns values that are not finite, and a UsageError if options are invalid. A stopped conversion returns its best result so far.
 */
export async function convert(input: ConvertSource, options: ConvertOptions = {}): Promise<ConvertResult> {
  const { maxError, ranges = CONVERT_DEFAULTS.ranges, drivers, threads, motions: given, ...own } = options;
  if (maxError !== undefined && !(maxError > 0 && Number.isFinite(maxError)))
    throw new UsageError('convert', `maxError must be a length above zero, got ${maxError}`);
  const begin = performance.now();
  const compute = own.compute ?? (await makeCompute({ threads: threads ?? CONVERT_DEFAULTS.threads }));
  try {
    if (input.kind === 'clip') {
      const goal = goalOf(maxError, own.helpers, (model) => measureFrames(model, input.clip, [input.motion]));
      const result = await convertClip(compute, input.clip, input.skeleton, input.motion, own, goal);
      return { ...result, bones: bonesOf(result.model), seconds: (performance.now() - begin) / 1000 };
    }
    const { source, bones } =
      input.kind === 'rig' ? { source: input.rig, bones: undefined } : makeAssetSource(input.asset, drivers);
    const motions = input.kind === 'rig' ? (given ?? []) : listMotions(input.asset, bones!);
    if (ranges === 'limits' && input.kind === 'rig')
      throw new UsageError('convert', "only a file can have joint limits; use 'default', 'auto' or a table of ranges");
    const words = ranges === 'limits' && input.kind === 'asset' ? rangesFromLimits(input.asset) : ranges;
    const settled = settleRanges(source, words as Exclude<typeof words, 'limits'>, motions);
    const goal = goalOf(maxError, own.helpers, (model) =>
      motions.length > 0 ? measureMotions(model, source, motions) : measureRandom(model, source, settled),
    );
    const result = await convertRig(compute, source, { ...own, ranges: settled }, goal);
    return { ...result, source, bones: bonesOf(result.model, bones), seconds: (performance.now() - begin) / 1000 };
  } finally {
    if (!own.compute) compute.dispose();
  }
}

function goalOf(
  maxError: number | undefined,
  helpers: number | undefined,
  measure: HelperGoal['measure'],
): HelperGoal | undefined {
  return maxError === undefined || helpers !== undefined ? undefined : { maxError, measure };
}

function bonesOf({ skeleton, controllers }: HelperBones, bones?: Int32Array): Int32Array {
  const jointCount = skeleton.names.length - controllers.length;
  return Int32Array.from(skeleton.names, (_, j) => (j < jointCount ? (bones?.[j] ?? j) : -1));
}

/** The motions of an asset's animations, of some of its bones. */
function listMotions(asset: Asset, bones: Int32Array): Motion[] {
  if (asset.animations.length === 0) return [];
  const boneCount = asset.rig!.skeleton.names.length;
  return listPoseTimes(asset, MOST_RANGE_FRAMES).map(({ animation, times }) => {
    const { motion } = sampleAnimation(asset, animation, times);
    const matrices = new Float64Array(times.length * bones.length * 16);
    for (let k = 0; k < times.length; k++)
      for (const [j, bone] of bones.entries()) {
        const from = (k * boneCount + bone) * 16;
        matrices.set(motion.matrices.subarray(from, from + 16), (k * bones.length + j) * 16);
      }
    return { ...motion, matrices };
  });
}

function settleRanges(
  source: RigSource,
  ranges: 'default' | 'auto' | RangeTable,
  motions: readonly Motion[],
): JointRange[] | undefined {
  if (ranges === 'default') return undefined;
  if (ranges === 'auto') return rangesFromMotions(source.skeleton, motions);
  const { diagonal } = measureBounds(source.mesh.positions);
  return readRanges({ '*': 90, ...ranges }, source.skeleton, diagonal);
}

/** The farthest that a model is off its source over motions. */
async function measureMotions(model: HelperBones, source: RigSource, motions: readonly Motion[]): Promise<number> {
  const total = motions.reduce((sum, { times }) => sum + times.length, 0);
  const step = Math.max(1, Math.ceil(total / GOAL_FRAMES));
  const positions = new Float32Array(source.mesh.positions.length);
  let max = 0;
  for (const motion of motions)
    for (let k = 0; k < motion.times.length; k += step) {
      source.deformer.deformInto({ bones: poseOf(motion, k) }, positions);
      max = Math.max(max, measureFar(makeHelperBones(model), poseOf(motion, k), positions));
    }
  return max;
}

/** The farthest that a model is off a clip in its frames. */
async function measureFrames(model: HelperBones, clip: Clip, [motion]: readonly Motion[]): Promise<number> {
  const deformer = makeHelperBones(model);
  let max = 0;
  for (let k = 0; k < frameCountOf(clip); k++)
    max = Math.max(max, measureFar(deformer, poseOf(motion, k), frameOf(clip, k)));
  return max;
}

function measureFar(deformer: Deformer, pose: Float64Array, expected: Float32Array): number {
  const bones = makeIdentities(deformer.boneCount);
  bones.set(pose);
  const found = new Float32Array(expected.length);
  deformer.deformInto({ bones }, found);
  let far = 0;
  for (let c = 0; c < found.length; c += 3)
    far = Math.max(
      far,
      Math.hypot(found[c] - expected[c], found[c + 1] - expected[c + 1], found[c + 2] - expected[c + 2]),
    );
  return far;
}

async function measureRandom(model: HelperBones, source: RigSource, ranges?: readonly JointRange[]): Promise<number> {
  const [{ max }] = await measureConversion(
    new SourceProbe(source),
    [makeHelperBones(model)],
    listRotations(source, { ranges }),
    { poses: GOAL_POSES, seed: 0 },
  );
  return max;
}
