// SPDX-License-Identifier: MIT

import type { Rgb, Theme } from '../image/color.ts';
import type { Image } from '../image/image.ts';
import { drawText } from '../image/text.ts';
import { type Camera, projectInto, type Vector } from './camera.ts';
import { drawDisc, drawLine, drawRing, fillConvex, type Spot, type Stroke } from './shapes.ts';

/** A line in space, drawn on top of the mesh. */
export interface SceneLine {
  /** Start of the line, model space. */
  from: Vector;
  /** End of the line, model space. */
  to: Vector;
  /** Colour of the line. */
  color: Rgb;
  /** Pixels. Default 2; for a bone, the width at its thickest. */
  width?: number;
  /** 'line', or 'bone': a slender double pyramid, thick near its start. Default 'line'. */
  shape?: 'line' | 'bone';
}

/** A spot in space, drawn on top of the mesh. */
export interface ScenePoint {
  /** Position in model space. */
  position: Vector;
  /** Colour of the point. */
  color: Rgb;
  /** Pixels. Default 3.5. */
  radius?: number;
  /** File units: keeps the radius under a third of this length as drawn, so that crowded joints stay apart. */
  reach?: number;
  /** 'dot', or 'ring', which leaves what is under it visible. Default 'dot'. */
  shape?: 'dot' | 'ring';
  /** Text beside it. */
  label?: string;
}

/** Where a bone is thickest, from its start. */
const BONE_SHOULDER = 0.14;
/** Pixels. */
const MIN_RADIUS = 1.2;
const OUTLINE: Rgb = [0.05, 0.06, 0.08];
const EDGE: Stroke = { width: 2.4, color: OUTLINE, alpha: 0.75 };

/** Draws lines from the farthest to the nearest. */
export function drawLines(image: Image, camera: Camera, lines: readonly SceneLine[]): void {
  const ends = new Float64Array(lines.length * 6);
  for (let n = 0; n < lines.length; n++) {
    const { from, to } = lines[n];
    projectInto(camera, from[0], from[1], from[2], ends, 6 * n);
    projectInto(camera, to[0], to[1], to[2], ends, 6 * n + 3);
  }
  const nearness = lines.map((_, n) => ends[6 * n + 2] + ends[6 * n + 5]);
  for (const n of sortFarthestFirst(nearness)) {
    const [x0, y0, , x1, y1] = ends.subarray(6 * n, 6 * n + 6);
    const line = lines[n];
    if (line.shape === 'bone') drawBone(image, [x0, y0], [x1, y1], line.width ?? 9, line.color);
    else drawLine(image, [x0, y0], [x1, y1], { width: line.width ?? 2, color: line.color });
  }
}

/** Draws points from the farthest to the nearest, labels last. */
export function drawPoints(image: Image, camera: Camera, points: readonly ScenePoint[], theme: Theme): void {
  const at = new Float64Array(points.length * 3);
  for (let n = 0; n < points.length; n++) {
    const { position } = points[n];
    projectInto(camera, position[0], position[1], position[2], at, 3 * n);
  }
  const order = sortFarthestFirst(points.map((_, n) => at[3 * n + 2]));
  for (const n of order) {
    const { color, shape } = points[n];
    const radius = radiusOf(points[n], camera);
    const x = at[3 * n];
    const y = at[3 * n + 1];
    if (shape === 'ring') {
      drawRing(image, [x, y], radius, { width: 4, color: theme.background, alpha: 0.9 });
      drawRing(image, [x, y], radius, { width: 2, color });
    } else {
      drawDisc(image, x, y, radius + 1, OUTLINE, 0.75);
      drawDisc(image, x, y, radius, color);
    }
  }
  for (const n of order) {
    const { label } = points[n];
    const radius = radiusOf(points[n], camera);
    if (label) drawText(image, label, at[3 * n] + radius + 5, at[3 * n + 1] + 4, { size: 13, color: theme.ink });
  }
}

function radiusOf({ radius = 3.5, reach = Infinity }: ScenePoint, camera: Camera): number {
  return Math.min(radius, Math.max(MIN_RADIUS, (reach * camera.scale) / 3));
}

/** Indices of finite values, rising; ties by index. */
function sortFarthestFirst(nearness: number[]): number[] {
  return nearness
    .map((_, n) => n)
    .filter((n) => Number.isFinite(nearness[n]))
    .sort((a, b) => nearness[a] - nearness[b] || a - b);
}

/** Two pyramids base to base, seen from the side: one half light, one half dark. */
function drawBone(image: Image, [x0, y0]: Spot, [x1, y1]: Spot, width: number, color: Rgb): void {
  const dx = x1 - x0;
  const dy = y1 - y0;
  const length = Math.sqrt(dx * dx + dy * dy);
  if (!(length > 0)) return;
  // Short bones stay slender.
  const half = Math.min(width, 0.3 * length) / 2;
  const shoulder = Math.min(BONE_SHOULDER * length, 1.5 * width);
  const nx = (-dy / length) * half;
  const ny = (dx / length) * half;
  const sx = x0 + (dx / length) * shoulder;
  const sy = y0 + (dy / length) * shoulder;
  const left = [x0, y0, sx + nx, sy + ny, x1, y1];
  const right = [x0, y0, sx - nx, sy - ny, x1, y1];
  for (const sign of [1, -1]) {
    const middle: Spot = [sx + sign * nx, sy + sign * ny];
    drawLine(image, [x0, y0], middle, EDGE);
    drawLine(image, middle, [x1, y1], EDGE);
  }
  // The lit half is the one that faces up in the picture.
  const isLeftLit = ny < 0 || (ny === 0 && nx < 0);
  fillConvex(image, [x0, y0, sx + nx, sy + ny, x1, y1, sx - nx, sy - ny], mix(color, 0));
  fillConvex(image, isLeftLit ? left : right, mix(color, 0.22));
  fillConvex(image, isLeftLit ? right : left, mix(color, -0.28));
}

/** Lighter (towards white) or darker (towards black) by a share. */
function mix(color: Rgb, share: number): Rgb {
  const end = share > 0 ? 1 : 0;
  const t = Math.abs(share);
  return [color[0] + (end - color[0]) * t, color[1] + (end - color[1]) * t, color[2] + (end - color[2]) * t];
}
