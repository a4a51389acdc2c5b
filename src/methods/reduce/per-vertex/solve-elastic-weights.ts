// SPDX-License-Identifier: MIT
// L. Kavan and O. Sorkine, "Elasticity-inspired deformers for character articulation", ACM Transactions on Graphics 31 (6), 2012,
// doi:10.1145/2366145.2366215: weights of swings and of twists for deformers/rig-sources/swing-twist.ts, joint by joint.
//
// c(v) is how far a vertex follows the joint: 0 from the middle of the parent's bone backwards, 1 from the middle of the joint's own bone on, free between.
// Swings: for sample rotations S about the joint h, across the bone, the posed surface v + c(v) (S − I)(v − h) should have the least elastic energy
//   Σ_samples Σ_edges w |(y_a − y_b) − R (v_a − v_b)|²,
// minimized over c by alternating the rotations R and one linear system in c. The paper measures elasticity in the volume; this is the as-rigid-as-possible
// energy of the surface. Twists: the angle of least energy along a limb is harmonic, Σ_edges w (t_a − t_b)².

import { factorSparse } from '../../../core/algebra/sparse-ldlt.ts';
import { makeSparseSymmetric } from '../../../core/algebra/sparse-matrix.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import { pointTriangles, weldVertices } from '../../../core/mesh/topology/weld.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { type Skin, SkinBuilder } from '../../../core/model/skin/skin.ts';
import { rotationFromQuaternionInto } from '../../../deformers/direct-delta-mush/index.ts';
import { listBoneAxes } from '../../../deformers/posing/index.ts';
import {
  acrossOf,
  fitRotations,
  listLaplacianEdges,
  sumSubtrees,
  type WeightedEdge,
} from '../../../deformers/rig-sources/index.ts';

/** Options of solveElasticWeights. */
export interface ElasticWeightsOptions {
  /** Ends of the free region along both bones of a joint, relative to half of their lengths. */
  reach?: number;
  /** Angles of the sample swings, radians; each about two axes, to either side. */
  angles?: readonly number[];
  /** Iterations per joint. */
  iterations?: number;
}

/** Defaults of ElasticWeightsOptions: swings up to a right angle. */
export const ELASTIC_DEFAULTS: Required<ElasticWeightsOptions> = {
  reach: 1,
  angles: [Math.PI / 6, Math.PI / 3, Math.PI / 2],
  iterations: 30,
};

/** Result of solveElasticWeights. */
export interface ElasticWeights {
  /** Weights of swings; for linear and dual-quaternion blending too. */
  swing: Skin;
  /** Weights of twists. */
  twist: Skin;
}

/** Weight of the smoothness of c relative to that of the surface: settles points at the joint, which swings do not move. */
const SMOOTHNESS = 1e-3;

/** Smaller weights are rounding errors of sums. */
const SMALLEST = 1e-6;

/**
 * Solves elasticity-inspired weights of swings and twists for a rig. The given weights decide which bone a vertex belongs to.
 * @example
 * ```ts
 * import { makeSwingTwist } from 'ossify/deform';
 * import { solveElasticWeights } from 'ossify';
 *
 * const { swing, twist } = solveElasticWeights(mesh, skeleton, skin);
 * const deformer = makeSwingTwist(mesh, skeleton, swing, { twist });
 * ```
 */
export function solveElasticWeights(
  mesh: Mesh,
  skeleton: Skeleton,
  skin: Skin,
  options: ElasticWeightsOptions = {},
): ElasticWeights {
  const o = { ...ELASTIC_DEFAULTS, ...options };
  const { parents } = skeleton;
  const boneCount = parents.length;
  const weld = weldVertices(mesh.positions);
  const { pointCount, vertexOfPoint, pointOfVertex } = weld;
  const rest = Float64Array.from({ length: 3 * pointCount }, (_, c) => {
    return mesh.positions[3 * vertexOfPoint[Math.floor(c / 3)] + (c % 3)];
  });
  const edges = listLaplacianEdges(rest, pointTriangles(mesh.triangles, weld));
  const { heads, axes, lengths } = listBoneAxes(mesh, skeleton, skin);
  // by point, then by bone
  const own = new Float64Array(pointCount * boneCount);
  for (let p = 0; p < pointCount; p++)
    sumSubtrees(parents, skin, vertexOfPoint[p], own.subarray(p * boneCount, (p + 1) * boneCount));
  const swings = own.slice();
  const twists = own.slice();
  for (let j = 0; j < boneCount; j++) {
    const parent = parents[j];
    if (parent < 0) continue;
    const follow = Float64Array.from({ length: pointCount }, (_, p) => own[p * boneCount + j]);
    const isFree = new Uint8Array(pointCount);
    for (let p = 0; p < pointCount; p++) {
      const isAbove = follow[p] >= 0.5;
      const bone = isAbove ? j : parent;
      const along = [0, 1, 2].reduce((sum, c) => sum + (rest[3 * p + c] - heads[3 * j + c]) * axes[3 * bone + c], 0);
      const strongest = skin.boneIndices[skin.rowStart[vertexOfPoint[p]]];
      if ((strongest === j || strongest === parent) && Math.abs(along) < (o.reach * lengths[bone]) / 2) isFree[p] = 1;
      else follow[p] = isAbove ? 1 : 0;
    }
    const joint = { head: heads.subarray(3 * j, 3 * j + 3), axis: axes.subarray(3 * j, 3 * j + 3) };
    const around = edges.filter(({ a, b }) => isFree[a] || isFree[b]);
    const twist = solveTwist(around, isFree, follow);
    const swing = solveSwing({ all: edges, edges: around, rest, isFree }, twist, joint, o);
    for (let p = 0; p < pointCount; p++) {
      swings[p * boneCount + j] = swing[p];
      twists[p * boneCount + j] = twist[p];
    }
  }
  const build = (follows: Float64Array) => makeTreeSkin(parents, follows, pointOfVertex);
  return { swing: build(swings), twist: build(twists) };
}

