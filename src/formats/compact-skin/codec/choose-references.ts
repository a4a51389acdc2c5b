// SPDX-License-Identifier: MIT
// Encoder: which node each moving node is predicted from, how it follows from earlier keys, and the period of a cycle. Costs are estimated as log2(1 + |residual| / step) of some keys, before rounding.
import type { CodedNode, CodedTrack } from './code-motion.ts';
import { stepOf } from './code-motion.ts';
import { type MovingFrame, multiplyConjugate, ORDERS, predictRotation, predictTranslation } from './predict-pose.ts';

/** Keys that a cost is estimated from, at most. */
const SAMPLES = 64;
/** Passes over all nodes. */
const PASSES = 3;
/** A period is used if it lowers the bits to this part. */
const PERIODIC = 0.8;
/** Bits that a reference must save. */
const LEAST_GAIN = 8;

/** A node, and what it may refer to: nodes with the same parent. */
export interface ReferenceNode extends CodedNode {
  parent: number;
}

/**
 * Sets references and orders.
 * @param orderCount 1: values are only compared with the last key
 * @returns nodes in an order in which references come first, their places before, and the period; 0: none
 */
export function chooseReferences(
  nodes: readonly ReferenceNode[],
  keyCount: number,
  orderCount = ORDERS,
): { ordered: ReferenceNode[]; places: number[]; period: number } {
  const frames = nodes.map((node) => frameOf(node, keyCount));
  const period = findPeriod(nodes, keyCount);
  const keys = sampleKeys(period > 0 ? period : keyCount);
  const parents = new Int32Array(nodes.length).fill(-1);
  const costs = nodes.map((node, j) => estimate(node, frames[j], undefined, keys, orderCount));
  const known = new Map<number, Estimate>();
  const costOf = (j: number, p: number): Estimate => {
    const key = j * nodes.length + p;
    const found = known.get(key) ?? estimate(nodes[j], frames[j], frames[p], keys, orderCount);
    known.set(key, found);
    return found;
  };
  const canRefer = (j: number, p: number) =>
    p !== j &&
    nodes[p].parent === nodes[j].parent &&
    nodes[p].rotation !== undefined &&
    nodes[p].translation !== undefined &&
    nodes[j].translation !== undefined;
  for (let pass = 0; pass < PASSES; pass++)
    for (let j = 0; j < nodes.length; j++)
      for (let p = 0; p < nodes.length; p++) {
        if (!canRefer(j, p) || p === parents[j] || isAbove(parents, j, p)) continue;
        const cost = costOf(j, p);
        if (cost.bits + (parents[j] < 0 ? LEAST_GAIN : 0) < costs[j].bits) {
          parents[j] = p;
          costs[j] = cost;
        }
      }
  const places = orderByParents(parents);
  const placeOf = new Int32Array(nodes.length);
  places.forEach((j, place) => {
    placeOf[j] = place;
  });
  const ordered = places.map((j): ReferenceNode => {
    const { rotation, translation, numbers } = nodes[j];
    return {
      ...nodes[j],
      reference: parents[j] < 0 ? -1 : placeOf[parents[j]],
      ...(rotation ? { rotation: { ...rotation, order: costs[j].rotationOrder } } : {}),
      ...(translation ? { translation: { ...translation, order: costs[j].translationOrder } } : {}),
      ...(numbers ? { numbers } : {}),
    };
  });
  return { ordered, places, period };
}

interface Estimate {
  bits: number;
  rotationOrder: number;
  translationOrder: number;
}

function frameOf({ rotation, translation, restRotation, restTranslation }: CodedNode, keyCount: number): MovingFrame {
  const fill = (track: CodedTrack | undefined, rest: ArrayLike<number>) =>
    track ? track.values : Float64Array.from({ length: rest.length * keyCount }, (_, n) => rest[n % rest.length]);
  return {
    translations: fill(translation, restTranslation),
    rotations: fill(rotation, restRotation),
    restTranslation: Float64Array.from(restTranslation),
    restRotation: Float64Array.from(restRotation),
  };
}

function sampleKeys(count: number): number[] {
  const samples = Math.min(count, SAMPLES);
  return Array.from({ length: samples }, (_, n) => Math.floor((n * count) / samples));
}

const predicted = new Float64Array(4);
const change = new Float64Array(4);

/** The best orders, and their bits over the given keys. */
function estimate(
  { rotation, translation }: CodedNode,
  frame: MovingFrame,
  reference: MovingFrame | undefined,
  keys: readonly number[],
  orderCount: number,
): Estimate {
  const result = { bits: 0, rotationOrder: 0, translationOrder: 0 };
  const choose = (bitsOf: (order: number) => number): number => {
    const all = Array.from({ length: orderCount }, (_, order) => bitsOf(order));
    const least = Math.min(...all);
    result.bits += least;
    return all.indexOf(least);
  };
  if (rotation) {
    const half = stepOf(rotation.stepPower) / 2;
    result.rotationOrder = choose((order) => {
      let bits = 0;
      for (const k of keys) {
        predictRotation(frame, reference, k, order, predicted);
        multiplyConjugate(predicted, 0, frame.rotations, 4 * k, change);
        for (let c = 0; c < 3; c++) bits += Math.log2(1 + Math.abs(change[c]) / half);
      }
      return bits;
    });
  }
  if (translation) {
    const step = stepOf(translation.stepPower);
    result.translationOrder = choose((order) => {
      let bits = 0;
      for (const k of keys) {
        predictTranslation(frame, reference, k, order, predicted);
        for (let c = 0; c < 3; c++)
          bits += Math.log2(1 + Math.abs(frame.translations[3 * k + c] - predicted[c]) / step);
      }
      return bits;
    });
  }
  return result;
}

/** Whether j is p or above it. */
function isAbove(parents: Int32Array, j: number, p: number): boolean {
  for (let n = p; n >= 0; n = parents[n]) if (n === j) return true;
  return false;
}

function orderByParents(parents: Int32Array): number[] {
  const places: number[] = [];
  const isPlaced = new Uint8Array(parents.length);
  const place = (j: number): void => {
    if (isPlaced[j]) return;
    if (parents[j] >= 0) place(parents[j]);
    isPlaced[j] = 1;
    places.push(j);
  };
  for (let j = 0; j < parents.length; j++) place(j);
  return places;
}

/** The number of keys of a cycle; 0 if there is none. */
function findPeriod(nodes: readonly CodedNode[], keyCount: number): number {
  const tracks = nodes.flatMap(({ rotation, translation }) => [rotation, translation].filter((one) => !!one));
  const costAt = (distance: number): number => {
    let bits = 0;
    let count = 0;
    for (const { values, size, stepPower } of tracks) {
      const step = stepOf(stepPower);
      for (let k = distance; k < keyCount; k += 1 + Math.floor(keyCount / SAMPLES)) {
        count += size;
        for (let c = 0; c < size; c++)
          bits += Math.log2(1 + Math.abs(values[size * k + c] - values[size * (k - distance) + c]) / step);
      }
    }
    return count > 0 ? bits / count : 0;
  };
  let best = 0;
  let least = PERIODIC * costAt(1);
  for (let period = 2; period <= keyCount / 2; period++) {
    const cost = costAt(period);
    if (cost < least) [best, least] = [period, cost];
  }
  return best;
}
