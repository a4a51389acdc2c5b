// SPDX-License-Identifier: MIT
// Fitted numbers as sparse drivers.
import { quaternionFromMatrix, rotationVectorFromQuaternion } from '../../../core/math/quaternion.ts';
import {
  DRIVER_OUTPUTS,
  type DriverForm,
  NO_FACTOR,
  type ShapeDrivers,
} from '../../../core/model/deformed/shape-drivers.ts';

/**
 * Makes drivers of linear terms; zeros are not stored.
 * @param outputs shapeCount x boneCount x outputs of the form
 */
export function makeLinearDrivers(shapes: string[], form: DriverForm, outputs: Float64Array): ShapeDrivers {
  const width = outputs.length / shapes.length;
  const rowStart = new Uint32Array(shapes.length + 1);
  const columns: number[] = [];
  const values: number[] = [];
  for (let s = 0; s < shapes.length; s++) {
    for (let c = 0; c < width; c++) {
      const value = Math.fround(outputs[s * width + c]);
      if (value === 0) continue;
      columns.push(c);
      values.push(value);
    }
    rowStart[s + 1] = values.length;
  }
  const factors = Uint32Array.from({ length: 2 * shapes.length }, (_, e) => (e % 2 === 0 ? e / 2 : NO_FACTOR));
  return { shapes, form, factors, rowStart, columns: Uint32Array.from(columns), values: Float32Array.from(values) };
}

/**
 * Rows of [A t] by coordinate as outputs by bone.
 * @param entries (3 shapeCount) x 4 boneCount
 */
export function outputsOfEntries(entries: Float64Array, boneCount: number): Float64Array {
  const outputs = new Float64Array(entries.length);
  const n = 4 * boneCount;
  for (let e = 0; e < entries.length; e++) {
    const row = Math.floor(e / n);
    const [s, r, j, c] = [Math.floor(row / 3), row % 3, Math.floor((e % n) / 4), e % 4];
    outputs[(s * boneCount + j) * 12 + 4 * r + c] = entries[e];
  }
  return outputs;
}

/**
 * Translation, rotation vector and scale of bones that rotate and scale along the axes of their bind matrices.
 * @param matrices shapeCount x boneCount x 16: rest to posed
 * @param bindMatrices boneCount x 16; the axes have unit length
 */
export function outputsOfBones(matrices: Float64Array, bindMatrices: Float64Array): Float64Array {
  const boneCount = bindMatrices.length / 16;
  const outputs = new Float64Array((matrices.length / 16) * DRIVER_OUTPUTS.rotation);
  const turned = new Float64Array(9);
  const rotation = new Float64Array(16);
  const q = new Float64Array(4);
  for (let b = 0; b * 16 < matrices.length; b++) {
    const [m, f, o] = [16 * b, 16 * (b % boneCount), DRIVER_OUTPUTS.rotation * b];
    // M F = R F diag(1 + s)
    for (let e = 0; e < 3; e++) {
      let square = 0;
      for (let r = 0; r < 3; r++) {
        let sum = 0;
        for (let c = 0; c < 3; c++) sum += matrices[m + 4 * c + r] * bindMatrices[f + 4 * e + c];
        turned[3 * e + r] = sum;
        square += sum * sum;
      }
      const length = Math.sqrt(square) || 1;
      outputs[o + 6 + e] = length - 1;
      for (let r = 0; r < 3; r++) turned[3 * e + r] /= length;
    }
    rotation.fill(0);
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++)
        for (let e = 0; e < 3; e++) rotation[4 * c + r] += turned[3 * e + r] * bindMatrices[f + 4 * e + c];
    rotation[15] = 1;
    quaternionFromMatrix(rotation, q);
    rotationVectorFromQuaternion(q, outputs, 0, o + 3);
    for (let r = 0; r < 3; r++) {
      let moved = matrices[m + 12 + r] - bindMatrices[f + 12 + r];
      for (let c = 0; c < 3; c++) moved += matrices[m + 4 * c + r] * bindMatrices[f + 12 + c];
      outputs[o + r] = moved;
    }
  }
  return outputs;
}
