// SPDX-License-Identifier: MIT
// Gauss-Newton steps for a deformation graph (make-deformation-graph.ts).
//
// With nodes at g_j in the rest shape, rotations R_j and present places c_j, a point of the rest shape p moves to x = Σ_j w_j (R_j (p − g_j) + c_j). The energy is
//   E = Σ_m u_m (x_m − q_m)ᵀ M_m (x_m − q_m) / Σ_m u_m  +  2 λ Σ_{(j,k)} |g_k − g_j|² φ(b_jk) / edges  +  2 λ ρ Σ_{(j,k)} |g_k − g_j|² φ(|R_j − R_k|² / 2) / edges
// over matches m with weights u (find-matches.ts), M = (1 − τ) n nᵀ + τ I: the distance to the plane of the target, and a share τ of the distance to the point itself. The second sum goes over edges: two neighbours move
// their joint a (place-joints.ts) to the same place, with the relative gap b_jk = |R_j (a − g_j) + c_j − R_k (a − g_k) − c_k|² / |g_k − g_j|² and the robust function of Geman and McClure, φ(b) = β b / (β + b), whose derivative
// (β / (β + b))² is the weight of an edge in a step. The third couples rotations; it is robust as well, since rotations differ at joints: |R_j − R_k|² / 2 is about the square of the angle between them.
//
// As-rigid-as-possible coupling lets each node predict where its neighbours are on the surface. It resists bending, since the surface of a limb that bends stretches, and what it cannot bend it slides. Joints inside of the body
// keep the length of its center line instead: 98 % instead of 91 % of the vertices of a winding snake are within 1 %.
//
// A step turns R_j by exp(ω_j) and moves c_j by d_j: dx = Σ_j w_j (ω_j × R_j (p − g_j) + d_j), so that J_j = w_j [−[r_j]ₓ, I] with r_j = R_j (p − g_j). The blocks of JᵀJ are 6 x 6, one
// per pair of nodes that share a point. Their pattern depends on the graph alone and is analyzed once.

import { analyzeSparse } from '../../../core/algebra/analyze-sparse.ts';
import type { SparseSymmetric } from '../../../core/algebra/sparse-matrix.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import type { Matches } from '../register/find-matches.ts';
import { MatchBlocks } from '../register/match-blocks.ts';
import { type DeformationGraph, GRAPH_INFLUENCES, type GraphPose } from './make-deformation-graph.ts';
import { ThreadFactor } from './thread-factor.ts';

const K = GRAPH_INFLUENCES;
/** Weight ρ of differences between the rotations of neighbours. */
const ROTATION_SHARE = 0.1;
/** Square β of the relative gap of a joint, and of the angle between two rotations, above which they count less: 0.1 of the distance between two nodes, and 6 degrees. A body bends at its joints, not everywhere. */
const BEND = 0.01;
/** Added to the diagonal, relative to its mean: it only matters for a node that nothing determines. */
const DAMPING = 1e-6;

export interface GraphStepOptions {
  /** Weight λ of the coupling between neighbours. */
  stiffness: number;
  /** Share τ of distances to points, beside those to planes. */
  pointShare: number;
  /** The joints between neighbours (listJointArms). */
  joints: JointArms;
}

/** Where the nodes of each edge have their joint. */
export interface JointArms {
  /** edgeCount x 2 x 3: from each node of an edge to the joint, before the rotation of the node */
  arms: Float64Array;
  /** edgeCount: square of the distance between the nodes */
  squares: Float64Array;
}

/**
 * Lists where the nodes of each edge have their joint.
 * @param shape pointCount x 3: the shape that the nodes move
 * @param joints edgeCount x 3: in this shape
 */
export function listJointArms(
  { edges, points }: DeformationGraph,
  shape: Float64Array,
  joints: Float64Array,
): JointArms {
  const arms = new Float64Array(3 * edges.length);
  const squares = new Float64Array(edges.length / 2);
  for (let e = 0; e < edges.length; e += 2) {
    const [p, q] = [3 * points[edges[e]], 3 * points[edges[e + 1]]];
    for (let a = 0; a < 3; a++) {
      const joint = joints[(3 * e) / 2 + a];
      arms[3 * e + a] = joint - shape[p + a];
      arms[3 * (e + 1) + a] = joint - shape[q + a];
      squares[e / 2] += (shape[p + a] - shape[q + a]) ** 2;
    }
  }
  return { arms, squares };
}

