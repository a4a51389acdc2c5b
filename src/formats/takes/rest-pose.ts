// SPDX-License-Identifier: MIT
import { compose, multiply } from '../../core/math/mat4.ts';
import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';

/** The nodes of a file at rest, in model space. */
export interface RestPose {
  tree: NodeTree;
  /** nodeCount x 16: world matrices */
  worlds: Float64Array;
  /** nodeCount x 4: world rotations */
  rotations: Float64Array;
  /** nodeCount: the mean scale of the world matrix */
  sizes: Float64Array;
  /** Distance of the node that is farthest from the first. */
  size: number;
}

export function makeRestPose(tree: NodeTree): RestPose {
  const count = tree.names.length;
  const worlds = new Float64Array(16 * count);
  const rotations = new Float64Array(4 * count);
  const sizes = new Float64Array(count);
  const plain = new Float64Array(16);
  for (let n = 0; n < count; n++) {
    localInto(tree, n, worlds, 16 * n);
    if (tree.parents[n] >= 0) multiply(worlds, worlds, worlds, 16 * tree.parents[n], 16 * n, 16 * n);
    let product = 1;
    for (let c = 0; c < 3; c++) {
      const o = 16 * n + 4 * c;
      const length = Math.hypot(worlds[o], worlds[o + 1], worlds[o + 2]);
      product *= length;
      for (let r = 0; r < 3; r++) plain[4 * c + r] = worlds[o + r] / (length || 1);
    }
    sizes[n] = Math.cbrt(product) || 1;
    quaternionFromMatrix(plain, rotations, 0, 4 * n);
  }
  let size = 0;
  for (let o = 12; o < worlds.length; o += 16)
    size = Math.max(size, Math.hypot(worlds[o] - worlds[12], worlds[o + 1] - worlds[13], worlds[o + 2] - worlds[14]));
  return { tree, worlds, rotations, sizes, size };
}

/** The local matrix of a node at rest. */
export function localInto(tree: NodeTree, node: number, out: Float64Array, offset = 0): void {
  compose(tree.translations, tree.rotations, tree.scales, out, 3 * node, 4 * node, 3 * node, offset);
}

/** Whether a node is another or below it; everything is below -1. */
export function isBelow({ parents }: NodeTree, node: number, above: number): boolean {
  let n = node;
  while (n >= 0 && n !== above) n = parents[n];
  return n === above;
}
