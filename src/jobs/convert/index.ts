// SPDX-License-Identifier: MIT

export { CONVERT_DEFAULTS, type ConvertOptions, type ConvertResult, type ConvertSource, convert } from './convert.ts';
export { convertJob } from './convert-job.ts';
export {
  CONVERT_SHAPES_DEFAULTS,
  type ConvertShapesOptions,
  type ConvertShapesResult,
  convertShapes,
  driveShapes,
  listShapes,
} from './convert-shapes.ts';
export { writeDrivenShapes } from './write-driven-shapes.ts';
