// SPDX-License-Identifier: MIT
// The door ossify/draw: pictures of meshes, with no GPU and no browser. docs/draw.md lists the same calls.
export { boneLines } from './draw/bone-lines.ts';
export { type Camera, type CameraOptions, fitCamera } from './draw/camera.ts';
export { type ContactSheetOptions, makeContactSheet, type SheetCell } from './draw/contact-sheet.ts';
export { type ErrorPageInput, makeErrorPage } from './draw/error-page.ts';
export { heatColors } from './draw/heat-colors.ts';
export type { Image } from './draw/image.ts';
export { makePlot } from './draw/plot.ts';
export { type RenderOptions, renderView, type Scene } from './draw/render.ts';
export { renderComparison } from './draw/render-comparison.ts';
export { renderFrames } from './draw/render-frames.ts';
export { renderViews } from './draw/render-views.ts';
export { labelColors, weightColors } from './draw/weight-colors.ts';
export { writePng } from './draw/write-png.ts';
