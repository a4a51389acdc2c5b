// SPDX-License-Identifier: MIT

import { type Clip, frameOf } from '../core/model/clip/clip.ts';
import { InputError } from '../core/model/errors.ts';
import { type ContactSheetOptions, makeContactSheet } from './contact-sheet.ts';
import type { Image } from './image/image.ts';
import { type RenderOptions, renderView, type Scene } from './render.ts';
import { fitCamera, suggestHeight } from './scene/camera.ts';
import { formatNumber } from './scene/heat-colors.ts';

/** Options of renderFrames. */
export interface RenderFramesOptions extends Omit<RenderOptions, 'camera'>, ContactSheetOptions {
  /** Frame indices. Default: up to eight, evenly spread from the first to the last. */
  frames?: readonly number[];
  /** What the scene of a frame has besides its positions and triangles: colours, bones. */
  decorate?: (k: number) => Partial<Scene>;
  /** Width of each frame in pixels. Default 320. */
  width?: number;
  /** Height of each frame in pixels. Default: from the proportions of the shape. */
  height?: number;
}

/**
 * Draws frames of a clip side by side, through one camera that sees all of them.
 * @example
 * ```ts
 * import { renderFrames, writePng } from 'ossify/draw';
 *
 * const png = writePng(renderFrames(clip, { frames: [0, 10, 20], title: clip.name }));
 * ```
 */
export function renderFrames(clip: Clip, options: RenderFramesOptions = {}): Image {
  const frameCount = clip.times.length;
  const { width = 320 } = options;
  const frames = options.frames ?? spreadFrames(frameCount, 8);
  for (const k of frames) {
    if (!(Number.isInteger(k) && k >= 0 && k < frameCount)) {
      throw new InputError('renderFrames', `frame ${k} is not one of the clip's ${frameCount} (the first is 0)`);
    }
  }
  const fit = options.fit ?? clip.positions;
  const height = options.height ?? suggestHeight(fit, [options.view ?? 'three-quarter'], width, options.up);
  const camera = fitCamera(fit, { width, height, view: options.view, up: options.up });
  const cells = frames.map((k) => {
    const scene = { positions: frameOf(clip, k), triangles: clip.mesh.triangles, ...options.decorate?.(k) };
    return {
      image: renderView(scene, { ...options, width, height, camera }),
      caption: `frame ${k} · ${formatNumber(clip.times[k])} s`,
    };
  });
  return makeContactSheet(cells, options);
}

/** At most count frames, from the first to the last, as evenly as whole numbers allow. */
export function spreadFrames(frameCount: number, count: number): number[] {
  const n = Math.min(frameCount, count);
  if (n === 1) return [0];
  return Array.from({ length: n }, (_, m) => Math.round((m * (frameCount - 1)) / (n - 1)));
}
