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
import { InputError, UsageError } from '../model/errors.ts';
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

/** A clip, and how the skeleton that it was made with moves in it. */
export interface ClipOfRig {
  clip: Clip;
  skeleton: Skeleton;
  /** One pose per frame of the clip. */
  motion: Motion;
}

export interface ConvertOptions extends Omit<ConvertRigOptions, 'ranges'> {
  /** ±90° about each axis, or 'auto' as in the motions of the input, 'limits' as its joints carry them, or degrees by joint name (those not named: ±90°). */
  ranges?: 'default' | 'auto' | 'limits' | RangeTable;
  /** File units, without helpers: as few helpers as keep every vertex this close, in the motions of the input, or in random poses where it has none. */
  maxError?: number;
  /** What drives the morph targets of an asset: corrective shapes. */
  drivers?: readonly MorphDriver[];
  /** Motions of a source's joints, where it is no file: for ranges 'auto' and maxError. */
  motions?: readonly Motion[];
  /** Threads to use; 0: as many as there are cores. */
  threads?: number;
  compute?: Compute;
}

export const CONVERT_DEFAULTS = { ...CONVERT_RIG_DEFAULTS, ranges: 'default', threads: 0 } as const;

export interface ConvertResult extends ConvertRigResult {
  /** What was converted; without one (a clip) there is nothing to ask for other poses. */
  source?: RigSource;
  /** By bone of the model, the bone of the asset's rig; helpers, which come last, have -1. */
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
 * Converts a rig, an asset with one, or a clip with its skeleton. Throws, in one sentence, on what has no joints, on a source that gives no numbers, and on
 * options that cannot be meant. A stopped conversion returns its best so far.
 */
export async function convert(
  input: RigSource | Asset | ClipOfRig,
  options: ConvertOptions = {},
): Promise<ConvertResult> {
  const { maxError, ranges = CONVERT_DEFAULTS.ranges, drivers, threads, motions: given, ...own } = options;
  if (maxError !== undefined && !(maxError > 0 && Number.isFinite(maxError)))
    throw new UsageError('convert', `maxError must be a length above zero, got ${maxError}`);
  const begin = performance.now();
  const compute = own.compute ?? (await makeCompute({ threads: threads ?? CONVERT_DEFAULTS.threads }));
  try {
    if ('clip' in input) {
      const goal = goalOf(maxError, own.helpers, (model) => measureFrames(model, input.clip, [input.motion]));
      const result = await convertClip(compute, input.clip, input.skeleton, input.motion, own, goal);
      return { ...result, bones: bonesOf(result.model), seconds: (performance.now() - begin) / 1000 };
    }
    const { source, bones } =
      'deformer' in input ? { source: input, bones: undefined } : makeAssetSource(input, drivers);
    const motions = 'deformer' in input ? (given ?? []) : listMotions(input, bones!);
    if (ranges === 'limits' && 'deformer' in input)
      throw new InputError(
        'convert',
        "only a file can carry joint limits; give 'default', 'auto' or a table of ranges",
      );
    const words = ranges === 'limits' ? rangesFromLimits(input as Asset) : ranges;
    const settled = settleRanges(source, words, motions);
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
