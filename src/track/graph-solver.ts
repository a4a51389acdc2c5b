// SPDX-License-Identifier: MIT
// Gauss-Newton steps for a deformation graph (make-deformation-graph.ts).
//
// With nodes at g_j in the rest shape, rotations R_j and present places c_j, a point of the rest shape p moves to x = Σ_j w_j (R_j (p − g_j) + c_j). The energy is
//   E = Σ_m u_m (x_m − q_m)ᵀ M_m (x_m − q_m) / Σ_m u_m  +  λ Σ_{j,k} |g_k − g_j|² φ(b_jk) / edges  +  λ ρ Σ_{(j,k)} |g_k − g_j|² 2 φ(|R_j − R_k|² / 2) / edges
// over matches m with weights u (find-matches.ts), M = (1 − τ) n nᵀ + τ I: the distance to the plane of the target, and a share τ of the distance to the point itself. The second sum goes
// over both directions of every edge: each node predicts where its neighbours are (as rigid as possible), with the relative error b_jk = |R_j (g_k − g_j) + c_j − c_k|² / |g_k − g_j|² and the robust
// function of Geman and McClure, φ(b) = β b / (β + b), whose derivative (β / (β + b))² is the weight of an edge in a step: bends may gather at joints. The third couples rotations where a node has
// few neighbours; it is robust as well, since rotations differ at joints: |R_j − R_k|² / 2 is about the square of the angle between them.
//
// A step turns R_j by exp(ω_j) and moves c_j by d_j: dx = Σ_j w_j (ω_j × R_j (p − g_j) + d_j), so that J_j = w_j [−[r_j]ₓ, I] with r_j = R_j (p − g_j). The blocks of JᵀJ are 6 x 6, one
// per pair of nodes that share a point. Their pattern depends on the graph alone and is analyzed once.
import type { Compute } from '../kernels/compute.ts';
import { analyzeSparse } from '../solve/analyze-sparse.ts';
import type { SparseSymmetric } from '../solve/sparse-matrix.ts';
import { ThreadFactor } from '../solve/thread-factor.ts';
import type { Matches } from './find-matches.ts';
import { type DeformationGraph, GRAPH_INFLUENCES, type GraphPose } from './make-deformation-graph.ts';
import { MatchBlocks } from './match-blocks.ts';

const K = GRAPH_INFLUENCES;
/** Weight ρ of differences between the rotations of neighbours. */
const ROTATION_SHARE = 0.1;
/** Square β of the relative error of a prediction above which it counts less. A body bends at its joints, not everywhere: 0.1 of the distance between two nodes. */
const BEND = 0.01;
/** Added to the diagonal, relative to its mean: it only matters for a node that nothing determines. */
const DAMPING = 1e-6;

export interface GraphStepOptions {
  /** Weight λ of the coupling between neighbours. */
  stiffness: number;
  /** Share τ of distances to points, beside those to planes. */
  pointShare: number;
  /** edgeCount x 2 x 3: where each node of an edge has the other, before its rotation (listArms) */
  arms: Float64Array;
}

/**
 * Where each node of an edge has the other: edgeCount x 2 x 3.
 * @param rotations nodeCount x 9: turn the arms of a node
 */
export function listArms(
  { edges, points }: DeformationGraph,
  rest: Float64Array,
  rotations?: Float64Array,
): Float64Array {
  const arms = new Float64Array(3 * edges.length);
  for (let e = 0; e < edges.length; e++) {
    const [p, q] = [3 * points[edges[e]], 3 * points[edges[e ^ 1]]];
    const d = [rest[q] - rest[p], rest[q + 1] - rest[p + 1], rest[q + 2] - rest[p + 2]];
    const m = rotations?.subarray(9 * edges[e], 9 * edges[e] + 9);
    for (let a = 0; a < 3; a++) arms[3 * e + a] = m ? m[a] * d[0] + m[3 + a] * d[1] + m[6 + a] * d[2] : d[a];
  }
  return arms;
}

