// SPDX-License-Identifier: MIT
// Converts any skeleton-driven deformer to linear blend skinning with helper bones and their controllers.

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { type Motion, pickMotion } from '../../core/model/clip/motion.ts';
import type { HelperBones } from '../../core/model/deformed/helper-bones.ts';
import type { MorphDriver } from '../../core/model/deformed/morph-drivers.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import { defaultsOf, fillDefaults } from '../../core/options/fill-defaults.ts';
import type { SolvePlan } from '../../core/options/method.ts';
import type { SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import { makeAssetSource, sampleMotions } from '../../deformers/playback/index.ts';
import {
  type JointRange,
  type RangeTable,
  rangesFromLimits,
  rangesFromMotions,
  readRanges,
} from '../../fit/poses/index.ts';
import {
  type ConvertRigResult,
  HELPER_OPTIONS,
  HELPERS,
  type HelperInput,
  type HelperOptions,
  helperBonesMethod,
} from '../../methods/convert/index.ts';
import { skinOfLayers } from '../../methods/reduce/index.ts';
import { readEditedControllers } from './read-edited-controllers.ts';

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
      /** Joints of the skeleton that controllers may read and that carry no vertex. */
      inputs?: number[];
    };

/** Options of convert. */
export interface ConvertOptions extends Partial<HelperOptions>, Pick<SolveMonitorOptions, 'signal' | 'onProgress'> {
  /** Ranges of joint rotations: ±90° about each axis (default), 'auto' (from the motions of the input), 'limits' (its joint limits), or degrees by joint name (others: ±90°). */
  ranges?: 'default' | 'auto' | 'limits' | RangeTable;
  /** Maximum vertex error in the motions of the input, or in random poses if it has none, file units. Without helpers: the fewest that meet it are added. */
  maxError?: number;
  /** Controllers of an earlier conversion as `listControllers` returns them, with edits: joints, ranges, key poses. The rest is fitted again. */
  edit?: unknown;
  /** Drivers of the morph targets of an asset (corrective shapes). */
  drivers?: readonly MorphDriver[];
  /** Motions of the joints of a rig that is not an asset, for ranges 'auto' and for maxError. */
  motions?: readonly Motion[];
  /** Number of threads; 0: one per core. */
  threads?: number;
  /** Compute to use. Default: one that is made for this call. */
  compute?: Compute;
}

/** Defaults of ConvertOptions. */
export const CONVERT_DEFAULTS = {
  ...defaultsOf(HELPER_OPTIONS),
  helpers: HELPERS,
  normalWeights: false,
  ranges: 'default',
  threads: 0,
} as const;

/** A rig with helper bones, and what was converted. */
export interface ConvertResult extends ConvertRigResult {
  /** What was converted; absent for a clip, which has no other poses. */
  source?: RigSource;
  /** For each bone of the model, the bone of the asset's rig; -1 for helpers, which are last. */
  bones: Int32Array;
  /** Seconds of converting. */
  seconds: number;
}

/** Maximum frames of the animations for ranges and errors. */
const MAX_RANGE_FRAMES = 1000;

/**
 * Converts a rig, an asset with a rig, or a clip with its skeleton to linear blend skinning with helper bones. Throws an InputError if there are no joints or
 * if the source returns values that are not finite, and a UsageError if options are invalid. A stopped conversion returns its best result so far.
 * @example Add four helper bones and write keys for players that do not evaluate controllers.
 * ```ts
 * import { bakeHelperMotions, convert, writeGlb } from 'ossify';
 *
 * const { model, bones } = await convert({ kind: 'asset', asset }, { helpers: 4 });
 * const motions = bakeHelperMotions(asset, model, bones);
 * const glb = await writeGlb(asset, { kind: 'converted', model, bones, motions });
 * ```
 * @example Add the fewest helper bones that keep every vertex within 2 mm, for a file in metres.
 * ```ts
 * import { convert } from 'ossify';
 *
 * const { model, status } = await convert({ kind: 'asset', asset }, { maxError: 0.002 });
 * ```
 */
export async function convert(input: ConvertSource, options: ConvertOptions = {}): Promise<ConvertResult> {
  const { maxError, threads, edit, signal, onProgress } = options;
  if (maxError !== undefined && !(maxError > 0 && Number.isFinite(maxError)))
    throw new UsageError('convert', `maxError must be a length above zero, got ${maxError}`);
  const own = fillDefaults(HELPER_OPTIONS, options);
  helperBonesMethod.check?.(own);
  const begin = performance.now();
  const compute = options.compute ?? (await makeCompute({ threads: threads ?? CONVERT_DEFAULTS.threads }));
  try {
    const { solved, source, bones } = settleInput(input, options);
    const { skeleton } = solved.kind === 'clip' ? solved : solved.source;
    const edited = edit === undefined ? undefined : readEditedControllers(edit, skeleton);
    const { solve } = await helperBonesMethod.load();
    const result = await solve(
      { compute, signal, onProgress },
      { ...solved, edited, maxError },
      own,
      planOf(solved, own),
    );
    const seconds = (performance.now() - begin) / 1000;
    return { ...result, ...(source ? { source } : {}), bones: bonesOf(result.model, bones), seconds };
  } finally {
    if (!options.compute) compute.dispose();
  }
}

/** The input of the method, and which bones of the asset's rig it has. */
function settleInput(
  input: ConvertSource,
  { ranges = CONVERT_DEFAULTS.ranges, drivers, motions: given = [] }: ConvertOptions,
): { solved: HelperInput; source?: RigSource; bones?: Int32Array } {
  if (input.kind === 'clip') return { solved: input };
  if (input.kind === 'rig') {
    const { rig: source } = input;
    if (ranges === 'limits')
      throw new UsageError('convert', "only a file can have joint limits; use 'default', 'auto' or a table of ranges");
    return { solved: { kind: 'rig', source, motions: given, ranges: settleRanges(source, ranges, given) }, source };
  }
  const { asset } = input;
  const { source, bones } = makeSource(asset, drivers);
  const motions = listMotions(asset, bones);
  const wanted = ranges === 'limits' ? rangesFromLimits(asset) : ranges;
  return { solved: { kind: 'rig', source, motions, ranges: settleRanges(source, wanted, motions) }, source, bones };
}

function planOf(input: HelperInput, options: HelperOptions): SolvePlan {
  const { mesh } = input.kind === 'clip' ? input.clip : input.source;
  const frameCount = input.kind === 'clip' ? input.clip.times.length : 0;
  return helperBonesMethod.plan(options, undefined, { vertexCount: mesh.positions.length / 3, frameCount });
}

function makeSource(asset: Asset, drivers: ConvertOptions['drivers']) {
  const { linearTwoLayer } = asset;
  return makeAssetSource(asset, drivers, linearTwoLayer && skinOfLayers(linearTwoLayer));
}

function bonesOf({ skeleton, controllers }: HelperBones, bones?: Int32Array): Int32Array {
  const jointCount = skeleton.names.length - controllers.length;
  return Int32Array.from(skeleton.names, (_, j) => (j < jointCount ? (bones?.[j] ?? j) : -1));
}

/** The motions of an asset's animations, of some of its bones. */
function listMotions(asset: Asset, bones: Int32Array): Motion[] {
  if (asset.animations.length === 0) return [];
  return sampleMotions(asset, MAX_RANGE_FRAMES).map((motion) => pickMotion(motion, bones));
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
