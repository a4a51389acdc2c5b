// SPDX-License-Identifier: MIT
import { InputError, UsageError } from '../core/model/errors.ts';
import { THEMES, type ThemeName } from './image/color.ts';
import { type Image, makeImage, pasteImage } from './image/image.ts';
import { drawText, fitText, measureText } from './image/text.ts';
import type { HeatScale } from './scene/heat-colors.ts';
import { drawHeatScale, measureHeatScale } from './scene/heat-scale.ts';

/** One picture of a sheet. */
export interface SheetCell {
  /** The picture. */
  image: Image;
  /** One line under the picture. */
  caption?: string;
}

/** Options of makeContactSheet. */
export interface ContactSheetOptions {
  /** Number of columns. Default: one row up to four pictures, then an approximately square layout. */
  columns?: number;
  /** A line above the pictures. */
  title?: string;
  /** A line under the title, for files and figures. */
  subtitle?: string;
  /** Drawn at the right of the pictures. */
  scale?: HeatScale;
  /** Default 'light'. */
  theme?: ThemeName;
  /** Pixels between pictures and around them. Default 12. */
  gap?: number;
}

const TITLE_SIZE = 20;
const TEXT_SIZE = 14;

/**
 * Puts pictures in rows, with captions, a title and a colour scale. Cells are as large as the largest picture.
 * @example
 * ```ts
 * import { makeContactSheet, renderView } from 'ossify/draw';
 *
 * const { positions, triangles } = mesh;
 * const shaded = renderView({ positions, triangles });
 * const wires = renderView({ positions, triangles }, { wireframe: true });
 * const sheet = makeContactSheet([{ image: shaded, caption: 'shaded' }, { image: wires, caption: 'wireframe' }]);
 * ```
 */
export function makeContactSheet(cells: readonly SheetCell[], options: ContactSheetOptions = {}): Image {
  if (cells.length === 0) throw new InputError('makeContactSheet', 'there must be at least one picture');
  const columns = options.columns ?? (cells.length <= 4 ? cells.length : Math.ceil(Math.sqrt(cells.length * 1.4)));
  if (!(Number.isInteger(columns) && columns >= 1)) {
    throw new UsageError('makeContactSheet', `columns must be a whole number of at least 1, got ${columns}`);
  }
  const theme = THEMES[options.theme ?? 'light'];
  const gap = options.gap ?? 12;
  const cellWidth = Math.max(...cells.map((cell) => cell.image.width));
  const cellHeight = Math.max(...cells.map((cell) => cell.image.height));
  const captionHeight = cells.some((cell) => cell.caption) ? Math.round(TEXT_SIZE * 1.6) : 0;
  const rows = Math.ceil(cells.length / columns);
  const titleHeight = options.title ? Math.round(TITLE_SIZE * 1.5) : 0;
  const subtitleHeight = options.subtitle ? Math.round(TEXT_SIZE * 1.7) : 0;
  const headHeight = titleHeight + subtitleHeight;
  const gridWidth = Math.min(columns, cells.length) * (cellWidth + gap) - gap;
  const gridHeight = rows * (cellHeight + captionHeight + gap) - gap;
  const scaleWidth = options.scale ? measureHeatScale(options.scale) + 2 * gap : 0;
  // A title may widen the sheet up to a limit; beyond, the title is truncated.
  const wanted = Math.max(measureText(options.title ?? '', TITLE_SIZE), measureText(options.subtitle ?? '', TEXT_SIZE));
  const bodyWidth = Math.max(gridWidth + scaleWidth, Math.min(Math.ceil(wanted), 480));
  const sheet = makeImage(bodyWidth + 2 * gap, headHeight + gridHeight + 2 * gap, theme.background);

  if (options.title) {
    const text = fitText(options.title, bodyWidth, TITLE_SIZE);
    drawText(sheet, text, gap, gap + TITLE_SIZE * 0.85, { size: TITLE_SIZE, color: theme.ink, weight: 0.1 });
  }
  if (options.subtitle) {
    const text = fitText(options.subtitle, bodyWidth, TEXT_SIZE);
    drawText(sheet, text, gap, gap + titleHeight + TEXT_SIZE * 0.85, { size: TEXT_SIZE, color: theme.muted });
  }
  cells.forEach(({ image, caption }, n) => {
    const x = gap + (n % columns) * (cellWidth + gap);
    const y = gap + headHeight + Math.floor(n / columns) * (cellHeight + captionHeight + gap);
    pasteImage(sheet, image, x + ((cellWidth - image.width) >> 1), y + ((cellHeight - image.height) >> 1));
    if (!caption) return;
    const text = fitText(caption, cellWidth, TEXT_SIZE);
    const baseline = y + cellHeight + TEXT_SIZE;
    drawText(sheet, text, x + cellWidth / 2, baseline, { size: TEXT_SIZE, color: theme.muted, align: 'center' });
  });
  if (options.scale) {
    const height = Math.min(cellHeight, 420);
    const box = { x: gap + gridWidth + 2 * gap, y: gap + headHeight + (cellHeight - height) / 2, height };
    drawHeatScale(sheet, options.scale, box, theme);
  }
  return sheet;
}