/** The harmonic share of the angle. */
function solveTwist(edges: readonly WeightedEdge[], isFree: Uint8Array, start: Float64Array): Float64Array {
  const ones = new Float64Array(start.length).fill(1);
  const system = makeSystem(edges, isFree, [{ products: (a, b) => ones[a] * ones[b] }], 0);
  const out = start.slice();
  if (system.unknowns === 0) return out;
  const right = new Float64Array(system.unknowns);
  for (const { a, b, weight } of edges) {
    if (isFree[a] && !isFree[b]) right[system.unknownOf[a]] += weight * start[b];
    if (isFree[b] && !isFree[a]) right[system.unknownOf[b]] += weight * start[a];
  }
  system.factor.solveInto(right, right);
  for (let p = 0; p < out.length; p++) if (isFree[p]) out[p] = clamp(right[system.unknownOf[p]]);
  return out;
}

/** One sample rotation: where each point goes when it follows entirely, relative to rest. */
interface Swing {
  displacements: Float64Array;
  posed: Float64Array;
  rotations: Float64Array;
}

/** The free points around a joint. */
interface FreeRegion {
  /** Edges of the whole surface. */
  all: readonly WeightedEdge[];
  /** Edges with a free end. */
  edges: readonly WeightedEdge[];
  /** pointCount x 3 */
  rest: Float64Array;
  /** pointCount: 1 for free points */
  isFree: Uint8Array;
}

function solveSwing(
  region: FreeRegion,
  start: Float64Array,
  joint: { head: Float64Array; axis: Float64Array },
  { angles, iterations }: Required<ElasticWeightsOptions>,
): Float64Array {
  const { all, edges, rest, isFree } = region;
  const c = start.slice();
  // rotations of points that no free edge touches are not needed
  const isNear = new Uint8Array(isFree.length);
  for (const { a, b } of edges) isNear[a] = isNear[b] = 1;
  const near = all.filter(({ a, b }) => isNear[a] || isNear[b]);
  const points = Uint32Array.from([...isNear.keys()].filter((p) => isNear[p]));
  const samples = acrossOf(joint.axis).flatMap((axis) =>
    angles.flatMap((angle) => [angle, -angle]).map((angle) => makeSwing(rest, joint.head, axis, angle)),
  );
  const dots = samples.map(({ displacements: d }) => ({
    products: (a: number, b: number) => d[3 * a] * d[3 * b] + d[3 * a + 1] * d[3 * b + 1] + d[3 * a + 2] * d[3 * b + 2],
  }));
  const scale = meanSquare(edges, dots);
  const system = makeSystem(edges, isFree, dots, SMOOTHNESS * scale);
  if (system.unknowns === 0) return c;
  const moments = new Float64Array(3 * rest.length);
  const right = new Float64Array(system.unknowns);
  for (let n = 0; n < iterations; n++) {
    right.fill(0);
    for (const sample of samples) {
      for (let x = 0; x < rest.length; x++) sample.posed[x] = rest[x] + c[Math.floor(x / 3)] * sample.displacements[x];
      fitRotations(near, rest, sample.posed, { moments, rotations: sample.rotations, points });
      addRight(region, sample, c, system.unknownOf, right);
    }
    for (const { a, b, weight } of edges) {
      if (isFree[a] && !isFree[b]) right[system.unknownOf[a]] += SMOOTHNESS * scale * weight * c[b];
      if (isFree[b] && !isFree[a]) right[system.unknownOf[b]] += SMOOTHNESS * scale * weight * c[a];
    }
    system.factor.solveInto(right, right);
    for (let p = 0; p < c.length; p++) if (isFree[p]) c[p] = clamp(right[system.unknownOf[p]]);
  }
  return c;
}

