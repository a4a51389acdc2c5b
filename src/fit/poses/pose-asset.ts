// SPDX-License-Identifier: MIT
// The poses of an asset, for whatever measures or optimizes over its motion: the frames of its animations, or drawn poses if nothing in it moves.

import { measureHeight } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation, Track } from '../../core/model/clip/animation.ts';
import { InputError } from '../../core/model/errors.ts';
import { makePoseAnimation, type PoseAnimationOptions } from './make-pose-animation.ts';
import { listLimits } from './ranges-from-limits.ts';
import { type JointRange, type RangeTable, readRanges } from './ranges-of-motion.ts';

/** Where poses come from. auto: the animations, or drawn poses if no animation moves the rig. */
export const POSE_WORDS = ['auto', 'animations', 'ranges'] as const;
export type PoseWord = (typeof POSE_WORDS)[number];

/** Half range of joints that neither a table nor the file limits, degrees about each axis; hips, spine and roots have 30. Chosen by hand: limbs bend farther, but about one axis. */
const POSED_DEGREES = 45;

/** Ranges of drawn poses: by bone of the rig, or in degrees by bone name, '*' for all others. */
export type PoseRanges = RangeTable | readonly JointRange[];

/** Which poses of an asset are used, and how others are drawn. */
export interface PoseAssetOptions extends PoseAnimationOptions {
  /** Source of the poses. Default: auto. */
  poses?: PoseWord;
  /** Ranges. In a table without '*', other bones have the limits that the file states, or 45 degrees about each axis, trunks and roots 30. */
  ranges?: PoseRanges;
}

/** An asset that plays its poses. */
export interface PosedAsset {
  /** The asset; drawn poses are its last animation. */
  asset: Asset;
  /** rest: it has neither animations nor joints. */
  source: 'animations' | 'ranges' | 'rest';
  /** The drawn poses. */
  drawn?: Animation;
}

/**
 * Chooses the poses of an asset.
 * @example
 * ```ts
 * import { makeLevels, poseAsset } from 'ossify';
 *
 * const { asset: posed, source } = poseAsset(asset); // "ranges" for an avatar without animations
 * const levels = await makeLevels(posed, { ratios: [0.5] });
 * ```
 */
export function poseAsset(asset: Asset, { poses = 'auto', ranges, ...drawing }: PoseAssetOptions = {}): PosedAsset {
  const { animations, clips, rig } = asset;
  const hasMotion = animations.length > 0 || clips.length > 0;
  if (poses === 'animations' && !hasMotion)
    throw new InputError('poses', 'the file has no animation; use poses within joint ranges (ranges), or auto');
  const isMoving = clips.length > 0 || animations.some(isMotion);
  if (poses === 'animations' || (poses === 'auto' && isMoving)) return { asset, source: 'animations' };
  if (!rig?.isJoint.includes(1)) return { asset, source: hasMotion ? 'animations' : 'rest' };
  const drawn = makePoseAnimation(asset, listRanges(asset, ranges), drawing);
  return { asset: { ...asset, animations: [...animations, drawn] }, source: 'ranges', drawn };
}

/** The ranges of all bones of a rig. */
export function listRanges(asset: Asset, given?: PoseRanges): readonly JointRange[] {
  const { rig } = asset;
  if (!rig) return [];
  if (isList(given)) return given;
  const table = given && Object.hasOwn(given, '*') ? given : { ...listLimits(asset), ...given };
  return readRanges(table, rig.skeleton, measureHeight(asset.mesh.positions, asset.up), POSED_DEGREES);
}

const isList = (ranges: PoseRanges | undefined): ranges is readonly JointRange[] => Array.isArray(ranges);

/** Whether an animation changes anything: many avatars have one of a single pose. */
function isMotion({ tracks, motion }: Animation): boolean {
  return (motion?.times.length ?? 0) > 1 || tracks.some(isChanging);
}

function isChanging({ times, values }: Track): boolean {
  const size = values.length / times.length;
  return times.length > 1 && values.some((value, n) => value !== values[n % size]);
}