/** Solves for the pose of one graph, many times. */
export class GraphSolver {
  readonly #compute: Compute;
  readonly #graph: DeformationGraph;
  /** Block of each pair of nodes, by larger x nodeCount + smaller. */
  readonly #blockOf = new Map<number, number>();
  readonly #matchBlocks: MatchBlocks;
  /** blockCount x 36, row-major, rows are those of the larger node */
  readonly #blocks: Float64Array;
  readonly #gradient: Float64Array;
  readonly #matrix: SparseSymmetric;
  /** Place in #blocks of each entry of the matrix. */
  readonly #sources: Uint32Array;
  #factor?: ThreadFactor;

  /** @param compute freed by dispose() of this object */
  constructor(compute: Compute, graph: DeformationGraph) {
    this.#compute = compute.child();
    this.#graph = graph;
    const { nodeCount, nodes, weights, edges } = graph;
    const blockFor = (j: number, k: number): number => {
      const key = Math.max(j, k) * nodeCount + Math.min(j, k);
      const block = this.#blockOf.get(key) ?? this.#blockOf.size;
      this.#blockOf.set(key, block);
      return block;
    };
    for (let j = 0; j < nodeCount; j++) blockFor(j, j);
    for (let e = 0; e < edges.length; e += 2) blockFor(edges[e], edges[e + 1]);
    for (let a = 0; a < nodes.length; a++)
      for (let b = a - (a % K); b < a; b++) if (weights[a] !== 0 && weights[b] !== 0) blockFor(nodes[a], nodes[b]);
    const pairs = Uint32Array.from(
      [...this.#blockOf.keys()].flatMap((key) => [Math.floor(key / nodeCount), key % nodeCount]),
    );
    this.#matchBlocks = new MatchBlocks(this.#compute, graph, pairs, blockFor);
    this.#blocks = new Float64Array(36 * this.#blockOf.size);
    this.#gradient = new Float64Array(6 * nodeCount);
    const { matrix, sources } = makePattern(this.#blockOf, nodeCount);
    this.#matrix = matrix;
    this.#sources = sources;
  }

  /**
   * Improves a pose in place by one step. Returns the mean energy of the matches before it.
   * @param rest pointCount x 3
   * @param positions pointCount x 3: the rest shape in this pose
   */
  async step(
    rest: Float64Array,
    positions: Float64Array,
    pose: GraphPose,
    matches: Matches,
    options: GraphStepOptions,
  ): Promise<number> {
    const energy = await this.#matchBlocks.fill(rest, positions, pose, matches, options.pointShare);
    this.#blocks.set(this.#matchBlocks.blocks.view());
    this.#gradient.set(this.#matchBlocks.gradient.view());
    this.#addEdges(options.arms, pose, options.stiffness);
    const { values } = this.#matrix;
    for (let e = 0; e < values.length; e++) values[e] = this.#blocks[this.#sources[e]];
    this.#damp();
    this.#factor ??= new ThreadFactor(this.#compute, analyzeSparse(this.#matrix), { singular: 'hold' });
    await this.#factor.factor(this.#matrix);
    const delta = new Float64Array(this.#gradient.length);
    this.#factor.solveInto(this.#gradient, delta);
    applyStep(pose, delta);
    return energy;
  }

  dispose(): void {
    this.#compute.dispose();
  }

  #addEdges(arms: Float64Array, { rotations, centers }: GraphPose, stiffness: number): void {
    const { edges } = this.#graph;
    const scale = (2 * stiffness) / Math.max(1, edges.length);
    for (let e = 0; e < edges.length; e += 2)
      for (let side = 0; side < 2; side++) {
        const [j, k] = [edges[e + side], edges[e + 1 - side]];
        const [dx, dy, dz] = arms.subarray(3 * (e + side), 3 * (e + side) + 3);
        const o = 9 * j;
        const ax = rotations[o] * dx + rotations[o + 3] * dy + rotations[o + 6] * dz;
        const ay = rotations[o + 1] * dx + rotations[o + 4] * dy + rotations[o + 7] * dz;
        const az = rotations[o + 2] * dx + rotations[o + 5] * dy + rotations[o + 8] * dz;
        const rx = ax + centers[3 * j] - centers[3 * k];
        const ry = ay + centers[3 * j + 1] - centers[3 * k + 1];
        const rz = az + centers[3 * j + 2] - centers[3 * k + 2];
        const square = dx * dx + dy * dy + dz * dz;
        const bend = (rx * rx + ry * ry + rz * rz) / (square || 1);
        const robust = (BEND / (BEND + bend)) ** 2;
        this.#addPrediction(j, k, scale * robust, [ax, ay, az], [rx, ry, rz]);
        if (side === 0) this.#addRotations(j, k, scale * ROTATION_SHARE * square, rotations);
      }
  }

  /** Residual r + ω_j × a + d_j − d_k. */
  #addPrediction(j: number, k: number, s: number, [ax, ay, az]: number[], [rx, ry, rz]: number[]): void {
    const [blocks, gradient] = [this.#blocks, this.#gradient];
    const own = 36 * this.#blockOf.get(j * this.#graph.nodeCount + j)!;
    // ωᵀ (a² I − a aᵀ) ω
    const square = ax * ax + ay * ay + az * az;
    const a = [ax, ay, az];
    for (let p = 0; p < 3; p++)
      for (let q = 0; q < 3; q++) blocks[own + 6 * p + q] += s * ((p === q ? square : 0) - a[p] * a[q]);
    // [ω, d]: (ω × a) · d = ω · (a × d), so the block is [a]ₓ
    const skew = [0, -az, ay, az, 0, -ax, -ay, ax, 0];
    const other = 36 * this.#blockOf.get(k * this.#graph.nodeCount + k)!;
    const pair = 36 * this.#blockOf.get(Math.max(j, k) * this.#graph.nodeCount + Math.min(j, k))!;
    for (let p = 0; p < 3; p++) {
      for (let q = 0; q < 3; q++) {
        const value = s * skew[3 * p + q];
        blocks[own + 6 * p + 3 + q] += value;
        blocks[own + 6 * (3 + q) + p] += value;
        // ω_j with −d_k
        if (j > k) blocks[pair + 6 * p + 3 + q] -= value;
        else blocks[pair + 6 * (3 + q) + p] -= value;
      }
      blocks[own + 6 * (3 + p) + 3 + p] += s;
      blocks[other + 6 * (3 + p) + 3 + p] += s;
      blocks[pair + 6 * (3 + p) + 3 + p] -= s;
    }
    gradient[6 * j] -= s * (ay * rz - az * ry);
    gradient[6 * j + 1] -= s * (az * rx - ax * rz);
    gradient[6 * j + 2] -= s * (ax * ry - ay * rx);
    const r = [rx, ry, rz];
    for (let p = 0; p < 3; p++) {
      gradient[6 * j + 3 + p] -= s * r[p];
      gradient[6 * k + 3 + p] += s * r[p];
    }
  }

  /** Residuals (R_j − R_k) e + ω_j × R_j e − ω_k × R_k e, for the three axes e. */
  #addRotations(j: number, k: number, weight: number, rotations: Float64Array): void {
    const [blocks, gradient] = [this.#blocks, this.#gradient];
    const own = 36 * this.#blockOf.get(j * this.#graph.nodeCount + j)!;
    const other = 36 * this.#blockOf.get(k * this.#graph.nodeCount + k)!;
    const pair = 36 * this.#blockOf.get(Math.max(j, k) * this.#graph.nodeCount + Math.min(j, k))!;
    let difference = 0;
    for (let n = 0; n < 9; n++) difference += (rotations[9 * j + n] - rotations[9 * k + n]) ** 2;
    const s = weight * (BEND / (BEND + difference / 2)) ** 2;
    for (let e = 0; e < 3; e++) {
      const a = rotations.subarray(9 * j + 3 * e, 9 * j + 3 * e + 3);
      const b = rotations.subarray(9 * k + 3 * e, 9 * k + 3 * e + 3);
      const ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      for (let p = 0; p < 3; p++)
        for (let q = 0; q < 3; q++) {
          const one = p === q ? 1 : 0;
          blocks[own + 6 * p + q] += s * (one - a[p] * a[q]);
          blocks[other + 6 * p + q] += s * (one - b[p] * b[q]);
          // −(ω_j × a) · (ω_k × b) = −(ω_j · ω_k)(a · b) + (ω_j · b)(a · ω_k); rows are those of the larger node
          const cross = j > k ? b[p] * a[q] : a[p] * b[q];
          blocks[pair + 6 * p + q] -= s * (one * ab - cross);
        }
      // the residual is a − b: a × (a − b) = −a × b for ω_j, −b × (a − b) = −b × a for ω_k
      const c = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
      for (let p = 0; p < 3; p++) {
        gradient[6 * j + p] += s * c[p];
        gradient[6 * k + p] -= s * c[p];
      }
    }
  }

  #damp(): void {
    const { size, columnStart, values } = this.#matrix;
    const sums = [0, 0];
    for (let c = 0; c < size; c++) sums[c % 6 < 3 ? 0 : 1] += values[columnStart[c]];
    for (let c = 0; c < size; c++) values[columnStart[c]] += (DAMPING * 2 * sums[c % 6 < 3 ? 0 : 1]) / size;
  }
}

/** The lower triangle over all blocks. */
function makePattern(blockOf: ReadonlyMap<number, number>, nodeCount: number) {
  const columns: { row: number; block: number }[][] = Array.from({ length: nodeCount }, () => []);
  for (const [key, block] of blockOf) columns[key % nodeCount].push({ row: Math.floor(key / nodeCount), block });
  const size = 6 * nodeCount;
  const columnStart = new Uint32Array(size + 1);
  const rowIndices: number[] = [];
  const sources: number[] = [];
  for (let k = 0; k < nodeCount; k++) {
    columns[k].sort((a, b) => a.row - b.row);
    for (let c = 0; c < 6; c++) {
      for (const { row, block } of columns[k])
        for (let r = row === k ? c : 0; r < 6; r++) {
          rowIndices.push(6 * row + r);
          sources.push(36 * block + 6 * r + c);
        }
      columnStart[6 * k + c + 1] = rowIndices.length;
    }
  }
  const matrix: SparseSymmetric = {
    size,
    columnStart,
    rowIndices: Uint32Array.from(rowIndices),
    values: new Float64Array(rowIndices.length),
  };
  return { matrix, sources: Uint32Array.from(sources) };
}

/** Turns every rotation by exp(ω) and moves every center. */
function applyStep({ rotations, centers }: GraphPose, delta: Float64Array): void {
  const turned = new Float64Array(9);
  for (let j = 0; j < centers.length / 3; j++) {
    const [x, y, z] = [delta[6 * j], delta[6 * j + 1], delta[6 * j + 2]];
    for (let a = 0; a < 3; a++) centers[3 * j + a] += delta[6 * j + 3 + a];
    const angle = Math.sqrt(x * x + y * y + z * z);
    if (!(angle > 0)) continue;
    // the unit quaternion (1, ω/2), normalized: the same turn to second order, and a rotation for any length
    const length = Math.sqrt(1 + (angle * angle) / 4);
    const [w, u, v, t] = [1 / length, x / 2 / length, y / 2 / length, z / 2 / length];
    const m = [
      1 - 2 * (v * v + t * t),
      2 * (u * v + w * t),
      2 * (u * t - w * v),
      2 * (u * v - w * t),
      1 - 2 * (u * u + t * t),
      2 * (v * t + w * u),
      2 * (u * t + w * v),
      2 * (v * t - w * u),
      1 - 2 * (u * u + v * v),
    ];
    for (let c = 0; c < 3; c++)
      for (let r = 0; r < 3; r++)
        turned[3 * c + r] =
          m[r] * rotations[9 * j + 3 * c] +
          m[3 + r] * rotations[9 * j + 3 * c + 1] +
          m[6 + r] * rotations[9 * j + 3 * c + 2];
    rotations.set(turned, 9 * j);
  }
}
