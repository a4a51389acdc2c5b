// SPDX-License-Identifier: MIT
import {
  type AnimationClip,
  InterpolateDiscrete,
  type KeyframeTrack,
  type Matrix4,
  type Object3D,
  PropertyBinding,
} from 'three';
import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import type { PlayedRig } from '../../../formats/textures/index.ts';

const PATHS: Record<string, 'translation' | 'rotation' | 'scale'> = {
  position: 'translation',
  quaternion: 'rotation',
  scale: 'scale',
};

/**
 * Makes the rig of a scene and its clips for players on the GPU, with the current transforms of the nodes relative to the frame.
 * @param frame the object of the file's scene; all bones are its descendants
 * @param inverseBinds boneCount: model space to the space of each bone, at rest
 */
export function makePlayedRig(
  frame: Object3D,
  bones: readonly Object3D[],
  inverseBinds: readonly Matrix4[],
  clips: readonly AnimationClip[],
): PlayedRig {
  const nodes: Object3D[] = [];
  const placeOf = new Map<Object3D, number>();
  /** Parents first. */
  const add = (object: Object3D): number => {
    const known = placeOf.get(object);
    if (known !== undefined) return known;
    if (object.parent && object.parent !== frame) add(object.parent);
    placeOf.set(object, nodes.length);
    return nodes.push(object) - 1;
  };
  const nodeOfBone = Int32Array.from(bones, add);
  const bindMatrices = new Float64Array(16 * bones.length);
  inverseBinds.forEach((matrix, j) => {
    bindMatrices.set(matrix.clone().invert().elements, 16 * j);
  });
  const skeleton = {
    names: bones.map(({ name }) => name),
    parents: new Int32Array(bones.length).fill(-1),
    bindMatrices,
  };
  const tree = {
    names: nodes.map(({ name }) => name),
    parents: Int32Array.from(nodes, ({ parent }) => (parent && parent !== frame ? (placeOf.get(parent) ?? -1) : -1)),
    translations: Float64Array.from(nodes.flatMap(({ position }) => position.toArray())),
    rotations: Float64Array.from(nodes.flatMap(({ quaternion: { x, y, z, w } }) => [x, y, z, w])),
    scales: Float64Array.from(nodes.flatMap(({ scale }) => scale.toArray())),
  };
  const nodeNamed = new Map<string, number>();
  for (const [place, { name, uuid }] of nodes.entries()) {
    nodeNamed.set(uuid, place);
    if (name) nodeNamed.set(name, place);
  }
  const animations = clips.map((clip): Animation => {
    const tracks = clip.tracks.map((track) => makeTrack(track, nodeNamed)).filter((track) => track !== undefined);
    return { name: clip.name, duration: clip.duration, tracks };
  });
  return { nodes: tree, animations, skeleton, nodeOfBone };
}

/** Keys of a node that affects bones; undefined for other tracks. */
function makeTrack(track: KeyframeTrack, nodeNamed: ReadonlyMap<string, number>): Track | undefined {
  const { nodeName, propertyName } = PropertyBinding.parseTrackName(track.name);
  const node = nodeNamed.get(nodeName);
  const path = PATHS[propertyName];
  if (node === undefined || !path) return undefined;
  const size = path === 'rotation' ? 4 : 3;
  // splines of the loader have three values per key, as in the file
  const isSpline = track.values.length === 3 * size * track.times.length;
  const isStep = track.getInterpolation() === InterpolateDiscrete;
  return {
    ...{ node, path, interpolation: isSpline ? 'CUBICSPLINE' : isStep ? 'STEP' : 'LINEAR' },
    ...{ times: Float32Array.from(track.times), values: Float32Array.from(track.values) },
  };
}
