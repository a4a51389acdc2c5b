// SPDX-License-Identifier: MIT
// Sums over the points of a virtual bone that determine its part of the error. With them, the cost of an update does not depend on the number of points. With
// ū = (u − p, 1) about the bone's center and r⁽⁻ᵏ⁾ the residual without the bone,
//   Eₖ(Θ) = Σ over poses  tr(Θ N Θᵀ) + 2 tr(C Θᵀ),   N = Σ a² ū ūᵀ,   C = Σ a r⁽⁻ᵏ⁾ ūᵀ = Σₗ Tₗ Φₗₖ − Γₖ,
//   Φₗₖ = Σ aₗ aₖ u ūᵀ,   Γₖ = Σ aₖ t ūᵀ,
// Θ the transform minus the identity. Φ and Γ depend only on the weights: sweeps over bones do not visit points.
import type { CompressPoints } from './compress-points.ts';
import type { BoneResponse, Responses } from './compress-responses.ts';
import { FULL, NONE, PARTIAL } from './examples/continuous-joints.ts';
import type { PointWeights } from './objectives/update-weights.ts';

export interface BoneMoments {
  /** N: 4x4, symmetric, about the bone's center */
  square: Float64Array;
  /** Joints that move a part of the bone: only their poses depend on its multi-weights. */
  joints: number[];
  /** joints x rows x 4: Γ */
  targets: Float64Array;
  /** Other bones that share points with this one. */
  others: number[];
  /** others x 16: Φ, row-major: u by ū */
  shared: Float64Array;
}

/** Per bone, its entries among the weights. */
export function listMembers(fit: PointWeights, boneCount: number): number[][] {
  const members: number[][] = Array.from({ length: boneCount }, () => []);
  for (let a = 0; a < fit.weights.length; a++) if (fit.weights[a] > 0) members[fit.bones[a]].push(a);
  return members;
}

/** The input of the moments of all bones. */
export interface MomentsSource {
  points: CompressPoints;
  responses: Responses;
  fit: PointWeights;
  /** pointCount: weight of each point's error; default: all 1 */
  factors?: Float64Array;
}

/** One bone. */
export interface MomentsBone {
  k: number;
  center: Float64Array;
  /** jointCount: NONE, FULL or PARTIAL (continuous-joints.ts) */
  states: Uint8Array;
  /** entries of the bone among the weights */
  members: readonly number[];
}

/** The moments of one bone. */
export function makeBoneMoments(
  { points, responses, fit, factors }: MomentsSource,
  { k, center, states, members }: MomentsBone,
): BoneMoments {
  const { rows, full } = responses.space;
  const { influences } = fit;
  /** jointCount: index of a partial joint of the bone, −1 for others */
  const placeOfJoint = new Int32Array(states.length).fill(-1);
  const placeOfBone = new Map<number, number>();
  const joints: number[] = [];
  for (let g = 0; g < states.length; g++) if (states[g] === PARTIAL) placeOfJoint[g] = joints.push(g) - 1;
  const square = new Float64Array(16);
  const targets = new Float64Array(4 * rows * joints.length);
  const others: number[] = [];
  const shared: number[] = [];
  const wholes = new Float64Array(16 * joints.length);
  const u = new Float64Array(4);
  const v = new Float64Array(4);
  u[3] = 1;
  v[3] = 1;
  for (const entry of members) {
    const i = Math.floor(entry / influences);
    const weight = (factors ? factors[i] : 1) * fit.weights[entry];
    for (let c = 0; c < 3; c++) {
      u[c] = points.positions[3 * i + c];
      v[c] = u[c] - center[c];
    }
    addOuter(square, 0, weight * fit.weights[entry], v, v);
    for (let a = i * influences; a < (i + 1) * influences; a++) {
      const l = fit.bones[a];
      if (!(fit.weights[a] > 0) || l === k) continue;
      let place = placeOfBone.get(l);
      if (place === undefined) {
        place = others.push(l) - 1;
        placeOfBone.set(l, place);
        for (let c = 0; c < 16; c++) shared.push(0);
      }
      addOuter(shared, 16 * place, weight * fit.weights[a], u, v);
    }
    addTargets(responses, { i, weight, u, v }, { placeOfJoint, wholes, targets });
  }
  joints.forEach((g, place) => {
    addBlockTimes({ rows, block: full, g, matrices: wholes, n: place, out: targets, place });
  });
  return { square, joints, targets, others, shared: Float64Array.from(shared) };
}

