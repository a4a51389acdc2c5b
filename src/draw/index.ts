// SPDX-License-Identifier: MIT
export { type ContactSheetOptions, makeContactSheet, type SheetCell } from './contact-sheet.ts';
export { type ErrorPageInput, makeErrorPage, type PageMetric } from './error-page.ts';
export { escapeHtml } from './escape-html.ts';
export { type Rgb, THEMES, type ThemeName } from './image/color.ts';
export type { ColorMapName } from './image/color-maps.ts';
export type { Image } from './image/image.ts';
export { makePlot, type Plot, type PlotBand, type PlotFrame, type PlotInput, type PlotSeries } from './image/plot.ts';
export { type WriteApngOptions, writeApng } from './image/write-apng.ts';
export { writeExr } from './image/write-exr.ts';
export { writePng } from './image/write-png.ts';
export { writePng16 } from './image/write-png-16.ts';
export { type RenderOptions, renderView, type Scene } from './render.ts';
export { type Comparison, type RenderComparisonOptions, renderComparison } from './render-comparison.ts';
export { type RenderFramesOptions, renderFrames, spreadFrames } from './render-frames.ts';
export { type DrawnScenes, renderScenes } from './render-scenes.ts';
export { type RenderViewsOptions, renderViews } from './render-views.ts';
export { type BoneLineOptions, type BoneLines, boneLines } from './scene/bone-lines.ts';
export {
  type Camera,
  type CameraOptions,
  fitCamera,
  type Vector,
  VIEW_NAMES,
  type View,
  type ViewName,
} from './scene/camera.ts';
export { type HeatColors, type HeatOptions, type HeatScale, heatColors } from './scene/heat-colors.ts';
export type { SceneLine, ScenePoint } from './scene/overlay.ts';
export { virtualBonePoints } from './scene/virtual-bone-points.ts';
export { labelColors, type WeightColorOptions, weightColors } from './scene/weight-colors.ts';
export { decodeImage } from './texture/decode-image.ts';
export { makeTextureLevels } from './texture/make-texture-levels.ts';
export type { SceneLook, SceneLooks, TextureImage, TextureLevels } from './texture/texture.ts';
