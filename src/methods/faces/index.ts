// SPDX-License-Identifier: MIT
export { listCageShapes } from './cage-shapes.ts';
export { drawWeights } from './draw-weights.ts';
export type { DrivenFace, FindBones } from './face-input.ts';
export { facesMethod } from './faces-method.ts';
export type { DrivenError } from './measure-driven.ts';
export { measureDriven } from './measure-driven.ts';
export { type MeasuredFace, measureFace, orderTracks } from './measure-face.ts';
export { defaultTransforms, FACE_BONES, FACE_OPTIONS, type FaceOptions } from './options.ts';
export { EXAMPLE_KINDS, type ExampleKind, type FaceShapes, joinShapes } from './shape-examples.ts';
