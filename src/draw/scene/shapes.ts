// SPDX-License-Identifier: MIT
// Shapes with smooth edges: a pixel takes the share (1/2 - distance) of the colour, distance in pixels from the shape's outline,
// negative inside.
import type { Rgb } from '../image/color.ts';
import { blendPixel, type Image } from '../image/image.ts';

/** A point of a picture: x and y in pixels. */
export type Spot = readonly [x: number, y: number];

/** How an outline is drawn. */
export interface Stroke {
  /** Pixels. */
  width: number;
  color: Rgb;
  /** Default 1. */
  alpha?: number;
}

/** A line with round ends. Widths below one pixel are drawn one pixel wide and fainter. */
export function drawLine(image: Image, [x0, y0]: Spot, [x1, y1]: Spot, { width, color, alpha = 1 }: Stroke): void {
  const half = Math.max(1, width) / 2;
  const strength = alpha * Math.min(1, width);
  const dx = x1 - x0;
  const dy = y1 - y0;
  const square = dx * dx + dy * dy;
  const box = [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)] as const;
  eachPixel(image, box, half + 1, (x, y) => {
    const px = x + 0.5 - x0;
    const py = y + 0.5 - y0;
    const t = square > 0 ? Math.min(1, Math.max(0, (px * dx + py * dy) / square)) : 0;
    const ex = px - t * dx;
    const ey = py - t * dy;
    const cover = half + 0.5 - Math.sqrt(ex * ex + ey * ey);
    if (cover > 0) blendPixel(image, x, y, color, strength * Math.min(1, cover));
  });
}

/** A filled circle. */
export function drawDisc(image: Image, cx: number, cy: number, radius: number, color: Rgb, alpha = 1): void {
  eachPixel(image, [cx, cy, cx, cy], radius + 1, (x, y) => {
    const ex = x + 0.5 - cx;
    const ey = y + 0.5 - cy;
    const cover = radius + 0.5 - Math.sqrt(ex * ex + ey * ey);
    if (cover > 0) blendPixel(image, x, y, color, alpha * Math.min(1, cover));
  });
}

/** A circle of the given line width. */
export function drawRing(image: Image, [cx, cy]: Spot, radius: number, { width, color, alpha = 1 }: Stroke): void {
  eachPixel(image, [cx, cy, cx, cy], radius + width / 2 + 1, (x, y) => {
    const ex = x + 0.5 - cx;
    const ey = y + 0.5 - cy;
    const cover = width / 2 + 0.5 - Math.abs(Math.sqrt(ex * ex + ey * ey) - radius);
    if (cover > 0) blendPixel(image, x, y, color, alpha * Math.min(1, cover));
  });
}

/** A filled convex polygon, corners in either turn: x, y, x, y … */
export function fillConvex(image: Image, corners: readonly number[], color: Rgb, alpha = 1): void {
  const count = corners.length / 2;
  let area = 0;
  let x0 = Infinity;
  let y0 = Infinity;
  let x1 = -Infinity;
  let y1 = -Infinity;
  for (let n = 0; n < count; n++) {
    const m = (n + 1) % count;
    area += corners[2 * n] * corners[2 * m + 1] - corners[2 * n + 1] * corners[2 * m];
    x0 = Math.min(x0, corners[2 * n]);
    x1 = Math.max(x1, corners[2 * n]);
    y0 = Math.min(y0, corners[2 * n + 1]);
    y1 = Math.max(y1, corners[2 * n + 1]);
  }
  if (!(Math.abs(area) > 0)) return;
  const sign = Math.sign(area);
  // Inward normals and offsets of the edges.
  const edges = new Float64Array(count * 3);
  for (let n = 0; n < count; n++) {
    const m = (n + 1) % count;
    const dx = corners[2 * m] - corners[2 * n];
    const dy = corners[2 * m + 1] - corners[2 * n + 1];
    const length = Math.sqrt(dx * dx + dy * dy);
    if (!(length > 0)) continue; // an edge without length stays zero: everything is inside of it
    edges[3 * n] = (-dy / length) * sign;
    edges[3 * n + 1] = (dx / length) * sign;
    edges[3 * n + 2] = -(edges[3 * n] * corners[2 * n] + edges[3 * n + 1] * corners[2 * n + 1]);
  }
  eachPixel(image, [x0, y0, x1, y1], 1, (x, y) => {
    let cover = 1;
    for (let n = 0; n < edges.length; n += 3) {
      const inside = edges[n] * (x + 0.5) + edges[n + 1] * (y + 0.5) + edges[n + 2] + 0.5;
      if (inside < cover && (edges[n] !== 0 || edges[n + 1] !== 0)) cover = inside;
    }
    if (cover > 0) blendPixel(image, x, y, color, alpha * cover);
  });
}

function eachPixel(
  image: Image,
  [x0, y0, x1, y1]: readonly [left: number, top: number, right: number, bottom: number],
  border: number,
  visit: (x: number, y: number) => void,
): void {
  if (!Number.isFinite(x0 + y0 + x1 + y1 + border)) return;
  const left = Math.max(0, Math.floor(x0 - border));
  const right = Math.min(image.width - 1, Math.ceil(x1 + border));
  const top = Math.max(0, Math.floor(y0 - border));
  const bottom = Math.min(image.height - 1, Math.ceil(y1 + border));
  for (let y = top; y <= bottom; y++) for (let x = left; x <= right; x++) visit(x, y);
}
