// SPDX-License-Identifier: MIT
// Transforms of a prim: xformOpOrder lists operations from the outermost to the innermost.

import { compose, IDENTITY, invertAffine, multiply } from '../../../core/math/mat4.ts';
import { normalizeQuaternion } from '../../../core/math/quaternion.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import type { UsdPrim } from '../syntax/usd-layer.ts';
import { numbersOf, textsOf } from '../syntax/usd-values-at.ts';

const RESET = '!resetXformStack!';
const INVERT = '!invert!';

/** Whether a prim ignores the transforms above it. */
export function resetsTransforms(prim: UsdPrim): boolean {
  return textsOf(prim, 'xformOpOrder').includes(RESET);
}

/** Time codes of the samples of all operations, rising. */
export function listTransformTimes(prim: UsdPrim): number[] {
  const times = new Set<number>();
  for (const op of textsOf(prim, 'xformOpOrder'))
    for (const time of prim.properties.get(op.replace(INVERT, ''))?.samples?.times ?? []) times.add(time);
  return [...times].sort((a, b) => a - b);
}

/** The local matrix, column-major. */
export function localMatrixAt(prim: UsdPrim, time?: number): Float64Array {
  const matrix = Float64Array.from(IDENTITY);
  for (const op of textsOf(prim, 'xformOpOrder')) {
    if (op === RESET) continue;
    const isInverted = op.startsWith(INVERT);
    const name = isInverted ? op.slice(INVERT.length) : op;
    const own = operationMatrix(prim, name, time);
    if (isInverted && !invertAffine(own, own))
      throw new FormatError('usd', 'value', `${name} of ${quoteName(prim.name)} cannot be inverted`);
    multiply(matrix, own, matrix);
  }
  return matrix;
}

function operationMatrix(prim: UsdPrim, name: string, time?: number): Float64Array {
  const kind = name.split(':')[1] ?? '';
  const value = numbersOf(prim, name, time);
  const out = Float64Array.from(IDENTITY);
  if (!value) return out;
  const rotation = /^rotate([XYZ]+)$/.exec(kind);
  if (rotation) {
    // the first letter is applied first
    [...rotation[1]].forEach((axis, n) => {
      const turn = axisRotation('XYZ'.indexOf(axis), (value[n] * Math.PI) / 180);
      multiply(turn, out, out);
    });
    return out;
  }
  switch (kind) {
    case 'translate':
      out.set(value.subarray(0, 3), 12);
      return out;
    case 'scale':
      for (let c = 0; c < 3; c++) out[5 * c] = value[value.length === 1 ? 0 : c];
      return out;
    case 'orient':
      return quaternionMatrix(value);
    case 'transform':
      if (value.length === 16) out.set(value);
      return out;
    default:
      throw new FormatError('usd', 'unsupported', `the transform operation ${quoteName(name)} is not supported`);
  }
}

function axisRotation(axis: number, angle: number): Float64Array {
  const out = Float64Array.from(IDENTITY);
  const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
  out[5 * i] = out[5 * j] = Math.cos(angle);
  out[4 * i + j] = Math.sin(angle);
  out[4 * j + i] = -Math.sin(angle);
  return out;
}

/** The rotation of a quaternion x y z w of any length; the identity for zero. */
function quaternionMatrix(q: ArrayLike<number>): Float64Array {
  const out = new Float64Array(16);
  const unit = new Float64Array(4);
  normalizeQuaternion(q, unit);
  compose([0, 0, 0], unit, [1, 1, 1], out);
  return out;
}

const TRS = ['translate', 'orient', 'scale'];

/** Translation, rotation x y z w and scale of a prim whose operations are just these, in this order; undefined for others. */
export function plainTransformAt(
  prim: UsdPrim,
  time?: number,
): { translation: Float64Array; rotation: Float64Array; scale: Float64Array } | undefined {
  const order = textsOf(prim, 'xformOpOrder').filter((op) => op !== RESET);
  let place = -1;
  const out = {
    translation: new Float64Array(3),
    rotation: Float64Array.of(0, 0, 0, 1),
    scale: new Float64Array(3).fill(1),
  };
  for (const op of order) {
    const kind = op.startsWith(INVERT) ? -1 : TRS.indexOf(op.split(':')[1] ?? '');
    const value = numbersOf(prim, op, time);
    if (kind <= place || !value || value.length < (kind === 1 ? 4 : 3)) return undefined;
    place = kind;
    if (kind === 1) normalizeQuaternion(value, out.rotation);
    else out[kind === 0 ? 'translation' : 'scale'].set(value.subarray(0, 3));
  }
  return out;
}
