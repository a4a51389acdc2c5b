// SPDX-License-Identifier: MIT
// Parts of a decomposition that come from files: bones with their motion, or weights.
import type { GivenParts } from '../decompose/fit-given.ts';
import { sampleAnimation } from '../deform/sample-animation.ts';
import type { Animation } from '../model/animation.ts';
import type { AssetRig } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { InputError, UsageError } from '../model/errors.ts';
import type { Mesh } from '../model/mesh.ts';
import type { Motion } from '../model/motion.ts';
import type { Skeleton } from '../model/skeleton.ts';
import { findMotion } from './clip-pair.ts';
import type { OpenedInput } from './job.ts';

/** Of an attribute that locks vertices. */
const LOCKED_ABOVE = 0.5;

/** The bones of a skinned file and their motion at the frames of the clips, one clip after the other. */
export function giveSkeleton(file: OpenedInput, clips: readonly Clip[], animation: string | undefined): GivenParts {
  const rig = rigOf(file, '--skeleton');
  const bones = listJoints(rig);
  const parts = clips.map((clip) => {
    const chosen = findAnimation(file, clip, clips.length === 1 ? animation : undefined);
    return pickBones(sampleAnimation(file.asset, chosen, clip.times).motion, rig.nodeOfBone.length, bones);
  });
  const matrices = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    matrices.set(part, offset);
    offset += part.length;
  }
  const times = Float64Array.from(clips.flatMap((clip) => [...clip.times]));
  return { skeleton: pickSkeleton(rig.skeleton, bones), motion: { name: clips[0].name, times, matrices } };
}

/** The weights of a skinned file with the vertices of the input; with an attribute, only those of the vertices it marks stay. */
export function giveWeights(file: OpenedInput, input: OpenedInput, locked: string | undefined): GivenParts {
  const rig = rigOf(file, '--weights');
  const [given, wanted] = [file, input].map(({ asset }) => asset.mesh.positions.length / 3);
  if (given !== wanted)
    throw new InputError(file.input, `has ${given} vertices and ${input.input} has ${wanted}; they must be the same`);
  const parts: GivenParts = { skeleton: rig.skeleton, skin: rig.skin };
  return locked === undefined ? parts : { ...parts, locked: findLocked(locked, [file, input]) };
}

function rigOf({ input, asset }: OpenedInput, option: string): AssetRig {
  if (!asset.rig) throw new InputError(input, `has no bones; ${option} needs a skinned glTF`);
  return asset.rig;
}

/** Bones that are joints of a skin; all of them in a file whose parts hang on plain nodes. */
function listJoints({ isJoint }: AssetRig): number[] {
  const joints = [...isJoint.keys()].filter((j) => isJoint[j] === 1);
  return joints.length > 0 ? joints : [...isJoint.keys()];
}

/** The animation of the same name, or the only one. */
function findAnimation({ input, asset }: OpenedInput, clip: Clip, animation: string | undefined): Animation {
  const { animations } = asset;
  if (animations.length === 0) throw new InputError(input, 'has no animation; --skeleton keeps bones and their motion');
  const named = animations.find(({ name }) => name === (animation ?? clip.name));
  if (named) return named;
  if (animations.length === 1) return animations[0];
  return animations[findMotion({ ...asset, clips: [] }, animation ?? clip.name)];
}

/** frameCount x bones x 16 */
function pickBones(motion: Motion, boneCount: number, bones: readonly number[]): Float64Array {
  const out = new Float64Array(motion.times.length * bones.length * 16);
  for (let k = 0; k < motion.times.length; k++) {
    for (const [n, j] of bones.entries()) {
      const from = (k * boneCount + j) * 16;
      out.set(motion.matrices.subarray(from, from + 16), (k * bones.length + n) * 16);
    }
  }
  return out;
}

/** Some bones of a skeleton; a bone hangs on the nearest ancestor among them. */
function pickSkeleton(skeleton: Skeleton, bones: readonly number[]): Skeleton {
  const placeOf = new Map(bones.map((j, n) => [j, n]));
  const parents = bones.map((j) => {
    let parent = skeleton.parents[j];
    while (parent >= 0 && !placeOf.has(parent)) parent = skeleton.parents[parent];
    return placeOf.get(parent) ?? -1;
  });
  return {
    names: bones.map((j) => skeleton.names[j]),
    parents: Int32Array.from(parents),
    bindMatrices: Float64Array.from(bones.flatMap((j) => [...skeleton.bindMatrices.subarray(j * 16, j * 16 + 16)])),
  };
}

/** vertexCount: 1 where the first number of an attribute is above a half. */
function findLocked(name: string, files: readonly OpenedInput[]): Uint8Array {
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
