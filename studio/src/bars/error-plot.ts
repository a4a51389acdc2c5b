// SPDX-License-Identifier: MIT
// The error of each frame, on the axis of the timeline. A click selects a frame.
import type uPlot from 'uplot';
import { h, perFrame } from '../elements/dom.ts';
import { formatNumber, unitFor } from '../elements/format.ts';
import { loadPlot } from '../elements/load-plot.ts';
import { colorOf } from '../elements/theme.ts';
import type { Studio } from '../state/studio.ts';

const PLOT_COLORS = { median: '#6db3ff', quartiles: '#6db3ff44', rms: '#ff9a4d', max: '#ff6b62' };

export function makeErrorPlot(studio: Studio, root: HTMLElement): void {
  const nothing = h(
    'div',
    { class: 'nothing' },
    'The error of each frame appears here once there is a result to compare.',
  );
  const head = h('div', { class: 'playhead', hidden: true });
  root.append(nothing, head);
  let chart: uPlot | undefined;
  let drawing = 0;
  const place = perFrame(() => {
    head.hidden = !chart;
    if (!chart) return;
    const { left, top, height } = chart.bbox;
    const ratio = devicePixelRatio;
    head.style.cssText = `left:${left / ratio + chart.valToPos(studio.state.frame, 'x')}px;top:${top / ratio}px;height:${height / ratio}px`;
  });
  const draw = perFrame(async () => {
    const own = ++drawing;
    const { comparison } = studio;
    const Plot = comparison && (await loadPlot());
    if (own !== drawing) return;
    chart?.destroy();
    chart = undefined;
    root.querySelector('.key')?.remove();
    nothing.hidden = comparison !== undefined;
    if (comparison && Plot) {
      const { name, perUnit } = unitFor(comparison.max, studio.metresPerUnit);
      chart = makeChart(Plot, root, comparison.perFrame, name, perUnit);
      root.append(makeKey());
    }
    place();
  });
  new ResizeObserver(() => {
    chart?.setSize({ width: root.clientWidth, height: root.clientHeight });
    place();
  }).observe(root);
  root.addEventListener('click', (event) => {
    if (!chart) return;
    const x = event.clientX - chart.over.getBoundingClientRect().left;
    studio.state.isPlaying = false;
    studio.setFrame(chart.posToVal(x, 'x'));
  });
  let shown: unknown;
  const update = (): void => {
    // a comparison that is under way reports often, without anything new to plot
    if (shown === studio.comparison) return;
    shown = studio.comparison;
    draw();
  };
  studio.on(['frame'], place);
  studio.on(['comparison', 'shown'], update);
  addEventListener('themechange', draw);
}

type PerFrame = NonNullable<Studio['comparison']>['perFrame'];

function makeChart(Plot: typeof uPlot, root: HTMLElement, errors: PerFrame, unit: string, perUnit: number): uPlot {
  const scale = (values: Float64Array): number[] => Array.from(values, (value) => value * perUnit);
  const { q1, q3, median, rms, max } = errors;
  const frames = Array.from(max, (_, k) => k);
  const plain = { points: { show: false } };
  const axis = {
    stroke: colorOf('--muted'),
    grid: { stroke: colorOf('--rule'), width: 1 },
    ticks: { stroke: colorOf('--rule'), width: 1, size: 4 },
    font: '11px system-ui',
  };
  const options: uPlot.Options = {
    width: Math.max(60, root.clientWidth),
    height: Math.max(60, root.clientHeight),
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    padding: [18, 12, 0, 0],
    scales: {
      x: { time: false, range: [0, Math.max(1, frames.length - 1)] },
      y: { range: (_, __, top) => [0, top * 1.08 || 1] },
    },
    axes: [
      { ...axis, size: 20, gap: 1 },
      {
        ...axis,
        size: 78,
        values: (_, ticks) =>
          ticks.map((tick, n) => `${formatNumber(tick)}${n === ticks.length - 1 ? ` ${unit}` : ''}`),
      },
    ],
    series: [
      {},
      { ...plain, stroke: 'transparent' },
      { ...plain, stroke: 'transparent' },
      { ...plain, stroke: PLOT_COLORS.max, width: 1 },
      { ...plain, stroke: PLOT_COLORS.rms, width: 1.8 },
      { ...plain, stroke: PLOT_COLORS.median, width: 1.5 },
    ],
    bands: [{ series: [2, 1], fill: PLOT_COLORS.quartiles }],
  };
  return new Plot(options, [frames, scale(q1), scale(q3), scale(max), scale(rms), scale(median)], root);
}

function makeKey(): HTMLElement {
  const entry = (color: string, text: string): HTMLElement => {
    const dot = h('i');
    dot.style.background = color;
    return h('span', {}, dot, text);
  };
  return h(
    'div',
    { class: 'key' },
    entry(PLOT_COLORS.max, 'largest'),
    entry(PLOT_COLORS.rms, 'RMS'),
    entry(PLOT_COLORS.median, 'median'),
    entry(PLOT_COLORS.quartiles, 'quartiles'),
  );
}
