// SPDX-License-Identifier: MIT
// Le et al. 2021, §4.3: the multi-weights of one virtual bone. With Δ' and Ω' the linearized Δ and Ω, the minimum of Eq. 11a in Δ'ₖ is
//   Δ'ⱼₖ ← Δ'ⱼₖ + Φₖₖ⁻¹ (Γ'ⱼₖ − Σ_λ Δ'ⱼ_λ Φ_λₖ),   times Σⱼ Δⱼₖ for Δ itself,   then symmetric, and scaled so that the 44 elements sum to one.
// 'guarded' reads Φ as a number: the published threshold ε = 16 cm² is one, and uᵢᵀuᵢ is printed. Points count alike, Φ_λₖ = Σ a_λ aₖ and Γ'ₖ = Σ aₖ Ω': then the rule has the right units, needs no
// determinant, and is the least squares step of a dictionary. The step is divided by eight until Eq. 11a falls.
// 'printed' reads Φ as a matrix, Φ_λₖ = Σ a_λ aₖ u uᵀ, with det(Σ Δ)/det(Φₖₖ) in place of the inverse and the product. That step has the wrong units and no effect, or diverges.
import {
  addScaledSym4,
  determinantSym4,
  SYM4_11,
  SYM4_INDEX,
  SYM4_SIZE,
  translateSym4,
} from '../../../core/math/sym4.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { dropMultiWeights } from '../../../deformers/direct-delta-mush/index.ts';
import { type BoneMoments, fillCross, makeBoneMoments } from '../compress-moments.ts';
import type { CompressPoints } from '../compress-points.ts';
import type { BoneResponse, Responses } from '../compress-responses.ts';
import { FULL, NONE, sumUnderInto } from '../examples/continuous-joints.ts';
import { linearizationMap } from '../examples/continuous-maps.ts';
import { centerBone, type VirtualBone } from '../virtual-bones/virtual-bones.ts';
import type { PointWeights } from './update-weights.ts';

const CUT = 1 / 8;
const CUTS = 8;
/** Minimum det Φ relative to (trace / 3)³ times the 44 element. Below, the bone has hardly any points or all are in a plane, and the update is skipped. */
const MIN_DET = 1e-9;

export interface LinearBoneOptions {
  update: 'guarded' | 'printed' | 'none';
  threshold: number;
}

/** The model at the time of the update of a bone. */
export interface LinearState {
  points: CompressPoints;
  skeleton: Skeleton;
  linear: Responses;
  bones: readonly VirtualBone[];
  /** of the bones */
  responses: readonly BoneResponse[];
  fit: PointWeights;
}

/**
 * The updated bone, or undefined if the update is skipped or does not lower the error.
 * @param members entries of bone k among the weights
 */
export function updateLinearBone(
  state: LinearState,
  k: number,
  members: readonly number[],
  options: LinearBoneOptions,
): VirtualBone | undefined {
  const { points, skeleton, linear, bones, responses, fit } = state;
  const bone = bones[k];
  const step = (options.update === 'printed' ? makePrintedStep : makeScalarStep)(state, k, members);
  if (!step) return undefined;
  const used = Array.from(step.isUsed.keys()).filter((j) => step.isUsed[j] === 1);
  const padded = new Float64Array(SYM4_SIZE * used.length);
  const trialOf = (scale: number): VirtualBone => {
    padded.fill(0);
    bone.bones.forEach((j, e) => {
      padded.set(bone.deltas.subarray(SYM4_SIZE * e, SYM4_SIZE * (e + 1)), SYM4_SIZE * used.indexOf(j));
    });
    let weight = 0;
    used.forEach((j, e) => {
      addScaledSym4(scale, step.change, SYM4_SIZE * j, padded, SYM4_SIZE * e);
      weight += padded[SYM4_SIZE * e + SYM4_11];
    });
    for (let c = 0; c < padded.length; c++) padded[c] /= weight;
    const whole = { rowStart: Uint32Array.of(0, used.length), boneIndices: Uint32Array.from(used), omegas: padded };
    const kept = dropMultiWeights(whole, skeleton, { threshold: options.threshold });
    for (let o = 0; o < kept.omegas.length; o += SYM4_SIZE)
      translateSym4(kept.omegas, o, bone.center[0], bone.center[1], bone.center[2]);
    return centerBone(kept.boneIndices, kept.omegas);
  };
  if (options.update === 'printed') {
    const trial = trialOf(1);
    return trial.deltas.every(Number.isFinite) && trial.spread.every(Number.isFinite) ? trial : undefined;
  }

  // joints that move a part of the bone before or after the update
  const states = new Uint8Array(linear.joints.bones.length);
  const sum = new Float64Array(SYM4_SIZE);
  const row = { bones: used, deltas: padded, start: 0, end: used.length };
  for (let g = 0; g < states.length; g++) states[g] = sumUnderInto(linear.joints, g, row, sum);
  const source = { points, responses: linear, fit };
  const moments = makeBoneMoments(source, { k, center: bone.center, states, members });
  const cross = new Float64Array(moments.targets.length);
  fillCross(moments, linear, responses, new Float64Array(16 * moments.joints.length), cross);
  const scratch = linear.allocateScratch();
  const energyOf = (trial: VirtualBone): number => {
    linear.respond(trial, scratch);
    return measureShare(moments, linear, scratch, bone.center, cross);
  };
  const before = energyOf(bone);
  for (let n = 0, scale = 1; n < CUTS; n++, scale *= CUT) {
    const trial = trialOf(scale);
    if (trial.deltas.every(Number.isFinite) && energyOf(trial) < before) return trial;
  }
  return undefined;
}

