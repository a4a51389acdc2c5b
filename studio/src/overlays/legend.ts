// SPDX-License-Identifier: MIT
// The scale of the heat map, on the page and in exported pictures.
import { find, h } from '../elements/dom.ts';
import { formatNumber, unitFor } from '../elements/format.ts';
import { colorOf } from '../elements/theme.ts';
import type { Studio } from '../state/studio.ts';
import { gradientOf, heatStops, weightStops } from '../viewport/colorings.ts';
import type { Painter } from '../viewport/painter.ts';

const TICKS = [0, 0.25, 0.5, 0.75, 1];
/** Pixels from the top of the legend to its bar, and of the bar. */
const TOP = 22;
const HEIGHT = 168;

interface Scale {
  title: string;
  /** From bottom to top. */
  ticks: string[];
  stops: string[];
}

/** The scale of the colours that are shown: distances, or the weight of one bone. */
function scaleOf(studio: Studio, painter: Painter): Scale | undefined {
  const { coloring, lock, bone } = studio.state;
  const top = painter.heatTop;
  if (painter.isHeat) {
    if (top <= 0 || studio.isWaiting) return undefined;
    const { name, perUnit } = unitFor(top, studio.metresPerUnit);
    const texts = TICKS.map((ratio) => `${formatNumber(top * ratio * perUnit)}${ratio === 1 ? ` ${name}` : ''}`);
    return { title: 'Distance', ticks: texts, stops: heatStops() };
  }
  if (coloring !== 'weights' || (lock < 0 && bone < 0)) return undefined;
  return { title: 'Weight', ticks: TICKS.map(String), stops: weightStops() };
}

export function showLegend(studio: Studio, painter: Painter): void {
  const legend = find('#legend');
  const scale = scaleOf(studio, painter);
  legend.hidden = scale === undefined;
  if (!scale) return;
  const bar = h('div', { class: 'bar' });
  bar.style.background = gradientOf(scale.stops);
  const marks = scale.ticks.map((text, n) => {
    const tick = h('span', { class: 'tick' }, text);
    tick.style.top = `${TOP + (1 - TICKS[n]) * HEIGHT}px`;
    return tick;
  });
  legend.replaceChildren(h('b', {}, scale.title), bar, ...marks);
}

/** Draws the legend into a picture of the viewport. */
export function drawLegend(context: CanvasRenderingContext2D, studio: Studio, painter: Painter, ratio: number): void {
  const scale = scaleOf(studio, painter);
  if (!scale) return;
  context.save();
  context.scale(ratio, ratio);
  const gradient = context.createLinearGradient(0, 12 + TOP + HEIGHT, 0, 12 + TOP);
  scale.stops.forEach((color, n) => {
    gradient.addColorStop(n / (scale.stops.length - 1), color);
  });
  context.fillStyle = gradient;
  context.fillRect(12, 12 + TOP, 12, HEIGHT);
  context.fillStyle = colorOf('--ink');
  context.shadowColor = colorOf('--halo');
  context.shadowBlur = 3;
  context.textBaseline = 'middle';
  context.font = '600 12px system-ui, sans-serif';
  context.fillText(scale.title, 12, 20);
  context.font = '12px system-ui, sans-serif';
  scale.ticks.forEach((text, n) => {
    context.fillText(text, 31, 12 + TOP + (1 - TICKS[n]) * HEIGHT);
  });
  context.restore();
}