function makeSwing(rest: Float64Array, head: Float64Array, axis: readonly number[], angle: number): Swing {
  const q = new Float64Array(4);
  const r = new Float64Array(9);
  quaternionFromAxisAngle(axis, angle, q);
  rotationFromQuaternionInto(q[0], q[1], q[2], q[3], r);
  const displacements = rest.map((_, x) => {
    const [row, o] = [x % 3, x - (x % 3)];
    const [u, v, w] = [rest[o] - head[0], rest[o + 1] - head[1], rest[o + 2] - head[2]];
    return r[row] * u + r[3 + row] * v + r[6 + row] * w - (rest[x] - head[row]);
  });
  return { displacements, posed: new Float64Array(rest.length), rotations: new Float64Array(3 * rest.length) };
}

/** Adds −∂/∂c of the terms of one sample, without those of the unknowns themselves. */
function addRight(
  { edges, rest, isFree }: FreeRegion,
  { displacements: d, rotations }: Swing,
  c: Float64Array,
  unknownOf: Int32Array,
  right: Float64Array,
): void {
  for (const { a, b, weight } of edges) {
    let [toA, toB] = [0, 0];
    for (let row = 0; row < 3; row++) {
      let turned = 0;
      for (let k = 0; k < 3; k++) {
        const e = rest[3 * a + k] - rest[3 * b + k];
        turned += 0.5 * (rotations[9 * a + 3 * k + row] + rotations[9 * b + 3 * k + row]) * e;
      }
      const wanted = turned - (rest[3 * a + row] - rest[3 * b + row]);
      const [da, db] = [d[3 * a + row], d[3 * b + row]];
      toA += da * (wanted + (isFree[b] ? 0 : c[b] * db));
      toB += db * ((isFree[a] ? 0 : c[a] * da) - wanted);
    }
    if (isFree[a]) right[unknownOf[a]] += weight * toA;
    if (isFree[b]) right[unknownOf[b]] += weight * toB;
  }
}

interface Inner {
  /** d_a · d_b */
  products(a: number, b: number): number;
}

/** Mean of |d|² over the ends of edges, summed over samples. */
function meanSquare(edges: readonly WeightedEdge[], dots: readonly Inner[]): number {
  let sum = 0;
  for (const { a } of edges) for (const { products } of dots) sum += products(a, a);
  return edges.length > 0 ? sum / edges.length : 0;
}

/** Normal equations of Σ w |c_a d_a − c_b d_b|² and, by smoothness, Σ w (c_a − c_b)², in the free points. */
function makeSystem(edges: readonly WeightedEdge[], isFree: Uint8Array, dots: readonly Inner[], smoothness: number) {
  const unknownOf = new Int32Array(isFree.length).fill(-1);
  let unknowns = 0;
  for (let p = 0; p < isFree.length; p++) if (isFree[p]) unknownOf[p] = unknowns++;
  const rows = Array.from({ length: unknowns }, (_, u) => u);
  const columns = rows.slice();
  const values = new Array<number>(unknowns).fill(0);
  const sum = (a: number, b: number) => dots.reduce((total, { products }) => total + products(a, b), smoothness);
  for (const { a, b, weight } of edges) {
    if (isFree[a]) values[unknownOf[a]] += weight * sum(a, a);
    if (isFree[b]) values[unknownOf[b]] += weight * sum(b, b);
    if (!(isFree[a] && isFree[b])) continue;
    rows.push(Math.max(unknownOf[a], unknownOf[b]));
    columns.push(Math.min(unknownOf[a], unknownOf[b]));
    values.push(-weight * sum(a, b));
  }
  return {
    unknownOf,
    unknowns,
    factor: factorSparse(makeSparseSymmetric(unknowns, rows, columns, values), { singular: 'hold' }),
  };
}

/** Weights of bones from how far each point follows each joint: what the children of a bone leave is its own. */
function makeTreeSkin(parents: Int32Array, follows: Float64Array, pointOfVertex: Uint32Array): Skin {
  const boneCount = parents.length;
  const builder = new SkinBuilder(pointOfVertex.length, pointOfVertex.length * boneCount);
  const row = new Float64Array(boneCount);
  const children = new Float64Array(boneCount);
  for (const p of pointOfVertex) {
    row.set(follows.subarray(p * boneCount, (p + 1) * boneCount));
    children.fill(0);
    for (let j = 0; j < boneCount; j++) if (parents[j] >= 0) children[parents[j]] += row[j];
    // no more than the parent has, from the roots to the tips
    for (let j = 0; j < boneCount; j++) {
      const i = parents[j];
      if (i >= 0 && children[i] > row[i]) row[j] *= row[i] / children[i];
    }
    const left = row.slice();
    for (let j = 0; j < boneCount; j++) if (parents[j] >= 0) left[parents[j]] -= row[j];
    for (let j = 0; j < boneCount; j++) if (left[j] > SMALLEST) builder.add(j, left[j]);
    builder.endRow(0);
  }
  return builder.finish();
}

function clamp(x: number): number {
  return Math.min(1, Math.max(0, x));
}
