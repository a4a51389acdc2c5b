// SPDX-License-Identifier: MIT
import type uPlot from 'uplot';
import { h } from '../elements/dom.ts';
import { formatNumber } from '../elements/format.ts';
import { loadPlot } from '../elements/load-plot.ts';
import { colorOf } from '../elements/theme.ts';

/** Plots the error of a running job over time. */
export function makeLivePlot(): { root: HTMLElement; update(seconds: number[], errors: number[]): void } {
  const root = h('div', { class: 'live', id: 'live', role: 'img', 'aria-label': 'Error while solving' });
  let chart: uPlot | undefined;
  let latest: [number[], number[]] | undefined;
  return {
    root,
    update(seconds, errors) {
      root.dataset.first = String(errors[0] ?? '');
      root.dataset.last = String(errors.at(-1) ?? '');
      root.dataset.count = String(errors.length);
      if (errors.length === 0) {
        latest = undefined;
        chart?.destroy();
        chart = undefined;
        return;
      }
      latest = [seconds, errors];
      void loadPlot().then((Plot) => {
        if (!latest) return;
        chart ??= makeChart(Plot, root, latest);
        chart.setData(latest);
      });
    },
  };
}

function makeChart(Plot: typeof uPlot, root: HTMLElement, data: [number[], number[]]): uPlot {
  const axis = {
    stroke: colorOf('--muted'),
    grid: { stroke: colorOf('--rule'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  return new Plot(
    {
      width: root.clientWidth || 296,
      height: 96,
      legend: { show: false },
      cursor: { show: false },
      padding: [10, 8, 0, 0],
      scales: {
        x: { time: false },
        y: {
          range: (_, low, high) => [Math.max(0, low - 0.3 * (high - low || low)), high + 0.15 * (high - low || high)],
        },
      },
      axes: [
        { ...axis, size: 20, gap: 2, values: (_, ticks) => ticks.map((tick) => `${formatNumber(tick)} s`) },
        { ...axis, size: 44, values: (_, ticks) => ticks.map((tick) => (tick ? formatNumber(tick) : '')) },
      ],
      series: [{}, { stroke: '#ff9a4d', width: 2, fill: '#ff9a4d22', points: { show: false } }],
    },
    data,
    root,
  );
}
