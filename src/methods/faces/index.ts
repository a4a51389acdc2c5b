// SPDX-License-Identifier: MIT
export { listCageShapes } from './cage-shapes.ts';
export { coupleSkins } from './couple-skins.ts';
export { drawWeights } from './draw-weights.ts';
export { dropOutputs } from './drop-outputs.ts';
export { fitDrivers } from './fit-drivers.ts';
export { addPairTerms } from './fit-pairs.ts';
export { makeLinearDrivers, outputsOfBones, outputsOfEntries } from './make-drivers.ts';
export { type DrivenError, measureDriven } from './measure-driven.ts';
export { EXAMPLE_KINDS, type ExampleKind, type FaceShapes, joinShapes, makeShapeExamples } from './shape-examples.ts';