/** A change of a bone: ten numbers per master bone about the bone's center, and the changed master bones. */
interface LinearStep {
  change: Float64Array;
  isUsed: Uint8Array;
}

/** The published change: Φ as a matrix, with determinants in place of the inverse and the product. */
function makePrintedStep(state: LinearState, k: number, members: readonly number[]): LinearStep | undefined {
  const { points, skeleton, bones, fit } = state;
  const { center, spread } = bones[k];
  const full = new Float64Array(16 * skeleton.names.length);
  const phi = new Map<number, Float64Array>();
  const u = Float64Array.of(0, 0, 0, 1);
  const isUsed = visitLinearized(state, k, members, {
    onPoint(i, weight) {
      for (let c = 0; c < 3; c++) u[c] = points.positions[3 * i + c] - center[c];
      for (let a = i * fit.influences; a < (i + 1) * fit.influences; a++) {
        if (!(fit.weights[a] > 0)) continue;
        const sum = phi.get(fit.bones[a]) ?? new Float64Array(16);
        phi.set(fit.bones[a], sum);
        for (let c = 0; c < 16; c++) sum[c] += weight * fit.weights[a] * u[c & 3] * u[c >> 2];
      }
    },
    onTarget(j, weight, map) {
      for (let r = 0; r < 4; r++) {
        const image = weight * (map[r] * u[0] + map[4 + r] * u[1] + map[8 + r] * u[2] + map[12 + r]);
        for (let c = 0; c < 4; c++) full[16 * j + 4 * c + r] += image * u[c];
      }
    },
    listShared: () => [...phi.keys()],
    onModel(l, j, map) {
      const shared = phi.get(l)!;
      for (let r = 0; r < 4; r++)
        for (let c = 0; c < 4; c++) {
          let sum = 0;
          for (let n = 0; n < 4; n++) sum += map[4 * n + r] * shared[4 * c + n];
          full[16 * j + 4 * c + r] -= sum;
        }
    },
  });
  const square = phi.get(k);
  if (!square) return undefined;
  const third = (square[0] + square[5] + square[10]) / 3;
  const det = determinantSym4(packUpper(square));
  if (!(det > MIN_DET * third * third * third * square[15])) return undefined;
  // det Σ Δ about the center is that of the spread
  const ratio =
    (spread[0] * (spread[3] * spread[5] - spread[4] ** 2) -
      spread[1] * (spread[1] * spread[5] - spread[4] * spread[2]) +
      spread[2] * (spread[1] * spread[4] - spread[3] * spread[2])) /
    det;
  return { change: symmetrize(full, isUsed, (m) => m.map((x) => ratio * x)), isUsed };
}

/** The change with a number Φ. */
function makeScalarStep(state: LinearState, k: number, members: readonly number[]): LinearStep | undefined {
  const { skeleton, bones, fit } = state;
  const full = new Float64Array(16 * skeleton.names.length);
  const phi = new Map<number, number>();
  const add = (factor: number, j: number, map: Float64Array): void => {
    for (let c = 0; c < 16; c++) full[16 * j + c] += factor * map[c];
  };
  const isUsed = visitLinearized(state, k, members, {
    onPoint(i, weight) {
      for (let a = i * fit.influences; a < (i + 1) * fit.influences; a++)
        if (fit.weights[a] > 0) phi.set(fit.bones[a], (phi.get(fit.bones[a]) ?? 0) + weight * fit.weights[a]);
    },
    onTarget: (j, weight, map) => add(weight, j, map),
    listShared: () => [...phi.keys()],
    onModel: (l, j, map) => add(-phi.get(l)!, j, map),
  });
  const square = phi.get(k);
  if (!square) return undefined;
  // Σ Δ about the center: the spread, and one
  const [xx, xy, xz, yy, yz, zz] = bones[k].spread;
  const sum = [xx, xy, xz, 0, xy, yy, yz, 0, xz, yz, zz, 0, 0, 0, 0, 1];
  const product = new Float64Array(16);
  const change = symmetrize(full, isUsed, (m) => {
    for (let c = 0; c < 4; c++)
      for (let r = 0; r < 4; r++) {
        let value = 0;
        for (let n = 0; n < 4; n++) value += m[4 * n + r] * sum[4 * c + n];
        product[4 * c + r] = value / square;
      }
    return product;
  });
  return { change, isUsed };
}

