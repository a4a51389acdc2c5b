// SPDX-License-Identifier: MIT

import { invertAffine } from '../../core/math/mat4.ts';
import type { Animation, Track } from '../../core/model/clip/animation.ts';
import { InputError } from '../../core/model/errors.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';

/** A skeleton, the nodes that its bones follow, and their animations. */
export interface PlayedRig {
  /** The scene graph. */
  nodes: NodeTree;
  /** Animations of the nodes. */
  animations: readonly Animation[];
  /** The bones. */
  skeleton: Skeleton;
  /** boneCount: the node that each bone follows */
  nodeOfBone: Int32Array;
}

export interface PackedAnimation {
  nodeCount: number;
  boneCount: number;
  clipCount: number;
  /** clipCount, seconds */
  durations: Float32Array;
  /** clipCount x nodeCount x 3 (translation, rotation, scale) x 4: first time, number of keys (0: at rest), first value, interpolation */
  tracks: Uint32Array;
  /** Times and values of all tracks. */
  keys: Float32Array;
  /** nodeCount x 12: translation, 0, rotation, scale, 0 */
  rest: Float32Array;
  /** nodeCount; NO_NODE for roots */
  parents: Uint32Array;
  /** boneCount; NO_NODE for bones whose bind matrix has no inverse: they stay at rest */
  nodeOfBone: Uint32Array;
  /** boneCount x 12: rows of the inverse bind matrix */
  inverseBinds: Float32Array;
}

export const NO_NODE = 0xffffffff;
const PATHS = ['translation', 'rotation', 'scale'] as const;
const INTERPOLATIONS = ['STEP', 'LINEAR', 'CUBICSPLINE'] as const;

/** Packs clips of one node tree for sampling on the GPU. Tracks of morph weights are ignored; of two tracks for the same property the last one is used. */
export function packAnimation({ nodes, animations, skeleton, nodeOfBone }: PlayedRig): PackedAnimation {
  const nodeCount = nodes.names.length;
  const boneCount = skeleton.names.length;
  if (nodeOfBone.length !== boneCount)
    throw new InputError('pack animation', `${nodeOfBone.length} nodes for ${boneCount} bones`);
  // a rig without clips is in its rest pose: one clip without tracks
  const clips = animations.length > 0 ? animations : [{ name: 'rest', duration: 0, tracks: [] }];
  const tracks = new Uint32Array(clips.length * nodeCount * 12);
  const kept: Track[] = [];
  let keyLength = 0;
  for (const [clip, animation] of clips.entries()) {
    for (const track of animation.tracks) {
      const path = track.path === 'weights' ? -1 : PATHS.indexOf(track.path);
      if (path < 0 || track.times.length === 0) continue;
      checkTrack(track, nodeCount, animation.name);
      const valueStart = keyLength + track.times.length;
      const kind = INTERPOLATIONS.indexOf(track.interpolation);
      const row = [keyLength, track.times.length, valueStart, kind];
      tracks.set(row, ((clip * nodeCount + track.node) * 3 + path) * 4);
      keyLength = valueStart + track.values.length;
      kept.push(track);
    }
  }
  const keys = new Float32Array(keyLength);
  let offset = 0;
  for (const { times, values } of kept) {
    keys.set(times, offset);
    keys.set(values, offset + times.length);
    offset += times.length + values.length;
  }
  return {
    nodeCount,
    boneCount,
    clipCount: clips.length,
    durations: Float32Array.from(clips, (clip) => clip.duration),
    tracks,
    keys,
    rest: packRest(nodes),
    parents: Uint32Array.from(nodes.parents, (p) => (p < 0 ? NO_NODE : p)),
    ...packBinds(skeleton, nodeOfBone, nodeCount),
  };
}

function checkTrack(track: Track, nodeCount: number, clip: string): void {
  if (!(track.node >= 0 && track.node < nodeCount))
    throw new InputError('pack animation', `a track of "${clip}" moves node ${track.node} of ${nodeCount}`);
  const size = (track.path === 'rotation' ? 4 : 3) * (track.interpolation === 'CUBICSPLINE' ? 3 : 1);
  if (track.values.length !== size * track.times.length)
    throw new InputError(
      'pack animation',
      `the ${track.path} track of node ${track.node} in "${clip}" has ${track.values.length} numbers for ${track.times.length} keys`,
    );
}

function packRest(nodes: NodeTree): Float32Array {
  const rest = new Float32Array(12 * nodes.names.length);
  for (let n = 0; n < nodes.names.length; n++) {
    for (let c = 0; c < 3; c++) {
      rest[12 * n + c] = nodes.translations[3 * n + c];
      rest[12 * n + 8 + c] = nodes.scales[3 * n + c];
    }
    for (let c = 0; c < 4; c++) rest[12 * n + 4 + c] = nodes.rotations[4 * n + c];
  }
  return rest;
}

function packBinds(
  skeleton: Skeleton,
  nodeOfBone: Int32Array,
  nodeCount: number,
): { nodeOfBone: Uint32Array; inverseBinds: Float32Array } {
  const boneCount = skeleton.names.length;
  const inverseBinds = new Float32Array(12 * boneCount);
  const nodes = new Uint32Array(boneCount);
  const inverse = new Float64Array(16);
  for (let j = 0; j < boneCount; j++) {
    if (!(nodeOfBone[j] >= 0 && nodeOfBone[j] < nodeCount))
      throw new InputError('pack animation', `bone ${j} follows node ${nodeOfBone[j]} of ${nodeCount}`);
    const isInvertible = invertAffine(skeleton.bindMatrices, inverse, 16 * j);
    nodes[j] = isInvertible ? nodeOfBone[j] : NO_NODE;
    for (let row = 0; row < 3; row++) {
      for (let c = 0; c < 4; c++) inverseBinds[12 * j + 4 * row + c] = isInvertible ? inverse[4 * c + row] : 0;
    }
  }
  return { nodeOfBone: nodes, inverseBinds };
}
