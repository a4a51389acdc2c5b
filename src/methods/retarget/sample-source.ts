// SPDX-License-Identifier: MIT
import { NodeMotion } from '../../core/keyframes/node-motion.ts';
import { multiply } from '../../core/math/mat4.ts';
import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { type RestRig, splitInto } from './rest-rig.ts';

/** Where the nodes of a rig are in each frame. */
export interface SampledMotion {
  /** frameCount, seconds */
  times: ArrayLike<number>;
  /** frameCount x nodeCount x 3 */
  places: Float64Array;
  /** frameCount x nodeCount x 4: world rotations */
  turns: Float64Array;
}

/** Plays an animation at times. Nodes are played as the file has them: a rest pose of the skin does not matter here. */
export function sampleSource({ nodes }: RestRig, animation: Animation, times: ArrayLike<number>): SampledMotion {
  const count = nodes.names.length;
  const motion = new NodeMotion(nodes, animation);
  const places = new Float64Array(3 * count * times.length);
  const turns = new Float64Array(4 * count * times.length);
  const worlds = new Float64Array(16 * count);
  const plain = new Float64Array(16);
  for (let k = 0; k < times.length; k++) {
    for (let n = 0; n < count; n++) {
      motion.localInto(n, times[k], worlds, 16 * n);
      if (nodes.parents[n] >= 0) multiply(worlds, worlds, worlds, 16 * nodes.parents[n], 16 * n, 16 * n);
      splitInto(worlds, 16 * n, plain);
      const o = k * count + n;
      quaternionFromMatrix(plain, turns, 0, 4 * o);
      for (let c = 0; c < 3; c++) places[3 * o + c] = worlds[16 * n + 12 + c];
    }
  }
  return { times, places, turns };
}
