// SPDX-License-Identifier: MIT
import type { Scene } from '../../gltf/index.ts';

/** Joints of a scene, and the nodes above them. */
export interface SceneJoints {
  /** Nodes that are joints of a skin. */
  joints: ReadonlySet<number>;
  /** Nodes that are no joint and have one below them. */
  above: ReadonlySet<number>;
  /** Joints without a joint above them, in the order of the nodes. */
  tops: readonly number[];
  /** Nodes that an animation moves. */
  moved: ReadonlySet<number>;
}

/** Lists the joints of a scene. */
export function listJoints({ nodes: { parents }, shapes, animations }: Scene): SceneJoints {
  const joints = new Set(shapes.flatMap(({ skin }) => skin?.joints ?? []));
  const above = new Set<number>();
  for (let n = parents.length - 1; n >= 0; n--) {
    const parent = parents[n];
    if (parent >= 0 && (joints.has(n) || above.has(n)) && !joints.has(parent)) above.add(parent);
  }
  const isBelow = new Uint8Array(parents.length);
  const tops: number[] = [];
  for (let n = 0; n < parents.length; n++) {
    const parent = parents[n];
    if (parent >= 0 && (joints.has(parent) || isBelow[parent])) isBelow[n] = 1;
    else if (joints.has(n)) tops.push(n);
  }
  const tracks = animations.flatMap((animation) => animation.tracks);
  const moved = new Set(tracks.flatMap(({ node, path }) => (path === 'weights' ? [] : [node])));
  return { joints, above, tops, moved };
}
