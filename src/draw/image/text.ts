// SPDX-License-Identifier: MIT
import type { Rgb } from './color.ts';
import { GLYPH_BASELINE, GLYPH_CAP, GLYPH_EM, GLYPHS, MISSING_GLYPH } from './glyphs.ts';
import { blendPixel, type Image } from './image.ts';

export interface TextOptions {
  /** Height of a line in pixels (capitals are 0.7 of it). Default 14. */
  size?: number;
  color?: Rgb;
  alpha?: number;
  /** Which point of the text x names. Default 'left'. */
  align?: 'left' | 'center' | 'right';
  /** Stroke width as a share of the size. Default 0.085. */
  weight?: number;
}

/** Straight pieces per curved span: smooth up to about 60 pixels. */
const CURVE_STEPS = 6;

/** Space added after each character, glyph units. */
const TRACKING = 0.8;

interface Outline {
  advance: number;
  /** segmentCount x 4: x0, y0, x1, y1 in glyph units, y up from the baseline */
  segments: number[];
}

/** Width in pixels that drawText will take. */
export function measureText(text: string, size = 14): number {
  let units = 0;
  for (const character of plain(text)) units += TRACKING + Number.parseInt((GLYPHS[character] ?? MISSING_GLYPH)[0], 36);
  return (units * size) / GLYPH_EM;
}

/** Draws one line of text, y being the baseline. Accents are dropped and unknown characters are boxes. */
export function drawText(image: Image, text: string, x: number, y: number, options: TextOptions = {}): void {
  const size = options.size ?? 14;
  const color = options.color ?? [0, 0, 0];
  const unit = size / GLYPH_EM;
  const half = Math.max(0.55, (size * (options.weight ?? 0.085)) / 2);
  const width = measureText(text, size);
  let pen = x - (options.align === 'center' ? width / 2 : options.align === 'right' ? width : 0);
  const outlines = new Map<string, Outline>();
  for (const character of plain(text)) {
    let outline = outlines.get(character);
    if (!outline) {
      outline = readGlyph(GLYPHS[character] ?? MISSING_GLYPH);
      outlines.set(character, outline);
    }
    drawOutline(image, outline.segments, { pen, baseline: y, unit, half, color, alpha: options.alpha ?? 1 });
    pen += outline.advance * unit;
  }
}

/** The text cut with an ellipsis so that it fits a width in pixels. */
export function fitText(text: string, width: number, size = 14): string {
  if (measureText(text, size) <= width) return text;
  const characters = plain(text);
  while (characters.length > 0 && measureText(`${characters.join('')}…`, size) > width) characters.pop();
  return `${characters.join('')}…`;
}

/** Height of capitals in pixels, to center text on something. */
export function capHeight(size = 14): number {
  return (size * (GLYPH_CAP - GLYPH_BASELINE)) / GLYPH_EM;
}

/** Where and how an outline is drawn: its left end, its line, pixels per glyph unit, half of the width, and the colour. */
interface Stroke {
  pen: number;
  baseline: number;
  unit: number;
  half: number;
  color: Rgb;
  alpha: number;
}

function drawOutline(image: Image, segments: number[], { pen, baseline, unit, half, color, alpha }: Stroke): void {
  let x0 = Infinity;
  let x1 = -Infinity;
  let y0 = Infinity;
  let y1 = -Infinity;
  for (let s = 0; s < segments.length; s += 2) {
    x0 = Math.min(x0, pen + segments[s] * unit);
    x1 = Math.max(x1, pen + segments[s] * unit);
    y0 = Math.min(y0, baseline - segments[s + 1] * unit);
    y1 = Math.max(y1, baseline - segments[s + 1] * unit);
  }
  if (!(x1 >= x0)) return;
  const border = half + 1;
  const right = Math.min(image.width - 1, Math.ceil(x1 + border));
  const bottom = Math.min(image.height - 1, Math.ceil(y1 + border));
  for (let py = Math.max(0, Math.floor(y0 - border)); py <= bottom; py++) {
    for (let px = Math.max(0, Math.floor(x0 - border)); px <= right; px++) {
      const gx = (px + 0.5 - pen) / unit;
      const gy = (baseline - py - 0.5) / unit;
      let nearest = Infinity;
      for (let s = 0; s < segments.length; s += 4) {
        const dx = segments[s + 2] - segments[s];
        const dy = segments[s + 3] - segments[s + 1];
        const ex = gx - segments[s];
        const ey = gy - segments[s + 1];
        const square = dx * dx + dy * dy;
        const t = square > 0 ? Math.min(1, Math.max(0, (ex * dx + ey * dy) / square)) : 0;
        nearest = Math.min(nearest, (ex - t * dx) ** 2 + (ey - t * dy) ** 2);
      }
      const cover = half + 0.5 - Math.sqrt(nearest) * unit;
      if (cover > 0) blendPixel(image, px, py, color, alpha * Math.min(1, cover));
    }
  }
}

function readGlyph(code: string): Outline {
  const [advance, ...strokes] = code.split(' ');
  const segments: number[] = [];
  for (const stroke of strokes) {
    const points: number[] = [];
    for (let n = 1; n + 1 < stroke.length; n += 2) {
      points.push(Number.parseInt(stroke[n], 36), Number.parseInt(stroke[n + 1], 36) - GLYPH_BASELINE);
    }
    const line = stroke[0] === '-' ? points : curve(points, stroke[0] === 'o');
    for (let n = 0; n + 3 < line.length; n += 2) segments.push(line[n], line[n + 1], line[n + 2], line[n + 3]);
  }
  return { advance: TRACKING + Number.parseInt(advance, 36), segments };
}

/** Quadratic B-spline as a chain of points: each control point bends the curve between the midpoints beside it. */
function curve(points: number[], isClosed: boolean): number[] {
  const count = points.length / 2;
  const middle = (n: number, c: number) => (points[2 * (n % count) + c] + points[2 * ((n + 1) % count) + c]) / 2;
  const out: number[] = isClosed ? [middle(count - 1, 0), middle(count - 1, 1)] : [points[0], points[1]];
  const first = isClosed ? 0 : 1;
  const last = isClosed ? count - 1 : count - 2;
  for (let n = first; n <= last; n++) {
    const x0 = out[out.length - 2];
    const y0 = out[out.length - 1];
    const isEnd = !isClosed && n === last;
    const x2 = isEnd ? points[2 * n + 2] : middle(n, 0);
    const y2 = isEnd ? points[2 * n + 3] : middle(n, 1);
    for (let s = 1; s <= CURVE_STEPS; s++) {
      const t = s / CURVE_STEPS;
      const a = (1 - t) * (1 - t);
      const b = 2 * t * (1 - t);
      out.push(a * x0 + b * points[2 * n] + t * t * x2, a * y0 + b * points[2 * n + 1] + t * t * y2);
    }
  }
  return out;
}

/** Characters to draw: curly quotes straightened, accents taken off, control characters as spaces. */
function plain(text: string): string[] {
  const marks = /\p{Mark}/u;
  return [
    ...text
      .normalize('NFD')
      .replace(/[‘’]/g, "'")
      .replace(/[“”]/g, '"')
      .replace(/\p{Cc}/gu, ' '),
  ].filter((character) => !marks.test(character));
}
