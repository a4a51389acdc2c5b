// SPDX-License-Identifier: MIT
// What a node stores so that its sphere can be bounded in any pose. After James and Pai 2004, with one change: their centers and radii are linear in the
// coordinates of one displacement field; here the coordinates are the matrices of bones and the coefficients of corrections.
//
// A vertex is at v = Σⱼ wⱼ Mⱼ x with x = u + Σᵣ qᵣ Uᵣ, Mⱼ = (Lⱼ, tⱼ) affine, and weights that are not negative with a sum of one. A node has a rest
// center p with displacements Ūᵣ, and weights ωⱼ with a sum of one. With p' = p + Σᵣ qᵣ Ūᵣ its posed center is c = Σⱼ ωⱼ Mⱼ p', and for any point z
//
//   v − c  =  Σⱼ wⱼ Lⱼ (x − p')  +  Σⱼ (wⱼ − ωⱼ) (Mⱼ p' − z)
//   |v − c|  ≤  λ (ρ₀ + Σᵣ |qᵣ| ρᵣ)  +  Σⱼ ρⱼ |Mⱼ p' − z|
//
// where ρ₀ = max |u − p|, ρᵣ = max |Uᵣ − Ūᵣ| and ρⱼ = max |wⱼ − ωⱼ| over the vertices of the node. z is M_b p' for the strongest bone b, which drops a term. λ bounds the
// norm of the blend: maxⱼ ‖Lⱼ‖, or ‖L_b‖ + Σⱼ (ωⱼ + ρⱼ) max(0, ‖Lⱼ‖ − ‖L_b‖) if that is less, so that a stretched bone counts by its weight. The bound is
// exact for vertices that follow one rigid bone. Bones that are adjacent at a joint move points near it alike, so the last sum is small there.

import { smallestEnclosingBall } from '../../core/mesh/geometry/enclosing-ball.ts';
import { type CollisionModel, type CollisionTree, correctionRankOf } from './collision-tree.ts';

type Nodes = Pick<CollisionTree, 'topCount' | 'boundEnd' | 'children' | 'triangles'>;
type Bounds = Omit<CollisionTree, keyof Nodes | 'kind' | 'model' | 'triangleBones' | 'points' | 'clusterRoots'>;

/** Radii and spreads are stored in single precision and must not become smaller: more than the rounding of 2^-24. */
const ROUND_UP = 1 + 2 ** -22;

/** Computes the bounds of all nodes that belong to regions. */
export function boundNodes(model: CollisionModel, nodes: Nodes): Bounds {
  const { topCount, boundEnd } = nodes;
  const rank = correctionRankOf(model);
  const boundCount = boundEnd - topCount;
  const vertices = new VertexLister(model, nodes);
  const weights = new WeightRanges(model);
  const centers = new Float32Array(3 * boundCount);
  const radii = new Float32Array(boundCount);
  const modes = new Float32Array(3 * boundCount * rank);
  const modeSpreads = new Float32Array(boundCount * rank);
  const influenceStart = new Uint32Array(boundCount + 1);
  for (let n = 0; n < boundCount; n++) {
    const list = vertices.list(topCount + n);
    boundPositions(model.mesh.positions, list, n, centers, radii);
    if (model.kind === 'corrected-skin') {
      for (let r = 0; r < rank; r++) {
        const basis = model.correction.basis.subarray(r * model.mesh.positions.length);
        boundMode(basis, list, n * rank + r, modes, modeSpreads);
      }
    }
    influenceStart[n + 1] = weights.add(list);
  }
  return {
    ...{ centers, radii, modes, modeSpreads, influenceStart },
    ...weights.finish(),
    ...{ reach: reachOf(model.mesh.positions), modeReaches: listModeReaches(model, rank) },
    weightError: weightErrorOf(model),
  };
}

/** Lists the vertices of nodes, each once. */
class VertexLister {
  readonly #corners: Uint32Array;
  readonly #nodes: Nodes;
  readonly #stamps: Int32Array;
  #list: Uint32Array;

  constructor({ mesh }: CollisionModel, nodes: Nodes) {
    this.#corners = mesh.triangles;
    this.#nodes = nodes;
    this.#stamps = new Int32Array(mesh.positions.length / 3).fill(-1);
    this.#list = new Uint32Array(mesh.positions.length / 3);
  }

  /** The vertices of a node: a view that the next call overwrites. */
  list(node: number): Uint32Array {
    const [first, end] = this.#rangeOf(node);
    let count = 0;
    for (let n = first; n < end; n++) {
      const t = this.#nodes.triangles[n];
      for (let c = 3 * t; c < 3 * t + 3; c++) {
        const i = this.#corners[c];
        if (this.#stamps[i] === node) continue;
        this.#stamps[i] = node;
        this.#list[count++] = i;
      }
    }
    return this.#list.subarray(0, count);
  }

  /** Triangles of a node are consecutive: those of its first leaf up to those of its last. */
  #rangeOf(node: number): [number, number] {
    const { children } = this.#nodes;
    let first = node;
    while (children[2 * first] >= 0) first = children[2 * first];
    let last = node;
    while (children[2 * last] >= 0) last = children[2 * last + 1];
    return [-1 - children[2 * first], -1 - children[2 * last] + children[2 * last + 1]];
  }
}

