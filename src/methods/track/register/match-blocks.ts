// SPDX-License-Identifier: MIT
// The part of the normal equations of a deformation graph that comes from matches (graph-solver.ts has the energy). Matches are summed per point first, M_i = Σ u M and g_i = Σ u M (x − q). A kernel then makes the block of
// each pair of nodes, on threads. Which points a block has depends on the graph alone and is listed once.
import type { Compute, Resident } from '../../../core/kernels/compute.ts';
import { uploadFloat64, uploadUint32 } from '../../../core/kernels/compute.ts';
import type { ArgumentsOf } from '../../../core/kernels/kernel.ts';
import { GRADIENT_BIT, graphBlocksKernel } from '../../../core/kernels/sparse/graph-blocks.ts';
import { type DeformationGraph, GRAPH_INFLUENCES, type GraphPose } from '../solve/make-deformation-graph.ts';
import type { Matches } from './find-matches.ts';

const K = GRAPH_INFLUENCES;
/** Points in the lists of the blocks of a chunk: some tenths of a millisecond. */
const CHUNK = 8192;

/** Makes the blocks of one graph, many times. */
export class MatchBlocks {
  readonly #compute: Compute;
  readonly #nodeCount: number;
  readonly #rest: Resident<Float64Array>;
  readonly #sums: Resident<Float64Array>;
  readonly #rotations: Resident<Float64Array>;
  readonly #lists: Pick<ArgumentsOf<typeof graphBlocksKernel>, 'points' | 'pairs' | 'starts' | 'entries' | 'weights'>;
  readonly #chunks: Resident<Uint32Array>;
  /** blockCount x 36, row-major. Valid until the next call. */
  readonly blocks: Resident<Float64Array>;
  /** nodeCount x 6. Valid until the next call. */
  readonly gradient: Resident<Float64Array>;

  /**
   * @param compute freed by dispose() of this object
   * @param pairs blockCount x 2: nodes of the rows and of the columns of each block, first those of each node with itself
   * @param blockFor the block of the nodes j and k, j not smaller than k
   */
  constructor(
    compute: Compute,
    graph: DeformationGraph,
    pairs: Uint32Array,
    blockFor: (j: number, k: number) => number,
  ) {
    const { nodes, weights, points, nodeCount } = graph;
    const own = compute.child();
    this.#compute = own;
    this.#nodeCount = nodeCount;
    const starts = new Uint32Array(pairs.length / 2 + 1);
    visitPairs(nodes, weights, (_, a, b) => starts[blockFor(nodes[a], nodes[b]) + 1]++);
    for (let block = 1; block < starts.length; block++) starts[block] += starts[block - 1];
    const next = starts.slice();
    const entries = new Uint32Array(starts[starts.length - 1]);
    const products = new Float64Array(2 * entries.length);
    visitPairs(nodes, weights, (i, a, b) => {
      const at = next[blockFor(nodes[a], nodes[b])]++;
      entries[at] = a === b ? i | GRADIENT_BIT : i;
      products[2 * at] = weights[a];
      products[2 * at + 1] = weights[b];
    });
    this.#rest = own.float64((3 * nodes.length) / K);
    this.#sums = own.float64((9 * nodes.length) / K);
    this.#rotations = own.float64(9 * nodeCount);
    this.blocks = own.float64(18 * pairs.length);
    this.gradient = own.float64(6 * nodeCount);
    this.#lists = {
      ...{ points: uploadUint32(own, points), pairs: uploadUint32(own, pairs), starts: uploadUint32(own, starts) },
      ...{ entries: uploadUint32(own, entries), weights: uploadFloat64(own, products) },
    };
    this.#chunks = uploadUint32(own, listChunks(starts));
  }

  /** Fills the blocks and the gradient. Returns the mean energy of the matches. */
  async fill(
    rest: Float64Array,
    positions: Float64Array,
    { rotations }: GraphPose,
    matches: Matches,
    pointShare: number,
  ): Promise<number> {
    this.#rest.view().set(rest);
    this.#rotations.view().set(rotations);
    const sums = this.#sums.view();
    sums.fill(0);
    const energy = addPointSums(sums, positions, matches, pointShare);
    const arrays = { rest: this.#rest, sums: this.#sums, rotations: this.#rotations, chunks: this.#chunks };
    const args = {
      ...arrays,
      ...this.#lists,
      blocks: this.blocks,
      gradient: this.gradient,
      nodeCount: this.#nodeCount,
    };
    await this.#compute.run(graphBlocksKernel, args, this.#chunks.length - 1);
    return energy;
  }

  dispose(): void {
    this.#compute.dispose();
  }
}

