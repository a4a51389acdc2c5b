// SPDX-License-Identifier: MIT
export { listCageShapes } from './cage-shapes.ts';
export type { DrivenFace, FindBones } from './face-input.ts';
export type { DrivenError } from './measure-driven.ts';
export { type MeasuredFace, measureFace, orderTracks } from './measure-face.ts';
export { facesMethod } from './method.ts';
export { defaultTransforms, FACE_BONES, FACE_OPTIONS, type FaceOptions } from './options.ts';
export { EXAMPLE_KINDS, type ExampleKind, type FaceShapes, joinShapes } from './shape-examples.ts';
