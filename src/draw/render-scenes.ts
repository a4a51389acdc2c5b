// SPDX-License-Identifier: MIT
import { joinArrays } from '../core/math/join-arrays.ts';
import type { UpAxis } from '../core/model/asset.ts';
import { UsageError } from '../core/model/errors.ts';
import { makeContactSheet, type SheetCell } from './contact-sheet.ts';
import type { Image } from './image/image.ts';
import { renderView, type Scene } from './render.ts';
import { fitCameras } from './render-views.ts';
import type { ViewName } from './scene/camera.ts';
import type { HeatScale } from './scene/heat-colors.ts';

/** Scenes with their captions. */
export interface DrawnScenes {
  scenes: { scene: Scene; caption: string }[];
  /** Present if colours show errors and some are not zero. */
  scale?: HeatScale;
}

/** Options of renderScenes. */
export interface RenderScenesOptions {
  views: readonly ViewName[];
  /** Size of each picture in pixels. Default: 640x480 for one picture, 400x400 for several. */
  size?: { width: number; height: number };
  background: 'light' | 'dark' | 'transparent';
  wireframe?: boolean;
  /** Opacity of surfaces, 0 to 1. */
  opacity: number;
  up: UpAxis;
  /** Columns of a sheet. Default: one per view with several views, otherwise approximately square. */
  columns?: number;
}

/** Maximum pixels of a sheet: 64 pictures of 1024x1024, which take 800 MB while they are drawn. */
const MAX_PIXELS = 2 ** 26;

/** Renders one picture, or a sheet of them: with several views, one row per scene. One camera per view sees all scenes. */
export function renderScenes({ scenes, scale }: DrawnScenes, options: RenderScenesOptions): Image {
  const { views, background, wireframe, opacity, up } = options;
  const pictures = scenes.length * views.length;
  const isSingle = pictures === 1;
  const { width, height } = options.size ?? (isSingle ? { width: 640, height: 480 } : { width: 400, height: 400 });
  if (pictures * width * height > MAX_PIXELS) {
    throw new UsageError(
      'draw',
      `${pictures} pictures of ${width}x${height} are too large for one file; draw fewer or smaller ones`,
    );
  }
  const transparent = background === 'transparent';
  if (transparent && !(isSingle && !scale)) {
    throw new UsageError('--background transparent', 'requires a single picture without a scale');
  }
  const theme = background === 'dark' ? 'dark' : 'light';
  const cameras = fitCameras(joinArrays(scenes.map(({ scene }) => Float32Array.from(scene.positions))), views, {
    width,
    height,
    up,
  });
  const cells: SheetCell[] = scenes.flatMap(({ scene, caption }) =>
    views.map((view, n) => ({
      image: renderView(scene, { width, height, camera: cameras[n], theme, transparent, wireframe, opacity }),
      caption: views.length > 1 ? (scenes.length > 1 ? `${caption}, ${view}` : view) : caption,
    })),
  );
  if (isSingle && !scale) return cells[0].image;
  return makeContactSheet(cells, {
    theme,
    scale,
    ...(views.length > 1 && scenes.length > 1 ? { columns: views.length } : {}),
    ...(options.columns === undefined ? {} : { columns: options.columns }),
  });
}
