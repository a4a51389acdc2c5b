// SPDX-License-Identifier: MIT
// Parts of a decomposition that come from files: bones with their motion, or weights.

import { joinArrays } from '../../core/math/join-arrays.ts';
import type { AssetRig, NamedAsset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { type Motion, pickMotion } from '../../core/model/clip/motion.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { pickSkeleton, type Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { findMotion, sampleAnimation } from '../../deformers/playback/index.ts';

/** Parts of a model that are kept while the others are solved. */
export interface GivenParts {
  /** The bones whose names, hierarchy and bind pose the result keeps. */
  skeleton?: Skeleton;
  /** Motion of those bones, one pose per frame of the clip: it is kept, and weights are solved. */
  motion?: Motion;
  /** Weights: they are kept, and motion is solved. */
  skin?: Skin;
  /** Motion from which the solve of motion starts. Default: the rest pose. */
  start?: Motion;
  /** vertexCount: 1 for vertices whose given weights are kept. Default: all. */
  locked?: Uint8Array;
}

/** Vertices whose attribute is above this are locked. */
const LOCKED_ABOVE = 0.5;

/** The bones of a skinned file and their motion at the frames of the clips, one clip after the other. */
export function giveSkeleton(file: NamedAsset, clips: readonly Clip[], animation: string | undefined): GivenParts {
  const rig = rigOf(file, '--skeleton');
  const bones = listJoints(rig);
  const parts = clips.map((clip) => {
    const chosen = findAnimation(file, clip, clips.length === 1 ? animation : undefined);
    return pickMotion(sampleAnimation(file.asset, chosen, clip.times).motion, bones).matrices;
  });
  const times = Float64Array.from(clips.flatMap((clip) => [...clip.times]));
  return {
    skeleton: pickSkeleton(rig.skeleton, bones),
    motion: { name: clips[0].name, times, matrices: joinArrays(parts) },
  };
}

/** The weights of a skinned file with the vertices of the input; with an attribute, only the vertices that it marks keep theirs. */
export function giveWeights(file: NamedAsset, input: NamedAsset, locked: string | undefined): GivenParts {
  const rig = rigOf(file, '--weights');
  const [given, wanted] = [file, input].map(({ asset }) => asset.mesh.positions.length / 3);
  if (given !== wanted)
    throw new InputError(file.input, `has ${given} vertices and ${input.input} has ${wanted}; they must be the same`);
  const parts: GivenParts = { skeleton: rig.skeleton, skin: rig.skin };
  return locked === undefined ? parts : { ...parts, locked: findLocked(locked, [file, input]) };
}

function rigOf({ input, asset }: NamedAsset, option: string): AssetRig {
  if (!asset.rig) throw new InputError(input, `has no bones; ${option} needs a skinned glTF`);
  return asset.rig;
}

/** Bones that are joints of a skin; all bones of a file whose parts follow plain nodes. */
function listJoints({ isJoint }: AssetRig): number[] {
  const joints = [...isJoint.keys()].filter((j) => isJoint[j] === 1);
  return joints.length > 0 ? joints : [...isJoint.keys()];
}

/** The animation of the same name, or the only one. */
function findAnimation({ input, asset }: NamedAsset, clip: Clip, animation: string | undefined): Animation {
  const { animations } = asset;
  if (animations.length === 0) throw new InputError(input, 'has no animation; --skeleton keeps bones and their motion');
  const named = animations.find(({ name }) => name === (animation ?? clip.name));
  if (named) return named;
  if (animations.length === 1) return animations[0];
  return animations[findMotion({ ...asset, clips: [] }, animation ?? clip.name)];
}

/** vertexCount: 1 where the first number of an attribute is above a half. */
function findLocked(name: string, files: readonly NamedAsset[]): Uint8Array {
  const find = ({ attributes }: Mesh) => attributes.find((one) => one.name === name || one.name === `_${name}`);
  const attribute = files.map(({ asset }) => find(asset.mesh)).find((found) => found !== undefined);
  if (!attribute) {
    const known = [...new Set(files.flatMap(({ asset }) => asset.mesh.attributes.map((one) => one.name)))];
    const there = known.length > 0 ? `there are ${known.join(', ')}` : 'there are none';
    throw new UsageError('--locked', `neither file has a vertex attribute "${name}"; ${there}`);
  }
  const { values, size } = attribute;
  return Uint8Array.from({ length: values.length / size }, (_, i) => (values[i * size] > LOCKED_ABOVE ? 1 : 0));
}
