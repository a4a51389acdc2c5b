// SPDX-License-Identifier: MIT
import type { Theme } from '../image/color.ts';
import { sampleColorMap } from '../image/color-maps.ts';
import { fillRectangle, type Image } from '../image/image.ts';
import { capHeight, drawText, measureText } from '../image/text.ts';
import { formatNumber, type HeatScale } from './heat-colors.ts';

export interface HeatScaleBox {
  x: number;
  y: number;
  height: number;
}

const BAR_WIDTH = 14;
const TEXT_SIZE = 13;
const TICK = 4;

/** The numbers beside the scale, from the top, with where they stand (0 bottom, 1 top). The top end is always named. */
export function listScaleLabels(scale: HeatScale): { ratio: number; text: string }[] {
  const span = scale.max - scale.min;
  const unit = scale.unit === '' ? '' : ` ${scale.unit}`;
  const labels = [{ ratio: 1, text: `${formatNumber(scale.max)}${unit}` }];
  for (const tick of [...scale.ticks].reverse()) {
    const ratio = (tick - scale.min) / span;
    // Numbers closer than this to the one above would touch it.
    if (labels[labels.length - 1].ratio - ratio > 0.09) labels.push({ ratio, text: formatNumber(tick) });
  }
  return labels;
}

/** Pixels the scale takes to the right of its x. */
export function measureHeatScale(scale: HeatScale): number {
  const numbers = listScaleLabels(scale).map((label) => measureText(label.text, TEXT_SIZE));
  return Math.ceil(Math.max(BAR_WIDTH + TICK + 5 + Math.max(...numbers), measureText(scale.label, TEXT_SIZE)));
}

/** Draws a bar of the colours with numbers to its right and the label above; the box includes the label. */
export function drawHeatScale(image: Image, scale: HeatScale, box: HeatScaleBox, theme: Theme): void {
  const top = Math.round(box.y + (scale.label === '' ? TEXT_SIZE / 2 : 2 * TEXT_SIZE));
  const height = Math.max(2, Math.round(box.y + box.height - TEXT_SIZE / 2 - top));
  const x = Math.round(box.x);
  if (scale.label !== '')
    drawText(image, scale.label, x, box.y + TEXT_SIZE * 0.8, { size: TEXT_SIZE, color: theme.ink });
  for (let row = 0; row < height; row++) {
    const color = sampleColorMap(scale.map, 1 - (row + 0.5) / height);
    fillRectangle(image, { x, y: top + row, width: BAR_WIDTH, height: 1 }, color);
  }
  for (const { ratio, text } of listScaleLabels(scale)) {
    const y = top + Math.round((1 - ratio) * (height - 1));
    fillRectangle(image, { x: x + BAR_WIDTH, y, width: TICK, height: 1 }, theme.muted);
    drawText(image, text, x + BAR_WIDTH + TICK + 4, y + 0.5 + capHeight(TEXT_SIZE) / 2, {
      size: TEXT_SIZE,
      color: theme.ink,
    });
  }
}
