// SPDX-License-Identifier: MIT
// What several rules look up in a scene.
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import type { Scene, SceneShape } from '../../gltf/index.ts';

/** Nodes that are joints of any skin. */
export function listJoints({ shapes }: Scene): Set<number> {
  return new Set(shapes.flatMap(({ skin }) => skin?.joints ?? []));
}

/** Joints, and the nodes above them: what an engine reads as the skeleton. */
export function listSkeletonNodes(scene: Scene): Set<number> {
  const { parents } = scene.nodes;
  const found = new Set<number>();
  for (const joint of listJoints(scene)) for (let n = joint; n >= 0 && !found.has(n); n = parents[n]) found.add(n);
  return found;
}

/**
 * The topmost node above each node, or the node itself.
 * @param added a node that the reader placed above all others, and that does not count
 */
export function listRoots({ parents }: NodeTree, added = -1): Int32Array {
  const roots = new Int32Array(parents.length);
  for (let n = 0; n < parents.length; n++) roots[n] = parents[n] < 0 || parents[n] === added ? n : roots[parents[n]];
  return roots;
}

/** Name of a node, or its index. */
export const nodeName = ({ names }: NodeTree, node: number): string => names[node] || String(node);

/** Name of the mesh of a shape, or of its node. */
export const shapeName = ({ nodes }: Scene, { mesh, node }: SceneShape): string => mesh.name || nodeName(nodes, node);

/** Name of an animation, or its index. */
export const animationName = ({ animations }: Scene, index: number): string => animations[index].name || String(index);

/** Nodes whose transform counts: joints, and those with children, a camera or a light. */
export function listBusyNodes({ nodes, shapes, cameras = [], lights = [] }: Scene): Set<number> {
  return new Set([
    ...nodes.parents,
    ...shapes.flatMap(({ skin }) => skin?.joints ?? []),
    ...cameras.map(({ node }) => node),
    ...lights.map(({ node }) => node),
  ]);
}

/** Nodes that an animation moves. */
export function listMovedNodes({ animations }: Scene): Set<number> {
  return new Set(
    animations.flatMap(({ tracks }) => tracks.flatMap(({ node, path }) => (path === 'weights' ? [] : [node]))),
  );
}

/** Largest cosine of two axes of a matrix. */
export function measureShear(m: Float64Array, o: number): number {
  let most = 0;
  for (let p = 0; p < 2; p++)
    for (let q = p + 1; q < 3; q++) {
      const [a, b] = [m.subarray(o + 4 * p, o + 4 * p + 3), m.subarray(o + 4 * q, o + 4 * q + 3)];
      const lengths = Math.hypot(...a) * Math.hypot(...b);
      if (lengths > 0) most = Math.max(most, Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / lengths);
    }
  return most;
}
