// SPDX-License-Identifier: MIT

import { type ContactSheetOptions, makeContactSheet } from './contact-sheet.ts';
import type { Image } from './image/image.ts';
import { type RenderOptions, renderView, type Scene } from './render.ts';
import { type Camera, fitCamera, suggestHeight, type View, zoomCamera } from './scene/camera.ts';

/** Options of renderViews. */
export interface RenderViewsOptions extends Omit<RenderOptions, 'view' | 'camera'>, ContactSheetOptions {
  /** Default front, side and three-quarter. */
  views?: readonly View[];
  /** Width of each view in pixels. Default 400. */
  width?: number;
  /** Height of each view in pixels. Default: from the proportions of the shape. */
  height?: number;
}

const DEFAULT_VIEWS: readonly View[] = ['front', 'side', 'three-quarter'];

/**
 * Draws a scene from several sides in a row, all to one scale.
 * @example
 * ```ts
 * import { renderViews, weightColors, writePng } from 'ossify/draw';
 *
 * const { positions, triangles } = mesh;
 * const png = writePng(renderViews({ positions, triangles, colors: weightColors(skin) }, { views: ['front', 'side'] }));
 * ```
 */
export function renderViews(scene: Scene, options: RenderViewsOptions = {}): Image {
  const { views = DEFAULT_VIEWS, width = 400 } = options;
  const fit = options.fit ?? scene.positions;
  const height = options.height ?? suggestHeight(fit, views, width, options.up);
  const cameras = fitCameras(fit, views, { width, height, up: options.up });
  const cells = views.map((view, n) => ({
    image: renderView(scene, { ...options, width, height, camera: cameras[n] }),
    caption: typeof view === 'string' ? view : `from ${view.join(' ')}`,
  }));
  return makeContactSheet(cells, options);
}

/** Cameras for several views of the same points, all at the scale of the tightest. */
export function fitCameras(
  points: ArrayLike<number>,
  views: readonly View[],
  options: { width: number; height: number; up?: 'x' | 'y' | 'z' },
): Camera[] {
  const cameras = views.map((view) => fitCamera(points, { ...options, view }));
  const scale = Math.min(...cameras.map((camera) => camera.scale));
  return cameras.map((camera) => zoomCamera(camera, scale, options.width, options.height));
}
