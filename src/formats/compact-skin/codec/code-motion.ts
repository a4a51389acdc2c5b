// SPDX-License-Identifier: MIT
// The keys of nodes that move, in steps. Rotations and translations are predicted by predict-pose.ts, or as one period before; other numbers by their own last keys. Rotations are stored as the vector part of the
// quaternion that corrects the prediction.

import { type BitCoder, RangeDecoder } from '../entropy/range-coder.ts';
import { ScaledIntegerModel } from '../entropy/scaled-integer-model.ts';
import {
  type MovingFrame,
  makeMovingFrame,
  multiplyConjugate,
  multiplyInto,
  normalizeInto,
  ORDERS,
  predictRotation,
  predictTranslation,
} from './predict-pose.ts';

/** Part of the expected magnitude that is kept from key to key. */
const KEPT = 0.7;
/** Steps are powers of the fourth root of two. */
const ROOTS = [1, 1.189207115002721, Math.SQRT2, 1.681792830507429];

/** One kind of values of a node by key. */
export interface CodedTrack {
  /** Numbers per key: 3 for translations, 4 for rotations. */
  size: number;
  /** Steps are 2 to a quarter of this. */
  stepPower: number;
  /** keyCount x size */
  values: Float64Array;
  /** How values follow from earlier keys: 0 to 2 as in predict-pose.ts. */
  order: number;
}

/** A node that moves. */
export interface CodedNode {
  restTranslation: ArrayLike<number>;
  restRotation: ArrayLike<number>;
  /** Place of the node, coded earlier, whose motion it is predicted from; -1: none */
  reference: number;
  translation?: CodedTrack;
  rotation?: CodedTrack;
  /** Numbers without a geometric prediction, such as scales. */
  numbers?: CodedTrack;
}

export function stepOf(power: number): number {
  const quarter = ((power % 4) + 4) % 4;
  return 2 ** Math.floor(power / 4) * ROOTS[quarter];
}

/** The power of a step, at most as long. */
export function stepPowerOf(step: number): number {
  return Math.floor(4 * Math.log2(step) + 1e-9);
}

/** Models that all nodes of a file share. */
export class MotionModels {
  readonly rotation = new ScaledIntegerModel(2);
  readonly translation = new ScaledIntegerModel(2);
  readonly numbers = new ScaledIntegerModel(2);
}

/**
 * Codes nodes with common key times, in this order. A decoder fills their values.
 * @param period keys of a cycle; 0: none
 * @param deadZone encoder: numbers are rounded towards the prediction by this part of a step
 */
export function codeMotion(
  coder: BitCoder,
  models: MotionModels,
  nodes: readonly CodedNode[],
  { keyCount, period, deadZone = 0 }: { keyCount: number; period: number; deadZone?: number },
): void {
  const frames: MovingFrame[] = [];
  for (const node of nodes) {
    const frame = makeMovingFrame(keyCount, node.restTranslation, node.restRotation);
    frames.push(frame);
    const reference = node.reference >= 0 ? frames[node.reference] : undefined;
    const tracks = new NodeCoder(coder, models, { period, deadZone });
    if (node.rotation) tracks.codeRotations(node.rotation, frame, reference, keyCount);
    if (node.translation) tracks.codeTranslations(node.translation, frame, reference, keyCount);
    if (node.numbers) tracks.codeNumbers(node.numbers, keyCount);
  }
}

class NodeCoder {
  readonly #coder: BitCoder;
  readonly #models: MotionModels;
  readonly #period: number;
  readonly #deadZone: number;
  readonly #isDecoder: boolean;
  /** Expected magnitudes of the first cycle, and of later ones. */
  readonly #expected = [new Float64Array(4), new Float64Array(4)];
  readonly #predicted = new Float64Array(4);
  readonly #change = new Float64Array(4);

  constructor(coder: BitCoder, models: MotionModels, { period, deadZone }: { period: number; deadZone: number }) {
    this.#coder = coder;
    this.#models = models;
    this.#period = period;
    this.#deadZone = deadZone;
    this.#isDecoder = coder instanceof RangeDecoder;
  }

