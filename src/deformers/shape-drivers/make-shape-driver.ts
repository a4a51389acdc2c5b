// SPDX-License-Identifier: MIT
// Bones from the weights of shapes: x = Σₙ termₙ · rowₙ, then a matrix per bone (core/model/deformed/shape-drivers.ts has the formulas). The cost is one multiplication per
// stored number of the active terms, whatever the number of vertices.

import { multiply } from '../../core/math/mat4.ts';
import { DRIVER_OUTPUTS, NO_FACTOR, type ShapeDrivers } from '../../core/model/deformed/shape-drivers.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';

/** Computes bones from the weights of shapes. */
export interface ShapeDriver {
  readonly boneCount: number;
  readonly shapeCount: number;
  /**
   * Fills bones with the rest-to-posed matrices, model space.
   * @param weights shapeCount
   * @param bones boneCount x 16, column-major
   */
  driveInto(weights: ArrayLike<number>, bones: Float64Array | Float32Array): void;
  /**
   * Poses driven bones under joints: a driven bone follows its parent in the skeleton, if it has one. Other bones of a skeleton with parents are joints, which are kept.
   * @param bones boneCount x 16, column-major: rest to posed; joints are read, driven bones are written
   */
  poseInto(weights: ArrayLike<number>, bones: Float64Array): void;
}

/**
 * Makes the evaluator of drivers. It allocates nothing after that.
 * @example Pose a face by the 52 numbers of a face tracker.
 * ```ts
 * import { makeShapeDriver } from 'ossify/deform';
 *
 * const driver = makeShapeDriver(face.drivers, face.skeleton);
 * const bones = new Float64Array(16 * driver.boneCount);
 * driver.driveInto(shapeWeights, bones);
 * ```
 */
export function makeShapeDriver(
  drivers: ShapeDrivers,
  { names, bindMatrices, parents }: Pick<Skeleton, 'names' | 'bindMatrices'> & Partial<Pick<Skeleton, 'parents'>>,
): ShapeDriver {
  const { factors, rowStart, columns, values, form } = drivers;
  const boneCount = names.length;
  const size = DRIVER_OUTPUTS[form];
  const outputs = new Float64Array(size * boneCount);
  const matrix = new Float64Array(9);
  const isDriven = new Uint8Array(boneCount);
  for (const column of columns) isDriven[Math.floor(column / size)] = 1;
  const joints = parents?.some((parent) => parent >= 0) ? parents : undefined;
  const own = new Float64Array(16 * boneCount);
  return {
    poseInto(weights, bones) {
      if (!joints) {
        this.driveInto(weights, bones);
        return;
      }
      this.driveInto(weights, own);
      for (let j = 0; j < boneCount; j++) {
        if (!isDriven[j]) continue;
        const parent = joints[j];
        if (parent < 0) bones.set(own.subarray(16 * j, 16 * j + 16), 16 * j);
        else multiply(bones, own, bones, 16 * parent, 16 * j, 16 * j);
      }
    },
    boneCount,
    shapeCount: drivers.shapes.length,
    driveInto(weights, bones) {
      outputs.fill(0);
      for (let n = 0; n + 1 < rowStart.length; n++) {
        const second = factors[2 * n + 1];
        const term = weights[factors[2 * n]] * (second === NO_FACTOR ? 1 : weights[second]);
        if (term === 0) continue;
        for (let e = rowStart[n]; e < rowStart[n + 1]; e++) outputs[columns[e]] += term * values[e];
      }
      for (let j = 0; j < boneCount; j++) {
        const o = size * j;
        const [tx, ty, tz] =
          form === 'matrix' ? [outputs[o + 3], outputs[o + 7], outputs[o + 11]] : outputs.subarray(o, o + 3);
        if (form === 'matrix') matrixInto(outputs, o, matrix);
        else turnedInto(outputs, o, bindMatrices, 16 * j, matrix);
        const [cx, cy, cz] = [bindMatrices[16 * j + 12], bindMatrices[16 * j + 13], bindMatrices[16 * j + 14]];
        const b = 16 * j;
        for (let c = 0; c < 3; c++) {
          for (let r = 0; r < 3; r++) bones[b + 4 * c + r] = matrix[3 * c + r];
          bones[b + 4 * c + 3] = 0;
        }
        bones[b + 12] = cx + tx - (matrix[0] * cx + matrix[3] * cy + matrix[6] * cz);
        bones[b + 13] = cy + ty - (matrix[1] * cx + matrix[4] * cy + matrix[7] * cz);
        bones[b + 14] = cz + tz - (matrix[2] * cx + matrix[5] * cy + matrix[8] * cz);
        bones[b + 15] = 1;
      }
    },
  };
}

/** I + A, column-major. */
function matrixInto(outputs: Float64Array, o: number, m: Float64Array): void {
  for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) m[3 * c + r] = outputs[o + 4 * r + c] + (r === c ? 1 : 0);
}

/** exp(r) F diag(1 + s) Fᵀ, column-major. */
function turnedInto(outputs: Float64Array, o: number, binds: ArrayLike<number>, f: number, m: Float64Array): void {
  const [x, y, z] = [outputs[o + 3], outputs[o + 4], outputs[o + 5]];
  const angle = Math.sqrt(x * x + y * y + z * z);
  // sin(a)/a and (1 − cos(a))/a² by their series near zero
  const s = angle < 1e-4 ? 1 - (angle * angle) / 6 : Math.sin(angle) / angle;
  const h = angle < 1e-4 ? 0.5 - (angle * angle) / 24 : (1 - Math.cos(angle)) / (angle * angle);
  const r0 = 1 - h * (y * y + z * z);
  const r1 = h * x * y + s * z;
  const r2 = h * x * z - s * y;
  const r3 = h * x * y - s * z;
  const r4 = 1 - h * (x * x + z * z);
  const r5 = h * y * z + s * x;
  const r6 = h * x * z + s * y;
  const r7 = h * y * z - s * x;
  const r8 = 1 - h * (x * x + y * y);
  for (let c = 0; c < 3; c++) {
    let [a, b, d] = [0, 0, 0];
    for (let e = 0; e < 3; e++) {
      const scale = (1 + outputs[o + 6 + e]) * binds[f + 4 * e + c];
      a += scale * binds[f + 4 * e];
      b += scale * binds[f + 4 * e + 1];
      d += scale * binds[f + 4 * e + 2];
    }
    m[3 * c] = r0 * a + r3 * b + r6 * d;
    m[3 * c + 1] = r1 * a + r4 * b + r7 * d;
    m[3 * c + 2] = r2 * a + r5 * b + r8 * d;
  }
}
