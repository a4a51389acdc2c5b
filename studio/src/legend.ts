// SPDX-License-Identifier: MIT
// The scale of the heat map, on the page and in exported pictures.
import { heatGradient, heatStops } from './colorings.ts';
import { find, h } from './dom.ts';
import { formatNumber, unitFor } from './format.ts';
import type { Painter } from './painter.ts';
import type { Studio } from './studio.ts';

const TICKS = [0, 0.25, 0.5, 0.75, 1];
/** Pixels from the top of the legend to its bar, and of the bar. */
const TOP = 22;
const HEIGHT = 168;

/** The texts of the scale from bottom to top; undefined if no heat map is shown. */
function listTicks(studio: Studio, painter: Painter): string[] | undefined {
  const top = painter.heatTop;
  if (!painter.isHeat || top <= 0 || studio.isWaiting) return undefined;
  const { name, perUnit } = unitFor(top, studio.metresPerUnit);
  return TICKS.map((ratio) => `${formatNumber(top * ratio * perUnit)}${ratio === 1 ? ` ${name}` : ''}`);
}

export function showLegend(studio: Studio, painter: Painter): void {
  const legend = find('#legend');
  const ticks = listTicks(studio, painter);
  legend.hidden = ticks === undefined;
  if (!ticks) return;
  const bar = h('div', { class: 'bar' });
  bar.style.background = heatGradient();
  const marks = ticks.map((text, n) => {
    const tick = h('span', { class: 'tick' }, text);
    tick.style.top = `${TOP + (1 - TICKS[n]) * HEIGHT}px`;
    return tick;
  });
  legend.replaceChildren(h('b', {}, 'Distance'), bar, ...marks);
}

/** Draws the legend into a picture of the viewport. */
export function drawLegend(context: CanvasRenderingContext2D, studio: Studio, painter: Painter, ratio: number): void {
  const ticks = listTicks(studio, painter);
  if (!ticks) return;
  context.save();
  context.scale(ratio, ratio);
  const gradient = context.createLinearGradient(0, 12 + TOP + HEIGHT, 0, 12 + TOP);
  for (const [n, color] of heatStops().entries()) gradient.addColorStop(n / (heatStops().length - 1), color);
  context.fillStyle = gradient;
  context.fillRect(12, 12 + TOP, 12, HEIGHT);
  context.fillStyle = '#e8eaed';
  context.shadowColor = '#000';
  context.shadowBlur = 3;
  context.textBaseline = 'middle';
  context.font = '600 12px system-ui, sans-serif';
  context.fillText('Distance', 12, 20);
  context.font = '12px system-ui, sans-serif';
  ticks.forEach((text, n) => {
    context.fillText(text, 31, 12 + TOP + (1 - TICKS[n]) * HEIGHT);
  });
  context.restore();
}