  codeRotations(track: CodedTrack, frame: MovingFrame, reference: MovingFrame | undefined, keyCount: number): void {
    const half = stepOf(track.stepPower) / 2;
    const predicted = this.#predicted;
    const change = this.#change;
    this.#start();
    for (let k = 0; k < keyCount; k++) {
      const isLater = this.#isLater(k);
      if (isLater) predicted.set(frame.rotations.subarray(4 * (k - this.#period), 4 * (k - this.#period) + 4));
      else predictRotation(frame, reference, k, track.order, predicted);
      if (!this.#isDecoder) {
        multiplyConjugate(predicted, 0, track.values, 4 * k, change);
        const sign = change[3] < 0 ? -1 : 1;
        for (let c = 0; c < 3; c++) change[c] *= sign / half;
      }
      this.#codeChange(this.#models.rotation, 3, isLater);
      let square = 0;
      for (let c = 0; c < 3; c++) {
        change[c] *= half;
        square += change[c] * change[c];
      }
      change[3] = Math.sqrt(Math.max(0, 1 - square));
      multiplyInto(predicted, 0, change, 0, this.#predicted);
      normalizeInto(predicted);
      frame.rotations.set(predicted, 4 * k);
      track.values.set(predicted, 4 * k);
    }
  }

  codeTranslations(track: CodedTrack, frame: MovingFrame, reference: MovingFrame | undefined, keyCount: number): void {
    const step = stepOf(track.stepPower);
    const predicted = this.#predicted;
    const change = this.#change;
    this.#start();
    for (let k = 0; k < keyCount; k++) {
      const isLater = this.#isLater(k);
      if (isLater) predicted.set(frame.translations.subarray(3 * (k - this.#period), 3 * (k - this.#period) + 3));
      else predictTranslation(frame, reference, k, track.order, predicted);
      if (!this.#isDecoder) for (let c = 0; c < 3; c++) change[c] = (track.values[3 * k + c] - predicted[c]) / step;
      this.#codeChange(this.#models.translation, 3, isLater);
      for (let c = 0; c < 3; c++) {
        frame.translations[3 * k + c] = predicted[c] + step * change[c];
        track.values[3 * k + c] = frame.translations[3 * k + c];
      }
    }
  }

  codeNumbers({ size, stepPower, values, order }: CodedTrack, keyCount: number): void {
    const step = stepOf(stepPower);
    for (let c = 0; c < size; c++) {
      this.#start();
      for (let k = 0; k < keyCount; k++) {
        const at = size * k + c;
        const isLater = this.#isLater(k);
        const last = k > 0 ? values[at - size] : 1;
        let predicted = isLater ? values[at - size * this.#period] : last;
        if (!isLater && k > 1) predicted += (order / 2) * (last - values[at - 2 * size]);
        this.#change[0] = (values[at] - predicted) / step;
        this.#codeChange(this.#models.numbers, 1, isLater);
        values[at] = predicted + step * this.#change[0];
      }
    }
  }

  #start(): void {
    this.#expected[0].fill(0);
    this.#expected[1].fill(0);
  }

  #isLater(k: number): boolean {
    return this.#period > 0 && k >= this.#period;
  }

  /** Codes the first numbers of the change, in steps, and rounds them. */
  #codeChange(model: ScaledIntegerModel, count: number, isLater: boolean): void {
    const change = this.#change;
    const expected = this.#expected[isLater ? 1 : 0];
    const mean = count === 3 ? (expected[0] + expected[1] + expected[2]) / 6 : expected[0] / 2;
    for (let c = 0; c < count; c++) {
      const value = this.#isDecoder ? 0 : roundTo(change[c], this.#deadZone);
      change[c] = model.code(this.#coder, value, mean + expected[c] / 2, isLater ? 1 : 0);
      expected[c] = KEPT * expected[c] + (1 - KEPT) * Math.abs(change[c]);
    }
  }
}

function roundTo(x: number, deadZone: number): number {
  return x < 0 ? -Math.floor(-x + 0.5 - deadZone) : Math.floor(x + 0.5 - deadZone);
}

/** Orders that an encoder may choose. */
export const MOTION_ORDERS = ORDERS;
