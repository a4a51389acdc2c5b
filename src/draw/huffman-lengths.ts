// SPDX-License-Identifier: MIT
// Package-merge: Larmore and Hirschberg, "A fast algorithm for optimal length-limited Huffman codes", J. ACM 37(3), 1990.

interface Package {
  count: number;
  /** A symbol, or -1 for a pair. */
  symbol: number;
  left?: Package;
  right?: Package;
}

/**
 * Code lengths, one per symbol, of the shortest prefix code with no code longer than limit bits. Symbols that do not occur get 0; a lone
 * symbol gets 1. There must be at most 2^limit symbols that occur.
 */
export function huffmanLengths(counts: ArrayLike<number>, limit: number): Uint8Array {
  const lengths = new Uint8Array(counts.length);
  const leaves: Package[] = [];
  for (let symbol = 0; symbol < counts.length; symbol++) {
    if (counts[symbol] > 0) leaves.push({ count: counts[symbol], symbol });
  }
  if (leaves.length === 1) lengths[leaves[0].symbol] = 1;
  if (leaves.length < 2) return lengths;
  leaves.sort((a, b) => a.count - b.count || a.symbol - b.symbol);
  let level = leaves;
  for (let bit = 1; bit < limit; bit++) {
    const pairs: Package[] = [];
    for (let n = 0; n + 1 < level.length; n += 2) {
      const left = level[n];
      const right = level[n + 1];
      pairs.push({ count: left.count + right.count, symbol: -1, left, right });
    }
    level = merge(leaves, pairs);
  }
  // Each time a symbol is bought, in a pair or alone, its code grows by a bit.
  const stack = level.slice(0, 2 * leaves.length - 2);
  for (let item = stack.pop(); item; item = stack.pop()) {
    if (item.symbol >= 0) lengths[item.symbol]++;
    else if (item.left && item.right) stack.push(item.left, item.right);
  }
  return lengths;
}

/** Two lists of rising counts into one; leaves first among equals. */
function merge(leaves: Package[], pairs: Package[]): Package[] {
  const out: Package[] = [];
  let n = 0;
  for (const pair of pairs) {
    while (n < leaves.length && leaves[n].count <= pair.count) out.push(leaves[n++]);
    out.push(pair);
  }
  while (n < leaves.length) out.push(leaves[n++]);
  return out;
}
