// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { compose, multiply } from '../math/mat4.ts';
import { normalizeQuaternion } from '../math/quaternion.ts';
import type { NodeTree } from '../model/node-tree.ts';
import { fail } from './gltf-fields.ts';

export interface GltfNodes {
  tree: NodeTree;
  /** Index into the tree, by index in the file. */
  treeOf: Int32Array;
  /** nodeCount x 16, column-major, in tree order: node to model space, at rest */
  worlds: Float64Array;
  /** Drawn nodes with a mesh, as indices in the file, depth first. */
  drawn: number[];
}

/** Reads the node trees of a checked and tidied glTF: all nodes, roots in file order, each before its children. */
export function readGltfNodes(json: GLTF.IGLTF): GltfNodes {
  const nodes = json.nodes ?? [];
  const count = nodes.length;
  const parentOf = new Int32Array(count).fill(-1);
  nodes.forEach((node, n) => {
    for (const child of node.children ?? []) parentOf[child] = n;
  });
  const roots = [...nodes.keys()].filter((n) => parentOf[n] < 0);
  const order = depthFirst(nodes, roots);
  const treeOf = new Int32Array(count).fill(-1);
  order.forEach((n, place) => {
    treeOf[n] = place;
  });

  const tree: NodeTree = {
    names: order.map((n) => nodes[n].name ?? ''),
    parents: Int32Array.from(order, (n) => (parentOf[n] < 0 ? -1 : treeOf[parentOf[n]])),
    translations: new Float64Array(count * 3),
    rotations: new Float64Array(count * 4),
    scales: new Float64Array(count * 3),
  };
  const worlds = new Float64Array(count * 16);
  order.forEach((n, place) => {
    const node = nodes[n];
    tree.translations.set(node.translation ?? [0, 0, 0], place * 3);
    tree.scales.set(node.scale ?? [1, 1, 1], place * 3);
    const rotation = node.rotation ?? [0, 0, 0, 1];
    if (!rotation.some((x) => x !== 0)) fail('value', `node ${n} has a rotation of length zero`);
    normalizeQuaternion(rotation, tree.rotations, 0, place * 4);
    compose(tree.translations, tree.rotations, tree.scales, worlds, place * 3, place * 4, place * 3, place * 16);
    if (tree.parents[place] >= 0) multiply(worlds, worlds, worlds, tree.parents[place] * 16, place * 16, place * 16);
    for (let c = 0; c < 16; c++)
      if (!Number.isFinite(worlds[place * 16 + c]))
        fail('value', `the transforms above node ${n} grow beyond all numbers`);
  });

  const scene = json.scene ?? (json.scenes?.length === 1 ? 0 : undefined);
  const sceneRoots = scene === undefined ? listSceneRoots(json, roots) : (json.scenes![scene].nodes ?? []);
  const drawn = depthFirst(nodes, sceneRoots).filter((n) => nodes[n].mesh !== undefined);
  return { tree, treeOf, worlds, drawn };
}

/** Without a default scene, all scenes are drawn; without any scene, everything. */
function listSceneRoots(json: GLTF.IGLTF, roots: number[]): number[] {
  if (!json.scenes || json.scenes.length === 0) return roots;
  return [...new Set(json.scenes.flatMap((scene) => scene.nodes ?? []))];
}

function depthFirst(nodes: GLTF.INode[], roots: number[]): number[] {
  const order: number[] = [];
  const stack = [...roots].reverse();
  for (let n = stack.pop(); n !== undefined; n = stack.pop()) {
    order.push(n);
    const children = nodes[n].children ?? [];
    for (let c = children.length - 1; c >= 0; c--) stack.push(children[c]);
  }
  return order;
}