/** Moves joints with a pose: each to the mean of the places where its two nodes move it. */
export function moveJoints(
  { edges, points }: DeformationGraph,
  rest: Float64Array,
  joints: Float64Array,
  { rotations, centers }: GraphPose,
): Float64Array {
  const moved = new Float64Array(joints.length);
  const arm = new Float64Array(3);
  const turned = new Float64Array(3);
  for (let e = 0; e < edges.length; e++) {
    const [j, o] = [edges[e], 3 * Math.floor(e / 2)];
    for (let a = 0; a < 3; a++) arm[a] = joints[o + a] - rest[3 * points[j] + a];
    turnInto(rotations, 9 * j, arm, 0, turned);
    for (let a = 0; a < 3; a++) moved[o + a] += (turned[a] + centers[3 * j + a]) / 2;
  }
  return moved;
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
    this.#addEdges(options.joints, pose, options.stiffness);
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

  #addEdges({ arms, squares }: JointArms, { rotations, centers }: GraphPose, stiffness: number): void {
    const { edges } = this.#graph;
    const scale = (2 * stiffness) / Math.max(1, edges.length);
    const [a, b, r] = [new Float64Array(3), new Float64Array(3), new Float64Array(3)];
    for (let e = 0; e < edges.length; e += 2) {
      const [j, k] = [edges[e], edges[e + 1]];
      turnInto(rotations, 9 * j, arms, 3 * e, a);
      turnInto(rotations, 9 * k, arms, 3 * e + 3, b);
      for (let c = 0; c < 3; c++) r[c] = a[c] + centers[3 * j + c] - b[c] - centers[3 * k + c];
      const square = squares[e / 2];
      const gap = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) / (square || 1);
      this.#addJoint(j, k, 2 * scale * (BEND / (BEND + gap)) ** 2, { a, b, r });
      this.#addRotations(j, k, scale * ROTATION_SHARE * square, rotations);
    }
  }

  /** Residual r + ω_j × a + d_j − ω_k × b − d_k. */
  #addJoint(j: number, k: number, s: number, { a, b, r }: Record<'a' | 'b' | 'r', Float64Array>): void {
    const [blocks, gradient] = [this.#blocks, this.#gradient];
    this.#addOwn(j, s, a);
    this.#addOwn(k, s, b);
    const pair = 36 * this.#blockOf.get(Math.max(j, k) * this.#graph.nodeCount + Math.min(j, k))!;
    const ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (let p = 0; p < 3; p++) {
      for (let q = 0; q < 3; q++) {
        // (ω_j × a) · (ω_k × b) = ω_jᵀ ((a · b) I − b aᵀ) ω_k,  (ω_j × a) · d_k = ω_jᵀ [a]ₓ d_k; rows are those of the larger node
        const turns = s * ((p === q ? ab : 0) - b[p] * a[q]);
        const [own, other] = [s * skewAt(a, p, q), s * skewAt(b, p, q)];
        blocks[pair + (j > k ? 6 * p + q : 6 * q + p)] -= turns;
        blocks[pair + 6 * p + 3 + q] -= j > k ? own : other;
        blocks[pair + 6 * (3 + q) + p] -= j > k ? other : own;
      }
      blocks[pair + 6 * (3 + p) + 3 + p] -= s;
      const [q, t] = [(p + 1) % 3, (p + 2) % 3];
      gradient[6 * j + p] -= s * (a[q] * r[t] - a[t] * r[q]);
      gradient[6 * k + p] += s * (b[q] * r[t] - b[t] * r[q]);
      gradient[6 * j + 3 + p] -= s * r[p];
      gradient[6 * k + 3 + p] += s * r[p];
    }
  }

  /** The square of ω × a + d. */
  #addOwn(j: number, s: number, a: Float64Array): void {
    const blocks = this.#blocks;
    const own = 36 * this.#blockOf.get(j * this.#graph.nodeCount + j)!;
    const square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    for (let p = 0; p < 3; p++) {
      for (let q = 0; q < 3; q++) {
        blocks[own + 6 * p + q] += s * ((p === q ? square : 0) - a[p] * a[q]);
        const value = s * skewAt(a, p, q);
        blocks[own + 6 * p + 3 + q] += value;
        blocks[own + 6 * (3 + q) + p] += value;
      }
      blocks[own + 6 * (3 + p) + 3 + p] += s;
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

/** Turns a vector by a column-major rotation. */
function turnInto(m: Float64Array, o: number, v: Float64Array, at: number, out: Float64Array): void {
  for (let r = 0; r < 3; r++) out[r] = m[o + r] * v[at] + m[o + 3 + r] * v[at + 1] + m[o + 6 + r] * v[at + 2];
}

/** An entry of [a]ₓ, the matrix of a cross product. */
function skewAt(a: Float64Array, p: number, q: number): number {
  if (p === q) return 0;
  return (q + 1) % 3 === p ? a[3 - p - q] : -a[3 - p - q];
}
