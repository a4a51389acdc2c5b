// SPDX-License-Identifier: MIT
import { compose, multiply } from '../../math/mat4.ts';
import type { NodeTree } from './node-tree.ts';

/** World matrices of nodes at rest: nodeCount x 16, column-major */
export function worldsOfNodes({ parents, translations, rotations, scales }: NodeTree): Float64Array {
  const worlds = new Float64Array(16 * parents.length);
  for (let n = 0; n < parents.length; n++) {
    compose(translations, rotations, scales, worlds, 3 * n, 4 * n, 3 * n, 16 * n);
    if (parents[n] >= 0) multiply(worlds, worlds, worlds, 16 * parents[n], 16 * n, 16 * n);
  }
  return worlds;
}
