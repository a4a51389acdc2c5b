// SPDX-License-Identifier: MIT
// --pose t|a: nodes at rest in a pose that engines expect of a humanoid. Every frame of every animation stays what it was: joints that an animation does not turn get a key with their former rotation.
import type { Asset } from '../../core/model/asset.ts';
import type { Animation, Track } from '../../core/model/clip/animation.ts';
import { InputError } from '../../core/model/errors.ts';
import { choice, group, option } from '../../core/options/option.ts';
import { defineStep } from '../../core/options/step.ts';
import { describeRig } from '../../fit/anatomy/index.ts';
import { changeMotion, changeSource, listTreeOrder } from '../../formats/gltf/index.ts';
import { turnNodes } from '../../formats/vrm/index.ts';
import { poseArms } from '../../methods/retarget/index.ts';
import { labelAsset } from '../engine/index.ts';
import { frontOf, type NameValues } from './name-asset.ts';
import { rigOfAsset } from './rig-of-asset.ts';

export const POSE_OPTIONS = group('Rig options:', {
  pose: option(
    choice(['t', 'a']),
    'arms of the nodes at rest, as engines expect them of a humanoid: t (to the sides) or a (down by 45 degrees); animations stay as they are (default: as in the file)',
  ),
});
export const POSE_STEP = defineStep({ name: 'pose', options: POSE_OPTIONS });

/** The asset with its nodes at rest in a pose. Throws an InputError if it is no humanoid. */
export async function poseAssetRest(
  asset: Asset,
  { pose, front }: Pick<NameValues, 'front'> & { pose?: 't' | 'a' },
): Promise<Asset> {
  if (pose === undefined) return asset;
  const { source, name, nodes } = asset;
  const labelled = labelAsset(asset, { front: frontOf(front) });
  if (!source || !labelled) throw new InputError(name, 'has no skin whose rest pose could be set');
  const { shape, anatomy } = labelled;
  if (anatomy.kind !== 'biped' || anatomy.missing.length > 0)
    throw new InputError(name, `has no T-pose or A-pose (${describeRig(shape, anatomy).sentence})`);
  // the pose of the nodes is what is set, not that of the skin
  const turns = poseArms({ ...rigOfAsset(asset, { front: frontOf(front) }).rig, binds: undefined }, pose);
  const kept = asset.animations.map((animation) => keepTurns(animation, turns, nodes.rotations));
  const isSame = kept.every((animation, n) => animation === asset.animations[n]);
  const animated = isSame ? asset : await changeMotion(asset, { animations: kept });
  const places = listTreeOrder(animated.source ?? source);
  const rotations = new Map([...turns].map(([node, turn]) => [places[node], [...turn]]));
  return changeSource(animated, turnNodes(animated.source ?? source, rotations));
}

/** The animation with a key for each joint that it does not turn and that rests elsewhere now. */
function keepTurns(animation: Animation, turns: ReadonlyMap<number, Float64Array>, before: Float64Array): Animation {
  const turned = new Set(animation.tracks.filter(({ path }) => path === 'rotation').map(({ node }) => node));
  const added = [...turns.keys()]
    .filter((node) => !turned.has(node))
    .map((node): Track => {
      const values = Float32Array.from(before.subarray(4 * node, 4 * node + 4));
      return { node, path: 'rotation', interpolation: 'LINEAR', times: Float32Array.of(0), values };
    });
  return added.length === 0 ? animation : { ...animation, tracks: [...animation.tracks, ...added] };
}
