// SPDX-License-Identifier: MIT
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import type { Scene } from '../../gltf/index.ts';

/** A node of the new tree: a node of the old one, or a new one without a transform. */
export type NewNode = { node: number; parent: number } | { name: string; parent: number };

/**
 * A scene with another tree of the same nodes, and new ones. Nodes that are left out must carry nothing.
 * @param list the new nodes; parents are indices into this list, before their children
 */
export function reindexScene(scene: Scene, list: readonly NewNode[]): Scene {
  const { nodes, shapes, animations, cameras, lights, extras } = scene;
  const placeOf = new Int32Array(nodes.names.length).fill(-1);
  list.forEach((one, n) => {
    if ('node' in one) placeOf[one.node] = n;
  });
  const move = <T extends { node: number }>(item: T): T => ({ ...item, node: placeOf[item.node] });
  return {
    ...scene,
    nodes: makeTree(nodes, list),
    shapes: shapes.map((shape) => ({
      ...move(shape),
      ...(shape.skin ? { skin: { ...shape.skin, joints: shape.skin.joints.map((joint) => placeOf[joint]) } } : {}),
    })),
    animations: animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.filter(({ node }) => placeOf[node] >= 0).map(move),
    })),
    ...(cameras ? { cameras: cameras.map(move) } : {}),
    ...(lights ? { lights: lights.map(move) } : {}),
    ...(extras ? { extras: new Map([...extras].map(([node, own]) => [placeOf[node], own])) } : {}),
  };
}

function makeTree(old: NodeTree, list: readonly NewNode[]): NodeTree {
  const tree: NodeTree = {
    names: list.map((one) => ('node' in one ? old.names[one.node] : one.name)),
    parents: Int32Array.from(list, ({ parent }) => parent),
    translations: new Float64Array(3 * list.length),
    rotations: new Float64Array(4 * list.length),
    scales: new Float64Array(3 * list.length).fill(1),
  };
  list.forEach((one, n) => {
    tree.rotations[4 * n + 3] = 1;
    if (!('node' in one)) return;
    const { node } = one;
    tree.translations.set(old.translations.subarray(3 * node, 3 * node + 3), 3 * n);
    tree.rotations.set(old.rotations.subarray(4 * node, 4 * node + 4), 4 * n);
    tree.scales.set(old.scales.subarray(3 * node, 3 * node + 3), 3 * n);
  });
  return tree;
}
