// SPDX-License-Identifier: MIT
// Rotations of joints about their rest pose, as keys of their nodes.

import { compose, determinant3, multiply, transformDirection } from '../../core/math/mat4.ts';
import { conjugateQuaternion, multiplyQuaternions } from '../../core/math/quaternion.ts';
import { powerOf } from '../../core/math/sine.ts';
import type { Asset, AssetRig } from '../../core/model/asset.ts';
import type { Track } from '../../core/model/clip/animation.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';

/** A joint in some poses. */
export interface TurnedJoint {
  node: number;
  bone: number;
  /** poseCount x 4: rotations in the joint's own frame, about its rest pose */
  turns: Float64Array;
  /** poseCount x 3: displacements along the axes of the joint, file units */
  shifts?: Float64Array;
}

/** Makes the keys of joints. Their nodes carry one another; those of an asset made of a model are side by side, and follow its skeleton. */
export function trackJoints(
  { nodes, rig }: Pick<Asset, 'nodes' | 'rig'>,
  joints: readonly TurnedJoint[],
  times: Float32Array,
): Track[] {
  if (rig && isFlat(nodes, rig, joints)) return trackFlat(nodes, rig, joints, times);
  return joints.flatMap((joint) => trackNode(nodes, joint, times));
}

function isFlat({ parents }: NodeTree, { skeleton }: AssetRig, joints: readonly TurnedJoint[]): boolean {
  return joints.every(({ node }) => parents[node] < 0) && joints.some(({ bone }) => skeleton.parents[bone] >= 0);
}

/** Keys of one node: its rotation, and its translation if it is displaced. */
function trackNode(nodes: NodeTree, { node, turns, shifts }: TurnedJoint, times: Float32Array): Track[] {
  const rotations = new Float32Array(4 * times.length);
  for (let k = 0; k < times.length; k++) multiplyQuaternions(nodes.rotations, turns, rotations, 4 * node, 4 * k, 4 * k);
  const track = { node, interpolation: 'LINEAR', times } as const;
  const turned: Track = { ...track, path: 'rotation', values: rotations };
  if (!shifts) return [turned];
  const scale = scaleAbove(nodes, node);
  const moved = new Float64Array(3);
  const values = new Float32Array(3 * times.length);
  for (let k = 0; k < times.length; k++) {
    rotateInto(nodes.rotations, shifts, moved, 4 * node, 3 * k);
    for (let r = 0; r < 3; r++) values[3 * k + r] = nodes.translations[3 * node + r] + moved[r] / scale;
  }
  return [turned, { ...track, path: 'translation', values }];
}

/** Keys of nodes without parents: every joint is placed by those before it in the skeleton. */
function trackFlat(
  { rotations, translations }: NodeTree,
  { skeleton }: AssetRig,
  joints: readonly TurnedJoint[],
  times: Float32Array,
): Track[] {
  const jointOf = new Map(joints.map((joint) => [joint.bone, joint]));
  const keys = new Map(
    joints.map(({ bone }) => [
      bone,
      { turns: new Float32Array(4 * times.length), places: new Float32Array(3 * times.length) },
    ]),
  );
  for (let k = 0; k < times.length; k++) {
    /** By bone: how it is turned from its rest pose, and its place. */
    const posed = new Map<number, { turn: Float64Array; place: Float64Array }>();
    for (const bone of skeleton.parents.keys()) {
      const joint = jointOf.get(bone);
      const key = keys.get(bone);
      if (!joint || !key) continue;
      const { node, turns, shifts } = joint;
      const parent = posed.get(skeleton.parents[bone]);
      const above = jointOf.get(skeleton.parents[bone]);
      const rest = rotations.subarray(4 * node, 4 * node + 4);
      const place = translations.slice(3 * node, 3 * node + 3);
      const moved = new Float64Array(3);
      if (shifts) rotateInto(rest, shifts, moved, 0, 3 * k);
      for (let r = 0; r < 3; r++) place[r] += moved[r] - (above ? translations[3 * above.node + r] : 0);
      if (parent) {
        rotateInto(parent.turn, place, moved);
        for (let r = 0; r < 3; r++) place[r] = moved[r] + parent.place[r];
      }
      const turn = Float64Array.of(0, 0, 0, 1);
      multiplyQuaternions(rest, turns, turn, 0, 4 * k);
      if (parent) multiplyQuaternions(parent.turn, turn, turn);
      key.turns.set(turn, 4 * k);
      key.places.set(place, 3 * k);
      const back = Float64Array.of(0, 0, 0, 1);
      conjugateQuaternion(rest, back);
      multiplyQuaternions(turn, back, turn);
      posed.set(bone, { turn, place });
    }
  }
  return joints.flatMap(({ node, bone }): Track[] => {
    const track = { node, interpolation: 'LINEAR', times } as const;
    const { turns, places } = keys.get(bone) ?? { turns: new Float32Array(0), places: new Float32Array(0) };
    return [
      { ...track, path: 'rotation', values: turns },
      { ...track, path: 'translation', values: places },
    ];
  });
}

const STILL: readonly number[] = [0, 0, 0];
const ONES: readonly number[] = [1, 1, 1];

/** Fills out with a vector rotated by a quaternion. */
function rotateInto(turn: Float64Array, vector: Float64Array, out: Float64Array, turnAt = 0, vectorAt = 0): void {
  const matrix = new Float64Array(16);
  compose(STILL, turn, ONES, matrix, 0, turnAt);
  transformDirection(matrix, vector, out, 0, vectorAt);
}

/** Mean scale of the nodes above a node, at rest. */
function scaleAbove(nodes: NodeTree, node: number): number {
  const world = new Float64Array(16);
  const own = new Float64Array(16);
  compose(STILL, [0, 0, 0, 1], ONES, world);
  for (let n = nodes.parents[node]; n >= 0; n = nodes.parents[n]) {
    compose(nodes.translations, nodes.rotations, nodes.scales, own, 3 * n, 4 * n, 3 * n);
    multiply(own, world, world);
  }
  return powerOf(Math.abs(determinant3(world)), 1 / 3) || 1;
}
