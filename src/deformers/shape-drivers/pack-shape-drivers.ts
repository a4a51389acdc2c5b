// SPDX-License-Identifier: MIT
// OSSIFY_shape_drivers, version 1: bones driven by the weights of shapes, as stored in accessors. docs/formats/extensions/OSSIFY_shape_drivers.md is the specification.
import { NO_FACTOR, type ShapeDrivers } from '../../core/model/deformed/shape-drivers.ts';

export const SHAPE_EXTENSION = 'OSSIFY_shape_drivers';
export const SHAPE_EXTENSION_VERSION = 1;
/** Fields that are indices of accessors. */
export const SHAPE_FIELDS = ['factors', 'rowStart', 'entries', 'values', 'times', 'weights'];

/** The second factor of a linear term, as stored in 16 bits. */
export const STORED_NO_FACTOR = 0xffff;

export interface PackedDrivers {
  /** termCount x 2 */
  factors: Uint16Array<ArrayBuffer>;
  /** termCount + 1 */
  rowStart: Uint32Array<ArrayBuffer>;
  /** entryCount */
  entries: Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;
  /** entryCount */
  values: Float32Array<ArrayBuffer>;
}

/** Packs drivers: indices in as few bytes as they need. */
export function packShapeDrivers({ factors, rowStart, columns, values }: ShapeDrivers): PackedDrivers {
  const isShort = columns.every((column) => column < 2 ** 16);
  return {
    factors: Uint16Array.from(factors, (shape) => (shape === NO_FACTOR ? STORED_NO_FACTOR : shape)),
    rowStart: Uint32Array.from(rowStart),
    entries: isShort ? Uint16Array.from(columns) : Uint32Array.from(columns),
    values: Float32Array.from(values),
  };
}
