// SPDX-License-Identifier: MIT
// The door ossify/draw: pictures of meshes, with no GPU and no browser.
export { boneLines } from './draw/bone-lines.ts';
export { makeErrorPage } from './draw/error-page.ts';
export { heatColors } from './draw/heat-colors.ts';
export { type RenderOptions, renderView, type Scene } from './draw/render.ts';
export { renderFrames } from './draw/render-frames.ts';
export { weightColors } from './draw/weight-colors.ts';
export { writePng } from './draw/write-png.ts';
