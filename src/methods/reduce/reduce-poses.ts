// SPDX-License-Identifier: MIT
// The poses that a reduction of weights preserves: those of the file's animations, those of a clip, or random ones within ranges of motion.

import { joinArrays } from '../../core/math/join-arrays.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import { sampleAnimation, sampleMotions } from '../../deformers/playback/index.ts';
import { listRanges, type PoseRanges, poseAsset, rangesFromMotions } from '../../fit/poses/index.ts';
import { drawPoses } from './draw-poses.ts';

/** 'auto': animations that move the rig, or ranges if there are none. */
export const POSE_SOURCES = ['auto', 'animations', 'ranges', 'none'] as const;
export type PoseSource = (typeof POSE_SOURCES)[number];

export interface ReducePosesOptions {
  /** Poses to preserve. Default: animations, or ranges if there are none. */
  poses?: PoseSource;
  /** Target shapes in the poses of the animation, frame by frame; used instead of poses. */
  clip?: Clip;
  /** Animation to which the frames of the clip belong. Default: the first. */
  animation?: number;
  /** Ranges of generated poses. */
  ranges?: PoseRanges;
  /** Random seed of generated poses. */
  seed?: number;
}

export interface ReducePoses {
  source: 'animations' | 'clip' | 'ranges' | 'cage';
  /** frameCount x boneCount x 16 */
  matrices: Float64Array;
  /** frameCount x vertexCount x 3, of a clip */
  targets?: Float32Array;
  /** frameCount: weight of each pose */
  shares?: Float64Array;
}

/** Maximum frames of the animations. */
const MAX_FRAMES = 200;
/** Number of random poses beside those of animations. */
const DRAWN_POSES = 64;
/** Weight of all of them relative to those of animations: they constrain bones that the animations do not move. */
const DRAWN_PART = 0.02;

/** The poses; undefined if the source is 'none'. Throws an InputError if they do not fit the asset. */
export function listReducePoses(asset: Asset, options: ReducePosesOptions = {}): ReducePoses | undefined {
  const { skeleton } = asset.rig!;
  if (options.clip) return posesOfClip(asset, options.clip, options.animation ?? 0);
  const wanted = options.poses ?? 'auto';
  if (wanted === 'none') return undefined;
  if (wanted === 'animations' && asset.animations.length === 0)
    throw new InputError(
      'reduce',
      'the file has no animation to take poses from; draw them from ranges, or give a clip',
    );
  const seed = options.seed ?? 0;
  const posed = poseAsset(asset, { poses: wanted, ranges: options.ranges, seed });
  if (posed.drawn) {
    const { motion } = sampleAnimation(posed.asset, posed.drawn, posed.drawn.tracks[0].times);
    return { source: 'ranges', matrices: motion.matrices };
  }
  const motions = sampleMotions(asset, MAX_FRAMES);
  const ranges = options.ranges ? listRanges(asset, options.ranges) : rangesFromMotions(skeleton, motions);
  const drawn = drawPoses(skeleton, ranges, DRAWN_POSES, seed);
  const own = motions.reduce((sum, { times }) => sum + times.length, 0);
  const matrices = joinArrays([...motions.map((motion) => motion.matrices), drawn]);
  const shares = new Float64Array(own + DRAWN_POSES).fill(1, 0, own);
  shares.fill((DRAWN_PART * own) / DRAWN_POSES, own);
  return { source: 'animations', matrices, shares };
}

function posesOfClip(asset: Asset, clip: Clip, index: number): ReducePoses {
  const vertices = asset.mesh.positions.length / 3;
  const others = clip.mesh.positions.length / 3;
  if (others !== vertices)
    throw new InputError('reduce', `the poses are of a mesh of ${others} vertices, the file has ${vertices}`);
  const { diagonal } = measureBounds(asset.mesh.positions);
  let off = 0;
  for (let c = 0; c < clip.mesh.positions.length; c++)
    off = Math.max(off, Math.abs(clip.mesh.positions[c] - asset.mesh.positions[c]));
  if (off > SAME_REST * diagonal)
    throw new InputError(
      'reduce',
      'the poses are of another rest pose than the file has; give the clip that it was made of',
    );
  const animation = asset.animations[index];
  if (!animation) throw new InputError('reduce', 'the file has no animation that could go with the poses of a clip');
  const { motion } = sampleAnimation(asset, animation, clip.times);
  return { source: 'clip', matrices: motion.matrices, targets: clip.positions };
}

/** Tolerance on differences of rest poses, relative to the box diagonal: a decomposition may have corrected the rest pose. */
const SAME_REST = 0.1;
