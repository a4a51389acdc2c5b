// SPDX-License-Identifier: MIT
/**
 * Pictures of meshes, without a GPU or a browser. `docs/draw.md` lists the same functions.
 *
 * @module ossify/draw
 */

export { type ContactSheetOptions, makeContactSheet, type SheetCell } from '../draw/contact-sheet.ts';
export { type ErrorPageInput, makeErrorPage, type PageMetric } from '../draw/error-page.ts';
export type { Rgb, ThemeName } from '../draw/image/color.ts';
export type { ColorMapName } from '../draw/image/color-maps.ts';
export type { Image } from '../draw/image/image.ts';
export {
  makePlot,
  type Plot,
  type PlotBand,
  type PlotFrame,
  type PlotInput,
  type PlotSeries,
} from '../draw/image/plot.ts';
export { type WriteApngOptions, writeApng } from '../draw/image/write-apng.ts';
export { writePng } from '../draw/image/write-png.ts';
export { type RenderOptions, renderView, type Scene } from '../draw/render.ts';
export { type Comparison, type RenderComparisonOptions, renderComparison } from '../draw/render-comparison.ts';
export { type RenderFramesOptions, renderFrames } from '../draw/render-frames.ts';
export { type RenderViewsOptions, renderViews } from '../draw/render-views.ts';
export { type BoneLineOptions, type BoneLines, boneLines } from '../draw/scene/bone-lines.ts';
export {
  type Camera,
  type CameraOptions,
  fitCamera,
  type Vector,
  type View,
  type ViewName,
} from '../draw/scene/camera.ts';
export { type HeatColors, type HeatOptions, type HeatScale, heatColors } from '../draw/scene/heat-colors.ts';
export type { SceneLine, ScenePoint } from '../draw/scene/overlay.ts';
export { virtualBonePoints } from '../draw/scene/virtual-bone-points.ts';
export { labelColors, type WeightColorOptions, weightColors } from '../draw/scene/weight-colors.ts';