/** Calls with each point and its pairs of influences, nodes of the first not smaller than those of the second. */
function visitPairs(
  nodes: Uint32Array,
  weights: Float64Array,
  visit: (point: number, a: number, b: number) => void,
): void {
  for (let i = 0; i < nodes.length / K; i++)
    for (let a = K * i; a < K * i + K; a++)
      for (let b = K * i; b < K * i + K; b++)
        if (nodes[a] >= nodes[b] && weights[a] !== 0 && weights[b] !== 0) visit(i, a, b);
}

/** First blocks of chunks with about equal numbers of points. */
function listChunks(starts: Uint32Array): Uint32Array {
  const chunks = [0];
  const count = starts.length - 1;
  for (let block = 0; block < count; block++)
    if (block + 1 === count || starts[block + 1] - starts[chunks[chunks.length - 1]] >= CHUNK) chunks.push(block + 1);
  return Uint32Array.from(chunks);
}

/** Sums matches per point: pointCount x 9, the upper triangle of M and g. Returns the mean energy. */
function addPointSums(
  sums: Float64Array,
  x: Float64Array,
  { count, corners, blends, targets, normals, weights }: Matches,
  share: number,
): number {
  let total = 0;
  for (let m = 0; m < count; m++) total += weights[m];
  if (!(total > 0)) return 0;
  let energy = 0;
  for (let m = 0, o = 0; m < count; m++, o += 3) {
    const u = weights[m] / total;
    if (!(u > 0)) continue;
    // the corner with the largest weight has the derivative of the point of a triangle
    const [b0, b1, b2] = [blends[o], blends[o + 1], blends[o + 2]];
    const [i0, i1, i2] = [3 * corners[o], 3 * corners[o + 1], 3 * corners[o + 2]];
    const to = 3 * (b0 >= b1 && b0 >= b2 ? i0 : b1 >= b2 ? i1 : i2);
    const [nx, ny, nz] = [normals[o], normals[o + 1], normals[o + 2]];
    const rx = b0 * x[i0] + b1 * x[i1] + b2 * x[i2] - targets[o];
    const ry = b0 * x[i0 + 1] + b1 * x[i1 + 1] + b2 * x[i2 + 1] - targets[o + 1];
    const rz = b0 * x[i0 + 2] + b1 * x[i1 + 2] + b2 * x[i2 + 2] - targets[o + 2];
    const plane = u * (1 - share);
    const point = u * share;
    const along = plane * (nx * rx + ny * ry + nz * rz);
    const gx = along * nx + point * rx;
    const gy = along * ny + point * ry;
    const gz = along * nz + point * rz;
    energy += gx * rx + gy * ry + gz * rz;
    sums[to] += plane * nx * nx + point;
    sums[to + 1] += plane * nx * ny;
    sums[to + 2] += plane * nx * nz;
    sums[to + 3] += plane * ny * ny + point;
    sums[to + 4] += plane * ny * nz;
    sums[to + 5] += plane * nz * nz + point;
    sums[to + 6] += gx;
    sums[to + 7] += gy;
    sums[to + 8] += gz;
  }
  return energy;
}
