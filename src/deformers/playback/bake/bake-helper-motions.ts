// SPDX-License-Identifier: MIT
// Keys of helper bones, for players that do not evaluate controllers.

import type { Asset } from '../../../core/model/asset.ts';
import { type Motion, poseOf } from '../../../core/model/clip/motion.ts';
import type { HelperBones, HelperMotion } from '../../../core/model/deformed/helper-bones.ts';
import { InputError } from '../../../core/model/errors.ts';
import { LOCAL_SIZE } from '../../../core/model/skin/rest-local.ts';
import { makeHelperFollower } from '../../helper-bones/index.ts';
import { sampleAnimation } from '../sample-animation.ts';
import { listFrameTimes, listKeyTimes } from '../times/list-frame-times.ts';

/** Bytes per frame of merged times. */
const MERGE_BYTES = 64;
/** Times closer than this are merged, seconds: the resolution of 32-bit times in a long animation. */
const SAME_TIME = 1e-4;
/** Frames per batch of bone matrices, which bounds memory. */
const BATCH = 64;

/**
 * Bakes keys of the helpers for every animation of an asset, at its frames and at its own keys.
 * @param bones by bone of the model, the bone of the asset's rig; -1 for helpers, which may be left out
 * @example
 * ```ts
 * import { bakeHelperMotions, convert } from 'ossify';
 *
 * const { model, bones } = await convert({ kind: 'asset', asset }, { helpers: 4 });
 * for (const { animation, times } of bakeHelperMotions(asset, model, bones))
 *   console.log(`${asset.animations[animation].name}: ${times.length} keys per helper`);
 * ```
 */
export function bakeHelperMotions(asset: Asset, model: HelperBones, bones: Int32Array): HelperMotion[] {
  if (model.controllers.length === 0) return [];
  const follower = makeHelperFollower(model);
  const width = model.controllers.length * LOCAL_SIZE;
  const pose = new Float64Array(16 * model.skeleton.names.length);
  if (!asset.rig) throw new InputError('bakeHelperMotions', `"${asset.name}" has no skeleton`);
  const boneCount = asset.rig.skeleton.names.length;
  return asset.animations.map((animation, index) => {
    const times = mergeTimes(
      listFrameTimes(animation, { bytesPerFrame: 8 * width + MERGE_BYTES }),
      listKeyTimes(animation),
    );
    const locals = new Float64Array(times.length * width);
    follower.reset();
    for (let first = 0; first < times.length; first += BATCH) {
      const { motion } = sampleAnimation(asset, animation, times.subarray(first, first + BATCH));
      for (let k = 0; k < motion.times.length; k++) {
        for (const [j, bone] of bones.entries()) {
          if (bone < 0) continue;
          const from = (k * boneCount + bone) * 16;
          pose.set(motion.matrices.subarray(from, from + 16), 16 * j);
        }
        const at = (first + k) * width;
        const seconds = first + k > 0 ? times[first + k] - times[first + k - 1] : 0;
        follower.localsInto(pose, seconds, locals.subarray(at, at + width));
      }
    }
    return { animation: index, times, locals };
  });
}

/**
 * Adds the helpers, computed by their controllers, to a motion of the joints: the motion of all bones of the model.
 * @example
 * ```ts
 * import { addHelperMotion, poseOf } from 'ossify';
 *
 * const motion = addHelperMotion(helperBones, model.motions[0]);
 * const allBones = poseOf(motion, 0); // joints and helpers of the first frame
 * ```
 */
export function addHelperMotion(model: HelperBones, motion: Motion): Motion {
  const boneCount = model.skeleton.names.length;
  const follower = makeHelperFollower(model);
  const matrices = new Float64Array(motion.times.length * boneCount * 16);
  for (let k = 0; k < motion.times.length; k++) {
    const pose = matrices.subarray(k * boneCount * 16, (k + 1) * boneCount * 16);
    pose.set(poseOf(motion, k));
    follower.poseInto(pose, k > 0 ? motion.times[k] - motion.times[k - 1] : 0);
  }
  return { ...motion, matrices };
}

function mergeTimes(frames: Float64Array, keys: readonly number[]): Float64Array {
  const all = [...keys, ...frames].sort((a, b) => a - b);
  const isKey = new Set(keys);
  const out: number[] = [];
  for (const time of all) {
    if (time < 0) continue;
    if (out.length > 0 && time - out[out.length - 1] < SAME_TIME) {
      // the time of a key is kept exactly
      if (isKey.has(time) && !isKey.has(out[out.length - 1])) out[out.length - 1] = time;
    } else out.push(time);
  }
  return Float64Array.from(out);
}
