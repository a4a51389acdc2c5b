// SPDX-License-Identifier: MIT

/** What is split, and the tree that grows. */
export interface SplitTree {
  /** Item indices, sorted in place. */
  order: Uint32Array;
  /** itemCount x 3 */
  centers: Float64Array;
  /** Maximum number of items of a leaf. */
  leafSize: number;
  /** nodeCount x 2, laid out as in CollisionTree. */
  children: number[];
}

/**
 * Splits items at the median of their centers along the longest axis of their box, until each leaf has at most leafSize. Appends the nodes to children,
 * parents first, and returns the index of the root. The depth is at most the binary logarithm of count, also for items that coincide. The items from first to
 * first + count − 1 of the order are sorted, so that a leaf has consecutive ones.
 * @param node a node to use as the root; by default one is appended
 */
export function splitItems(tree: SplitTree, first: number, count: number, node = tree.children.length / 2): number {
  const { order, centers, leafSize, children } = tree;
  children[2 * node] = -1 - first;
  children[2 * node + 1] = count;
  if (count <= leafSize) return node;
  const axis = longestAxisOf(order, centers, first, count);
  const items = order.subarray(first, first + count);
  items.sort((a, b) => centers[3 * a + axis] - centers[3 * b + axis] || a - b);
  const half = count >> 1;
  children[2 * node] = splitItems(tree, first, half);
  children[2 * node + 1] = splitItems(tree, first + half, count - half);
  return node;
}

function longestAxisOf(order: Uint32Array, centers: Float64Array, first: number, count: number): number {
  let axis = 0;
  let longest = -1;
  for (let c = 0; c < 3; c++) {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let n = first; n < first + count; n++) {
      const value = centers[3 * order[n] + c];
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
    if (max - min > longest) {
      longest = max - min;
      axis = c;
    }
  }
  return axis;
}
