// SPDX-License-Identifier: MIT
// One-to-one matching of two sets of points: as many pairs as possible within a distance, and of those matchings the one with the smallest sum of distances. Successive shortest augmenting
// paths (Bellman-Ford on the residual graph, as matched edges have negative costs): after n paths the matching is the cheapest of all with n pairs, so the last one is the cheapest of the largest.

/** A cost below which a path is not shorter: rounding. */
const ROUNDING = 1e-12;

interface Edge {
  from: number;
  to: number;
  cost: number;
}

/**
 * By point of a: the point of b that it is matched with, or -1.
 * @param a count x 3
 * @param b count x 3
 * @param reach maximum distance of a pair, by point of a
 */
export function matchPoints(a: ArrayLike<number>, b: ArrayLike<number>, reach: number | ArrayLike<number>): Int32Array {
  const matches = new Int32Array(a.length / 3).fill(-1);
  const owners = new Int32Array(b.length / 3).fill(-1);
  const edges = listEdges(a, b, reach);
  for (let path = findPath(edges, matches, owners); path.length > 0; path = findPath(edges, matches, owners)) {
    // from the free point of b back to the free point of a
    for (const { from, to } of path) {
      matches[from] = to;
      owners[to] = from;
    }
  }
  return matches;
}

function listEdges(a: ArrayLike<number>, b: ArrayLike<number>, reach: number | ArrayLike<number>): Edge[] {
  const edges: Edge[] = [];
  for (let n = 0; 3 * n < a.length; n++) {
    const limit = typeof reach === 'number' ? reach : reach[n];
    for (let m = 0; 3 * m < b.length; m++) {
      const cost = Math.hypot(a[3 * n] - b[3 * m], a[3 * n + 1] - b[3 * m + 1], a[3 * n + 2] - b[3 * m + 2]);
      if (cost <= limit) edges.push({ from: n, to: m, cost });
    }
  }
  return edges;
}

/** The edges that a cheapest augmenting path adds, the last one first; none if there is no path. */
function findPath(edges: readonly Edge[], matches: Int32Array, owners: Int32Array): Edge[] {
  /** Cost of the cheapest path to each point of a and of b, and the edge that it ends with. */
  const toA = Float64Array.from(matches, (match) => (match < 0 ? 0 : Number.POSITIVE_INFINITY));
  const toB = new Float64Array(owners.length).fill(Number.POSITIVE_INFINITY);
  const lastOf: (Edge | undefined)[] = new Array(owners.length);
  const costs = new Map(edges.filter(({ from, to }) => matches[from] === to).map(({ from, cost }) => [from, cost]));
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const edge of edges) {
      const { from, to, cost } = edge;
      if (matches[from] === to || !(toA[from] + cost < toB[to] - ROUNDING)) continue;
      toB[to] = toA[from] + cost;
      lastOf[to] = edge;
      isChanged = true;
      // its present partner becomes free
      const owner = owners[to];
      if (owner >= 0) toA[owner] = toB[to] - (costs.get(owner) ?? 0);
    }
  }
  let end = -1;
  owners.forEach((owner, m) => {
    if (owner < 0 && toB[m] < (end < 0 ? Number.POSITIVE_INFINITY : toB[end])) end = m;
  });
  const path: Edge[] = [];
  for (let m = end; m >= 0; ) {
    const edge = lastOf[m];
    if (!edge) break;
    path.push(edge);
    m = matches[edge.from];
  }
  return path;
}
