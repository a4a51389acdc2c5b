// SPDX-License-Identifier: MIT
/**
 * Pictures of meshes, without a GPU or a browser. `docs/draw.md` lists the same functions.
 *
 * @module ossify/draw
 */
export { type BoneLineOptions, type BoneLines, boneLines } from './draw/bone-lines.ts';
export { type Camera, type CameraOptions, fitCamera, type Vector, type View, type ViewName } from './draw/camera.ts';
export type { Rgb, ThemeName } from './draw/color.ts';
export type { ColorMapName } from './draw/color-maps.ts';
export { type ContactSheetOptions, makeContactSheet, type SheetCell } from './draw/contact-sheet.ts';
export { type ErrorPageInput, makeErrorPage, type PageMetric } from './draw/error-page.ts';
export { type HeatColors, type HeatOptions, type HeatScale, heatColors } from './draw/heat-colors.ts';
export type { Image } from './draw/image.ts';
export type { SceneLine, ScenePoint } from './draw/overlay.ts';
export { makePlot, type Plot, type PlotBand, type PlotFrame, type PlotInput, type PlotSeries } from './draw/plot.ts';
export { type RenderOptions, renderView, type Scene } from './draw/render.ts';
export { type Comparison, type RenderComparisonOptions, renderComparison } from './draw/render-comparison.ts';
export { type RenderFramesOptions, renderFrames } from './draw/render-frames.ts';
export { type RenderViewsOptions, renderViews } from './draw/render-views.ts';
export { virtualBonePoints } from './draw/virtual-bone-points.ts';
export { labelColors, type WeightColorOptions, weightColors } from './draw/weight-colors.ts';
export { type WriteApngOptions, writeApng } from './draw/write-apng.ts';
export { writePng } from './draw/write-png.ts';
