// SPDX-License-Identifier: MIT
// Predicts the pose of a moving frame from its own earlier keys, seen from another frame that it nearly follows: what moves with a limb is nearly constant there. Only sums, products, quotients and
// square roots are used, which are the same on all engines, so that a decoder has the predictions of the encoder.

/** Translations and rotations of a frame by key. A frame without a track has the value at rest in all keys. */
export interface MovingFrame {
  /** keyCount x 3 */
  translations: Float64Array;
  /** keyCount x 4, unit quaternions */
  rotations: Float64Array;
  /** At rest: three and four numbers. */
  restTranslation: Float64Array;
  restRotation: Float64Array;
}

/** How a value follows from earlier keys: as the last one, moved on by half the last difference, or by all of it. */
export const ORDERS = 3;

const REST = { translation: [0, 0, 0], rotation: [0, 0, 0, 1] };

const local = [new Float64Array(4), new Float64Array(4)];
const moved = new Float64Array(4);
const turned = new Float64Array(4);

/** Writes the predicted rotation at a key. Before the first key is the pose at rest. */
export function predictRotation(
  own: MovingFrame,
  reference: MovingFrame | undefined,
  k: number,
  order: number,
  out: Float64Array,
): void {
  const used = order > 0 && k > 1 ? 2 : 1;
  for (let n = 0; n < used; n++) {
    const key = k - 1 - n;
    const q = key < 0 ? own.restRotation : own.rotations;
    const o = key < 0 ? 0 : 4 * key;
    if (reference) multiplyConjugate(rotationOf(reference, key), key < 0 ? 0 : 4 * key, q, o, local[n]);
    else for (let c = 0; c < 4; c++) local[n][c] = q[o + c];
  }
  const last = local[0];
  const before = local[1];
  if (used === 2) {
    // last x (before⁻¹ x last)
    multiplyConjugate(before, 0, last, 0, moved);
    multiplyInto(last, 0, moved, 0, turned);
    if (order === 1) {
      const sign = dot4(turned, last) < 0 ? -1 : 1;
      for (let c = 0; c < 4; c++) turned[c] = sign * turned[c] + last[c];
    }
  } else turned.set(last);
  if (reference && k >= 0) multiplyInto(reference.rotations, 4 * k, turned, 0, out);
  else out.set(turned);
  normalizeInto(out);
}

/** Writes the predicted translation at a key. */
export function predictTranslation(
  own: MovingFrame,
  reference: MovingFrame | undefined,
  k: number,
  order: number,
  out: Float64Array,
): void {
  const used = order > 0 && k > 1 ? 2 : 1;
  for (let n = 0; n < used; n++) {
    const key = k - 1 - n;
    const t = key < 0 ? own.restTranslation : own.translations;
    const o = key < 0 ? 0 : 3 * key;
    if (!reference) for (let c = 0; c < 3; c++) local[n][c] = t[o + c];
    else {
      const from = key < 0 ? reference.restTranslation : reference.translations;
      const f = key < 0 ? 0 : 3 * key;
      for (let c = 0; c < 3; c++) moved[c] = t[o + c] - from[f + c];
      rotateInto(rotationOf(reference, key), key < 0 ? 0 : 4 * key, moved, -1, local[n]);
    }
  }
  const last = local[0];
  const before = local[1];
  for (let c = 0; c < 3; c++) moved[c] = used === 2 ? last[c] + (order / 2) * (last[c] - before[c]) : last[c];
  if (!reference) out.set(moved.subarray(0, 3));
  else {
    rotateInto(reference.rotations, 4 * k, moved, 1, out);
    for (let c = 0; c < 3; c++) out[c] += reference.translations[3 * k + c];
  }
}

/** A frame that does not move. */
export function makeMovingFrame(
  keyCount: number,
  restTranslation: ArrayLike<number> = REST.translation,
  restRotation: ArrayLike<number> = REST.rotation,
): MovingFrame {
  const translations = new Float64Array(3 * keyCount);
  const rotations = new Float64Array(4 * keyCount);
  for (let k = 0; k < keyCount; k++) {
    translations.set(restTranslation, 3 * k);
    rotations.set(restRotation, 4 * k);
  }
  return {
    ...{ translations, rotations },
    restTranslation: Float64Array.from(restTranslation),
    restRotation: Float64Array.from(restRotation),
  };
}

function rotationOf(frame: MovingFrame, key: number): Float64Array {
  return key < 0 ? frame.restRotation : frame.rotations;
}

export function multiplyInto(a: Float64Array, i: number, b: Float64Array, j: number, out: Float64Array): void {
  const ax = a[i];
  const ay = a[i + 1];
  const az = a[i + 2];
  const aw = a[i + 3];
  const bx = b[j];
  const by = b[j + 1];
  const bz = b[j + 2];
  const bw = b[j + 3];
  out[0] = aw * bx + ax * bw + ay * bz - az * by;
  out[1] = aw * by - ax * bz + ay * bw + az * bx;
  out[2] = aw * bz + ax * by - ay * bx + az * bw;
  out[3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** a⁻¹ x b */
export function multiplyConjugate(a: Float64Array, i: number, b: Float64Array, j: number, out: Float64Array): void {
  const ax = -a[i];
  const ay = -a[i + 1];
  const az = -a[i + 2];
  const aw = a[i + 3];
  const bx = b[j];
  const by = b[j + 1];
  const bz = b[j + 2];
  const bw = b[j + 3];
  out[0] = aw * bx + ax * bw + ay * bz - az * by;
  out[1] = aw * by - ax * bz + ay * bw + az * bx;
  out[2] = aw * bz + ax * by - ay * bx + az * bw;
  out[3] = aw * bw - ax * bx - ay * by - az * bz;
}

export function normalizeInto(q: Float64Array): void {
  const length = Math.sqrt(dot4(q, q));
  if (length > 0) for (let c = 0; c < 4; c++) q[c] /= length;
  else q.set(REST.rotation);
}

/** Rotates a vector by a quaternion, or by its inverse (sign -1). */
function rotateInto(q: Float64Array, i: number, v: Float64Array, sign: number, out: Float64Array): void {
  const x = sign * q[i];
  const y = sign * q[i + 1];
  const z = sign * q[i + 2];
  const w = q[i + 3];
  const vx = v[0];
  const vy = v[1];
  const vz = v[2];
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  out[0] = vx + w * tx + y * tz - z * ty;
  out[1] = vy + w * ty + z * tx - x * tz;
  out[2] = vz + w * tz + x * ty - y * tx;
}

function dot4(a: Float64Array, b: Float64Array): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}