function boundPositions(
  positions: Float32Array,
  list: Uint32Array,
  n: number,
  centers: Float32Array,
  radii: Float32Array,
) {
  const points = new Float64Array(3 * list.length);
  for (let k = 0; k < list.length; k++) for (let c = 0; c < 3; c++) points[3 * k + c] = positions[3 * list[k] + c];
  centers.set(smallestEnclosingBall(points).center, 3 * n);
  radii[n] = ROUND_UP * farthestFrom(positions, list, centers, 3 * n);
}

function boundMode(
  basis: Float32Array,
  list: Uint32Array,
  n: number,
  modes: Float32Array,
  spreads: Float32Array,
): void {
  for (let c = 0; c < 3; c++) {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (const i of list) {
      min = Math.min(min, basis[3 * i + c]);
      max = Math.max(max, basis[3 * i + c]);
    }
    modes[3 * n + c] = (min + max) / 2;
  }
  spreads[n] = ROUND_UP * farthestFrom(basis, list, modes, 3 * n);
}

/** Maximum distance of the listed vectors from the rounded center at offset o. */
function farthestFrom(vectors: Float32Array, list: Uint32Array, centers: Float32Array, o: number): number {
  let square = 0;
  for (const i of list) {
    const x = vectors[3 * i] - centers[o];
    const y = vectors[3 * i + 1] - centers[o + 1];
    const z = vectors[3 * i + 2] - centers[o + 2];
    square = Math.max(square, x * x + y * y + z * z);
  }
  return Math.sqrt(square);
}

/** Collects the range of the weight of each bone over the vertices of nodes. */
class WeightRanges {
  readonly #skin: CollisionModel['skin'];
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;
  readonly #bones: number[] = [];
  readonly #weights: number[] = [];
  readonly #spreads: number[] = [];

  constructor({ skin, skeleton }: CollisionModel) {
    const boneCount = skeleton.names.length;
    this.#skin = skin;
    this.#min = new Float64Array(boneCount);
    this.#max = new Float64Array(boneCount);
    this.#sums = new Float64Array(boneCount);
    this.#counts = new Uint32Array(boneCount);
  }

  /** Appends the influences of a node with these vertices and returns the number of all so far. */
  add(list: Uint32Array): number {
    const bones = this.#measure(list);
    // the middle of the range has the smallest spread; scaled to a sum of one
    let sum = 0;
    for (const j of bones) sum += (this.#min[j] + this.#max[j]) / 2;
    const rows = bones.map((j) => {
      const weight = Math.fround((this.#min[j] + this.#max[j]) / 2 / sum);
      return { j, weight, spread: Math.max(this.#max[j] - weight, weight - this.#min[j], 0) };
    });
    rows.sort((a, b) => b.weight - a.weight || a.j - b.j);
    for (const { j, weight, spread } of rows) {
      this.#bones.push(j);
      this.#weights.push(weight);
      this.#spreads.push(ROUND_UP * spread);
      this.#counts[j] = 0;
    }
    return this.#bones.length;
  }

  finish(): Pick<Bounds, 'influenceBones' | 'influenceWeights' | 'influenceSpreads'> {
    return {
      influenceBones: Uint32Array.from(this.#bones),
      influenceWeights: Float32Array.from(this.#weights),
      influenceSpreads: Float32Array.from(this.#spreads),
    };
  }

  /** Fills minimum and maximum of the bones of a list of vertices and returns these bones. */
  #measure(list: Uint32Array): number[] {
    const { rowStart, boneIndices, weights } = this.#skin;
    const bones: number[] = [];
    for (const i of list) {
      // a row may name a bone twice
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) this.#sums[boneIndices[e]] += weights[e];
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const j = boneIndices[e];
        const w = this.#sums[j];
        if (w === 0) continue;
        this.#sums[j] = 0;
        if (this.#counts[j]++ === 0) {
          bones.push(j);
          this.#min[j] = this.#max[j] = w;
        } else {
          this.#min[j] = Math.min(this.#min[j], w);
          this.#max[j] = Math.max(this.#max[j], w);
        }
      }
    }
    // vertices without a row for the bone have the weight zero
    for (const j of bones) if (this.#counts[j] < list.length) this.#min[j] = 0;
    return bones;
  }
}

function reachOf(vectors: Float32Array): number {
  let square = 0;
  for (let c = 0; c < vectors.length; c += 3) {
    square = Math.max(square, vectors[c] ** 2 + vectors[c + 1] ** 2 + vectors[c + 2] ** 2);
  }
  return Math.sqrt(square);
}

function listModeReaches(model: CollisionModel, rank: number): Float64Array {
  if (model.kind !== 'corrected-skin') return new Float64Array(0);
  const stride = model.mesh.positions.length;
  return Float64Array.from({ length: rank }, (_, r) =>
    reachOf(model.correction.basis.subarray(r * stride, (r + 1) * stride)),
  );
}

function weightErrorOf({ skin: { rowStart, weights } }: CollisionModel): number {
  let error = 0;
  for (let i = 0; i + 1 < rowStart.length; i++) {
    let sum = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) sum += weights[e];
    error = Math.max(error, Math.abs(sum - 1));
  }
  return error;
}
