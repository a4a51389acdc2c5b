// SPDX-License-Identifier: MIT

/**
 * Splits items at the median of their centers along the longest axis of their box, until each leaf has at most leafSize. Appends the nodes to children,
 * parents first, and returns the index of the root. The depth is at most the binary logarithm of count, also for items that coincide.
 * @param order item indices; first … first + count − 1 are sorted in place, so that a leaf has consecutive ones
 * @param centers itemCount x 3
 * @param children nodeCount x 2, laid out as in CollisionTree
 * @param node a node to use as the root; by default one is appended
 */
export function splitItems(
  order: Uint32Array,
  centers: Float64Array,
  first: number,
  count: number,
  leafSize: number,
  children: number[],
  node = children.length / 2,
): number {
  children[2 * node] = -1 - first;
  children[2 * node + 1] = count;
  if (count <= leafSize) return node;
  const axis = longestAxisOf(order, centers, first, count);
  const items = order.subarray(first, first + count);
  items.sort((a, b) => centers[3 * a + axis] - centers[3 * b + axis] || a - b);
  const half = count >> 1;
  children[2 * node] = splitItems(order, centers, first, half, leafSize, children);
  children[2 * node + 1] = splitItems(order, centers, first + half, count - half, leafSize, children);
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
