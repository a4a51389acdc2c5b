// SPDX-License-Identifier: MIT
import type { GltfSource } from '../../../core/model/asset.ts';
import { jsonOf } from '../document/gltf-json.ts';

/** By place in the node tree of an asset, the index of the node in its glTF: roots in file order, each before its children. */
export function listTreeOrder(source: GltfSource): number[] {
  const { nodes = [] } = jsonOf(source);
  const isChild = new Set(nodes.flatMap(({ children = [] }) => children));
  const order: number[] = [];
  const stack = [...nodes.keys()].filter((n) => !isChild.has(n)).reverse();
  for (let n = stack.pop(); n !== undefined; n = stack.pop()) {
    order.push(n);
    const { children = [] } = nodes[n];
    for (let c = children.length - 1; c >= 0; c--) stack.push(children[c]);
  }
  return order;
}
