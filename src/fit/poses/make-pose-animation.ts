// SPDX-License-Identifier: MIT
// Drawn poses of a rig as an animation of its nodes. Every method and every measure plays it like one of the file.

import { composeEuler } from '../../core/math/euler.ts';
import { makeRandom, type Random } from '../../core/math/random.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation, Track } from '../../core/model/clip/animation.ts';
import type { JointRange, Range } from './ranges-of-motion.ts';
import { type TurnedJoint, trackJoints } from './track-joints.ts';

/** Number of poses, the rest pose included. Measurements of levels and Direct Delta Mush use at most 48 and 60 frames, so that none is skipped. */
export const POSE_COUNT = 48;
/** Poses per second, as if they were frames. */
const RATE = 30;
/** Probability that a pose has all angles at the ends of their ranges, where errors of skins are largest. Not tuned. */
const STRETCHED = 1 / 3;
/** Name of the animation in reports. */
export const POSES_NAME = 'poses in joint ranges';

export interface PoseAnimationOptions {
  /** Number of poses, of which the first is the rest pose. Default: 48. */
  count?: number;
  /** Random seed. */
  seed?: number;
}

/**
 * Draws poses of a rig: every joint rotates by R = Rx Ry Rz about the rest pose of its node, in its own frame, and translates along its own axes. Angles are uniform and
 * independent; in a third of the poses all of them are at the ends of their ranges. Each morph target has its full weight in one of the poses.
 * @param ranges by bone of the rig
 */
export function makePoseAnimation(
  asset: Pick<Asset, 'nodes' | 'rig' | 'morphs'>,
  ranges: readonly JointRange[],
  { count = POSE_COUNT, seed = 0 }: PoseAnimationOptions = {},
): Animation {
  const times = Float32Array.from({ length: count }, (_, k) => k / RATE);
  const isStretched = listStretched(count, makeRandom(seed));
  const joints = listTurned(asset).map(({ node, bone }) => ({
    ...{ node, bone },
    ...drawJoint(ranges[bone], isStretched, makeRandom(seed + 7919 * (bone + 1))),
  }));
  return {
    name: POSES_NAME,
    duration: times[count - 1] ?? 0,
    tracks: [...trackJoints(asset, joints, times), ...trackMorphs(asset, times)],
  };
}

/** Nodes of joints, each once, with a bone that follows them. */
function listTurned({ rig }: Pick<Asset, 'rig'>): { node: number; bone: number }[] {
  const boneOf = new Map<number, number>();
  rig?.nodeOfBone.forEach((node, bone) => {
    if (rig.isJoint[bone] === 1 && !boneOf.has(node)) boneOf.set(node, bone);
  });
  return [...boneOf].map(([node, bone]) => ({ node, bone }));
}

const listStretched = (count: number, random: Random): boolean[] =>
  Array.from({ length: count }, () => random.next() < STRETCHED);

/** Draws the rotations of a joint and its displacements along its axes; both are none in the first pose. */
function drawJoint(
  { rotation, translation }: JointRange,
  isStretched: readonly boolean[],
  random: Random,
): Pick<TurnedJoint, 'turns' | 'shifts'> {
  const count = isStretched.length;
  const isMoved = translation.some(([low, high]) => low !== 0 || high !== 0);
  const turns = new Float64Array(4 * count);
  const shifts = isMoved ? new Float64Array(3 * count) : undefined;
  turns[3] = 1;
  for (let k = 1; k < count; k++) {
    const draw = ([low, high]: Range): number => {
      const ratio = random.next();
      return low + (high - low) * (isStretched[k] ? Math.round(ratio) : ratio);
    };
    const [x, y, z] = rotation.map(draw);
    turns.set(composeEuler(x, y, z), 4 * k);
    shifts?.set(translation.map(draw), 3 * k);
  }
  return { turns, shifts };
}

/** Keys of the weights of all nodes with morph targets: after the rest pose, target n has its full weight in the poses n + 1, n + count … */
function trackMorphs({ morphs }: Pick<Asset, 'morphs'>, times: Float32Array): Track[] {
  const sizes = new Map<number, number>();
  for (const { node, weight } of morphs?.targets ?? []) sizes.set(node, Math.max(sizes.get(node) ?? 0, weight + 1));
  const drawn = times.length - 1;
  return [...sizes].map(([node, size]): Track => {
    const rest = morphs?.restWeights.find((one) => one.node === node)?.weights ?? new Float32Array(0);
    const values = new Float32Array(size * times.length);
    for (let k = 0; k < times.length; k++) {
      values.set(rest.subarray(0, size), size * k);
      if (k > 0) for (let n = k - 1; n < size; n += drawn) values[size * k + n] = 1;
    }
    return { node, path: 'weights', interpolation: 'LINEAR', times, values };
  });
}
