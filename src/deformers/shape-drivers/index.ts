// SPDX-License-Identifier: MIT
export { bakeShapeMotions } from './bake-shape-motions.ts';
export { createShapeRuntime, type ShapeRuntime } from './create-shape-runtime.ts';
export { decodeShapeDrivers } from './decode-shape-drivers.ts';
export { listShapeDrivers, type ShapeDriversFile } from './list-shape-drivers.ts';
export { makeDrivenSource } from './make-driven-source.ts';
export { makeShapeDriven } from './make-shape-driven.ts';
export { makeShapeDriver, type ShapeDriver } from './make-shape-driver.ts';
export { packShapeDrivers, SHAPE_EXTENSION, SHAPE_EXTENSION_VERSION, SHAPE_FIELDS } from './pack-shape-drivers.ts';
export { writeBlenderShapes } from './write-blender-shapes.ts';
