// SPDX-License-Identifier: MIT
import { DRIVER_OUTPUTS, NO_FACTOR, type ShapeDrivenSkin } from '../../core/model/deformed/shape-drivers.ts';

/** Drivers of a face as plain JSON, by name. */
export interface ShapeDriversFile {
  version: 1;
  form: 'matrix' | 'rotation';
  shapes: string[];
  /** Bones with their bind matrices, column-major. */
  bones: { name: string; bindMatrix: number[] }[];
  /** By term: the names of one or two shapes, and for each bone that it moves, the index and value of its outputs. */
  terms: { shapes: string[]; bones: Record<string, [output: number, value: number][]> }[];
}

/**
 * Lists the drivers of a face, for tools that read JSON.
 * @example
 * ```ts
 * import { listShapeDrivers } from 'ossify';
 *
 * const { terms } = listShapeDrivers(face);
 * ```
 */
export function listShapeDrivers({ drivers, skeleton }: ShapeDrivenSkin): ShapeDriversFile {
  const { shapes, form, factors, rowStart, columns, values } = drivers;
  const size = DRIVER_OUTPUTS[form];
  const terms = Array.from({ length: rowStart.length - 1 }, (_, n) => {
    const bones: Record<string, [number, number][]> = {};
    for (let e = rowStart[n]; e < rowStart[n + 1]; e++) {
      const name = skeleton.names[Math.floor(columns[e] / size)];
      bones[name] = [...(bones[name] ?? []), [columns[e] % size, values[e]]];
    }
    const named = [factors[2 * n], factors[2 * n + 1]].filter((shape) => shape !== NO_FACTOR);
    return { shapes: named.map((shape) => shapes[shape]), bones };
  });
  const bones = skeleton.names.map((name, j) => ({
    name,
    bindMatrix: [...skeleton.bindMatrices.subarray(16 * j, 16 * j + 16)],
  }));
  return { version: 1, form, shapes, bones, terms };
}
