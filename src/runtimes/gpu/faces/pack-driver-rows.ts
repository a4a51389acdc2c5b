// SPDX-License-Identifier: MIT
import { DRIVER_OUTPUTS, type ShapeDrivers } from '../../../core/model/deformed/shape-drivers.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';

/**
 * Drivers of shapes without gaps, as the kernels read them: term x 3 x bone x 4 floats, then 4 x bone x 4: origins and axes of the bind matrices. A vector of a term is a row of the
 * matrix, or three of the nine outputs of the form 'rotation'.
 */
export function packDriverRows(
  { rowStart, columns, values, form }: ShapeDrivers,
  { names, bindMatrices }: Skeleton,
): Uint32Array {
  const boneCount = names.length;
  const size = DRIVER_OUTPUTS[form];
  const perVector = size / 3;
  const termCount = rowStart.length - 1;
  const rows = new Float32Array((3 * termCount + 4) * boneCount * 4);
  for (let n = 0; n < termCount; n++)
    for (let e = rowStart[n]; e < rowStart[n + 1]; e++) {
      const [bone, output] = [Math.floor(columns[e] / size), columns[e] % size];
      const vector = Math.floor(output / perVector);
      rows[((3 * n + vector) * boneCount + bone) * 4 + (output % perVector)] = values[e];
    }
  const binds = rows.subarray(3 * termCount * boneCount * 4);
  for (let j = 0; j < boneCount; j++)
    for (let v = 0; v < 4; v++)
      for (let r = 0; r < 3; r++) binds[(v * boneCount + j) * 4 + r] = bindMatrices[16 * j + 4 * ((v + 3) % 4) + r];
  return new Uint32Array(rows.buffer);
}