/** A point of a bone. */
interface BonePoint {
  i: number;
  weight: number;
  /** Homogeneous positions, relative to the origin and to the center of the bone. */
  u: Float64Array;
  v: Float64Array;
}

/** Adds the products of a point with its responses: those to whole joints are applied later. */
function addTargets(
  { space: { rows }, points: { start, joints, offsets, values } }: Responses,
  { i, weight, u, v }: BonePoint,
  { placeOfJoint, wholes, targets }: { placeOfJoint: Int32Array; wholes: Float64Array; targets: Float64Array },
): void {
  for (let e = start[i]; e < start[i + 1]; e++) {
    const place = placeOfJoint[joints[e]];
    if (place < 0) continue;
    if (offsets[e] < 0) {
      addOuter(wholes, 16 * place, weight, u, v);
      continue;
    }
    const v0 = weight * v[0],
      v1 = weight * v[1],
      v2 = weight * v[2];
    let t = 4 * rows * place;
    for (let r = offsets[e]; r < offsets[e] + rows; r++, t += 4) {
      const value = values[r];
      targets[t] += value * v0;
      targets[t + 1] += value * v1;
      targets[t + 2] += value * v2;
      targets[t + 3] += value * weight;
    }
  }
}

/** Fills C of a bone, joints x rows x 4, from the present responses of the other bones. */
export function fillCross(
  moments: BoneMoments,
  responses: Responses,
  boneResponses: readonly BoneResponse[],
  wholes: Float64Array,
  out: Float64Array,
): void {
  const { rows, full } = responses.space;
  const { joints, targets, others, shared } = moments;
  for (let c = 0; c < targets.length; c++) out[c] = -targets[c];
  wholes.fill(0, 0, 16 * joints.length);
  for (let n = 0; n < others.length; n++) {
    const other = boneResponses[others[n]];
    for (let place = 0; place < joints.length; place++) {
      const g = joints[place];
      const state = other.states[g];
      if (state === NONE) continue;
      if (state === FULL) {
        for (let c = 0; c < 16; c++) wholes[16 * place + c] += shared[16 * n + c];
      } else addBlockTimes({ rows, block: other.blocks, g, matrices: shared, n, out, place });
    }
  }
  for (let place = 0; place < joints.length; place++)
    addBlockTimes({ rows, block: full, g: joints[place], matrices: wholes, n: place, out, place });
}

/** out += scale u vᵀ, row-major 4x4. */
function addOuter(out: Float64Array | number[], o: number, scale: number, u: Float64Array, v: Float64Array): void {
  for (let r = 0; r < 4; r++) {
    const s = scale * u[r];
    out[o + 4 * r] += s * v[0];
    out[o + 4 * r + 1] += s * v[1];
    out[o + 4 * r + 2] += s * v[2];
    out[o + 4 * r + 3] += s * v[3];
  }
}

interface BlockProduct {
  rows: number;
  /** groups x rows x 4, and the group */
  block: Float64Array;
  g: number;
  /** row-major 4x4 matrices, and which */
  matrices: Float64Array;
  n: number;
  /** places x rows x 4, and the place */
  out: Float64Array;
  place: number;
}

/** out += block times matrix. */
function addBlockTimes({ rows, block, g, matrices: m, n, out, place }: BlockProduct): void {
  const o = 16 * n;
  for (let r = 0; r < rows; r++) {
    const p = 4 * (rows * g + r);
    const q = 4 * (rows * place + r);
    const x = block[p],
      y = block[p + 1],
      z = block[p + 2],
      w = block[p + 3];
    for (let c = 0; c < 4; c++) out[q + c] += x * m[o + c] + y * m[o + 4 + c] + z * m[o + 8 + c] + w * m[o + 12 + c];
  }
}
