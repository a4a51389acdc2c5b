// SPDX-License-Identifier: MIT
import type { Document, Node } from '@gltf-transform/core';
import { compose, multiply } from '../../../core/math/mat4.ts';
import { normalizeQuaternion } from '../../../core/math/quaternion.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import { fail, label } from '../../../deformers/layout/index.ts';
import { indexIn } from '../document/gltf-graph.ts';

export interface GltfNodes {
  tree: NodeTree;
  /** Nodes in the order of the tree. */
  list: Node[];
  /** Index into the tree of a node of the document. */
  treeOf: (node: Node) => number;
  /** nodeCount x 16, column-major, in tree order: node to model space, at rest */
  worlds: Float64Array;
  /** Drawn nodes with a mesh, depth first. */
  drawn: Node[];
}

/** Reads the node trees of a document: all nodes, roots in file order, each before its children. */
export function readGltfNodes(document: Document): GltfNodes {
  const root = document.getRoot();
  const nodes = root.listNodes();
  const count = nodes.length;
  const parentOf = new Map<Node, Node>();
  for (const node of nodes) for (const child of node.listChildren()) parentOf.set(child, node);
  const roots = nodes.filter((node) => !parentOf.has(node));
  const list = listDepthFirst(roots);
  const indices = new Map(list.map((node, n) => [node, n]));
  const treeOf = (node: Node): number => indexIn(indices, node);
  const tree: NodeTree = {
    names: list.map((node) => node.getName()),
    parents: Int32Array.from(list, (node) => {
      const parent = parentOf.get(node);
      return parent ? treeOf(parent) : -1;
    }),
    translations: new Float64Array(count * 3),
    rotations: new Float64Array(count * 4),
    scales: new Float64Array(count * 3),
  };
  const worlds = new Float64Array(count * 16);
  list.forEach((node, n) => {
    const name = (): string => label(node.getName(), nodes.indexOf(node));
    tree.translations.set(node.getTranslation(), n * 3);
    tree.scales.set(node.getScale(), n * 3);
    const rotation = node.getRotation();
    if (!rotation.some((x) => x !== 0)) fail('value', `node ${name()} has a rotation of length zero`);
    normalizeQuaternion(rotation, tree.rotations, 0, n * 4);
    compose(tree.translations, tree.rotations, tree.scales, worlds, n * 3, n * 4, n * 3, n * 16);
    if (tree.parents[n] >= 0) multiply(worlds, worlds, worlds, tree.parents[n] * 16, n * 16, n * 16);
    for (let c = 0; c < 16; c++)
      if (!Number.isFinite(worlds[n * 16 + c]))
        fail('value', `the transforms of node ${name()} and those above it multiply to infinity`);
  });
  const drawn = listDepthFirst(listSceneRoots(document, roots)).filter((node) => node.getMesh() !== null);
  return { tree, list, treeOf, worlds, drawn };
}

/** Without a default scene, all scenes are drawn; without any scene, all nodes. */
function listSceneRoots(document: Document, roots: Node[]): Node[] {
  const scene = document.getRoot().getDefaultScene();
  if (scene) return scene.listChildren();
  const scenes = document.getRoot().listScenes();
  return scenes.length === 0 ? roots : [...new Set(scenes.flatMap((one) => one.listChildren()))];
}

/** Nodes and their descendants, parents first. Not recursive, because trees may be deeper than the stack. */
export function listDepthFirst(roots: readonly Node[]): Node[] {
  const order: Node[] = [];
  const stack = [...roots].reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    order.push(node);
    const children = node.listChildren();
    for (let c = children.length - 1; c >= 0; c--) stack.push(children[c]);
  }
  return order;
}