/** What a step adds up. Maps are the linearized multi-weights, 16 numbers about the center of the bone. */
interface LinearizedVisitor {
  /** A point of the bone, and its weight. */
  onPoint(i: number, weight: number): void;
  /** An entry of that point: Ω' of master bone j. */
  onTarget(j: number, weight: number, map: Float64Array): void;
  /** After all points: the virtual bones that share some of them. */
  listShared(): number[];
  /** An entry of such a bone: Δ' of master bone j. */
  onModel(bone: number, j: number, map: Float64Array): void;
}

/** Visits the entries of the points of a bone, then those of all bones that share points with it. Returns the visited master bones. */
function visitLinearized(
  { points, skeleton, bones, fit }: LinearState,
  k: number,
  members: readonly number[],
  visitor: LinearizedVisitor,
): Uint8Array {
  const { center, bones: own } = bones[k];
  const isUsed = new Uint8Array(skeleton.names.length);
  for (const j of own) isUsed[j] = 1;
  const map = new Float64Array(16);
  const shifted = new Float64Array(3);
  const linearize = (j: number, omegas: Float64Array, e: number, spread: Float64Array, spreadOffset: number): void => {
    isUsed[j] = 1;
    const shape = { spread, spreadOffset, center: shifted, centerOffset: 0 };
    linearizationMap(omegas.slice(SYM4_SIZE * e, SYM4_SIZE * (e + 1)), shape, map);
  };
  for (const entry of members) {
    const i = Math.floor(entry / fit.influences);
    const weight = fit.weights[entry];
    for (let c = 0; c < 3; c++) shifted[c] = points.centers[3 * i + c] - center[c];
    visitor.onPoint(i, weight);
    for (let e = points.rowStart[i]; e < points.rowStart[i + 1]; e++) {
      linearize(points.boneIndices[e], points.centered, e, points.spreads, 6 * i);
      visitor.onTarget(points.boneIndices[e], weight, map);
    }
  }
  for (const l of visitor.listShared()) {
    const other = bones[l];
    for (let c = 0; c < 3; c++) shifted[c] = other.center[c] - center[c];
    for (let e = 0; e < other.bones.length; e++) {
      linearize(other.bones[e], other.deltas, e, other.spread, 0);
      visitor.onModel(l, other.bones[e], map);
    }
  }
  return isUsed;
}

/** The symmetric parts of 4x4 matrices after a map, ten numbers each. */
function symmetrize(full: Float64Array, isUsed: Uint8Array, mapped: (m: Float64Array) => Float64Array): Float64Array {
  const change = new Float64Array(SYM4_SIZE * isUsed.length);
  for (let j = 0; j < isUsed.length; j++) {
    if (!isUsed[j]) continue;
    const m = mapped(full.subarray(16 * j, 16 * j + 16));
    let n = SYM4_SIZE * j;
    for (let r = 0; r < 4; r++) for (let c = r; c < 4; c++) change[n++] = 0.5 * (m[4 * c + r] + m[4 * r + c]);
  }
  return change;
}

/** Eₖ of compress-moments.ts, with blocks converted from the origin to the center. */
function measureShare(
  moments: BoneMoments,
  linear: Responses,
  response: BoneResponse,
  center: Float64Array,
  cross: Float64Array,
): number {
  const { rows, full } = linear.space;
  const n = moments.square;
  let energy = 0;
  moments.joints.forEach((g, place) => {
    if (response.states[g] === NONE) return;
    const from = response.states[g] === FULL ? full : response.blocks;
    for (let r = 0; r < rows; r++) {
      const b = 4 * (rows * g + r);
      const x = from[b],
        y = from[b + 1],
        z = from[b + 2];
      const w = from[b + 3] + x * center[0] + y * center[1] + z * center[2];
      const c = 4 * (rows * place + r);
      for (let d = 0; d < 4; d++) {
        const theta = d === 0 ? x : d === 1 ? y : d === 2 ? z : w;
        energy += theta * (x * n[d] + y * n[4 + d] + z * n[8 + d] + w * n[12 + d] + 2 * cross[c + d]);
      }
    }
  });
  return energy;
}

/** The upper triangle of a column-major 4x4. */
function packUpper(m: Float64Array): Float64Array {
  const packed = new Float64Array(SYM4_SIZE);
  for (let r = 0; r < 4; r++) for (let c = r; c < 4; c++) packed[SYM4_INDEX[r][c]] = m[4 * c + r];
  return packed;
}
