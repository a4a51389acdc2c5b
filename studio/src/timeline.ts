// SPDX-License-Identifier: MIT
// Play, stop and step; plots the error of each frame on the same axis. A click selects a frame.
import uPlot from 'uplot';
import { h, icon, perFrame } from './dom.ts';
import { formatNumber, unitFor } from './format.ts';
import type { Studio } from './studio.ts';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];
export const PLOT_COLORS = { median: '#6db3ff', quartiles: '#6db3ff44', rms: '#ff9a4d', max: '#ff6b62' };
const AXIS = {
  stroke: '#a3abb6',
  grid: { stroke: '#2c3138', width: 1 },
  ticks: { stroke: '#3a4048', width: 1, size: 4 },
  font: '11px system-ui',
};

export function makeTimeline(studio: Studio, root: HTMLElement): void {
  const step = (by: number) => () => {
    studio.state.isPlaying = false;
    studio.setFrame(studio.state.frame + by);
  };
  const play = h(
    'button',
    { id: 'play', title: 'Play (Space)', 'aria-label': 'Play', onclick: () => togglePlay(studio) },
    icon('play'),
  );
  const loop = h(
    'button',
    { title: 'Loop', 'aria-label': 'Loop', onclick: () => studio.set({ isLooping: !studio.state.isLooping }, 'frame') },
    icon('loop'),
  );
  const slider = h('input', {
    type: 'range',
    min: 0,
    step: 1,
    value: 0,
    'aria-label': 'Frame',
    oninput: () => {
      studio.state.isPlaying = false;
      studio.setFrame(Number(slider.value));
    },
  });
  const speed = h(
    'select',
    { title: 'Speed', 'aria-label': 'Speed', onchange: () => studio.set({ speed: Number(speed.value) }, 'frame') },
    ...SPEEDS.map((value) => h('option', { value, selected: value === 1 }, `${value}×`)),
  );
  const motion = h('select', {
    title: 'Animation',
    'aria-label': 'Animation',
    onchange: () => studio.setMotion(Number(motion.value)),
  });
  const clock = h('output');
  const plot = h('div', { id: 'plot' });
  root.append(
    h(
      'div',
      { class: 'transport' },
      h('button', { title: 'One frame back (←)', 'aria-label': 'One frame back', onclick: step(-1) }, icon('back')),
      play,
      h('button', { title: 'One frame on (→)', 'aria-label': 'One frame on', onclick: step(1) }, icon('on')),
      loop,
      slider,
      clock,
      speed,
      motion,
    ),
    plot,
  );
  const drawPlot = makeErrorPlot(studio, plot);

  const update = perFrame(() => {
    const { state, shown, frameCount } = studio;
    const times = shown?.motions[state.motion]?.times;
    slider.max = String(Math.max(0, frameCount - 1));
    slider.value = String(state.frame);
    slider.disabled = frameCount < 2;
    play.replaceChildren(icon(state.isPlaying ? 'pause' : 'play'));
    play.setAttribute('aria-label', state.isPlaying ? 'Pause' : 'Play');
    play.disabled = frameCount < 2;
    loop.setAttribute('aria-pressed', String(state.isLooping));
    clock.textContent = times ? `${state.frame} / ${frameCount - 1} · ${times[state.frame]?.toFixed(2) ?? '0'} s` : '';
  });
  const updateMotions = (): void => {
    const motions = studio.shown?.motions ?? [];
    motion.replaceChildren(...motions.map(({ name }, n) => h('option', { value: n }, name)));
    motion.value = String(studio.state.motion);
    motion.hidden = motions.length < 2;
  };
  studio.on(['frame', 'shown'], update);
  studio.on(['shown'], updateMotions);
  studio.on(['comparison', 'shown'], drawPlot);
  updateMotions();
  update();
}

export function togglePlay(studio: Studio): void {
  const { state, frameCount } = studio;
  if (frameCount < 2) return;
  const isAtEnd = state.frame >= frameCount - 1;
  studio.set({ isPlaying: !state.isPlaying, ...(isAtEnd && !state.isPlaying ? { frame: 0 } : {}) }, 'frame');
}

/** Advances the time; called before each drawing. */
export function makeClock(studio: Studio): (now: number) => void {
  let last = 0;
  let time = 0;
  return (now) => {
    const seconds = Math.min(0.25, (now - last) / 1000);
    last = now;
    const { state } = studio;
    const times = studio.shown?.motions[state.motion]?.times;
    if (!state.isPlaying || !times || times.length < 2) {
      time = times?.[state.frame] ?? 0;
      return;
    }
    const end = times[times.length - 1];
    const beat = (end - times[0]) / (times.length - 1);
    time += seconds * state.speed;
    if (time > end + beat) {
      if (state.isLooping) time = times[0] + ((time - times[0]) % (end - times[0] + beat));
      else {
        state.isPlaying = false;
        time = end;
      }
    }
    let k = state.frame;
    if (times[k] > time) k = 0;
    while (k + 1 < times.length && times[k + 1] <= time) k++;
    if (k !== state.frame || !state.isPlaying) {
      const kept = time;
      studio.setFrame(k);
      time = kept;
    }
  };
}

function makeErrorPlot(studio: Studio, root: HTMLElement): () => void {
  const nothing = h(
    'div',
    { class: 'nothing' },
    'The error of each frame appears here once there is a result to compare.',
  );
  const head = h('div', { class: 'playhead', hidden: true });
  root.append(nothing, head);
  let chart: uPlot | undefined;
  const place = perFrame(() => {
    head.hidden = !chart;
    if (!chart) return;
    const { left, top, height } = chart.bbox;
    const ratio = devicePixelRatio;
    head.style.cssText = `left:${left / ratio + chart.valToPos(studio.state.frame, 'x')}px;top:${top / ratio}px;height:${height / ratio}px`;
  });
  const draw = perFrame(() => {
    chart?.destroy();
    chart = undefined;
    root.querySelector('.key')?.remove();
    const { comparison } = studio;
    nothing.hidden = comparison !== undefined;
    if (comparison) {
      const metres = studio.metresPerUnit;
      const { name, perUnit } = unitFor(comparison.max, metres);
      chart = makeChart(studio, root, comparison.perFrame, name, perUnit);
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
  studio.on(['frame'], place);
  return draw;
}

type PerFrame = NonNullable<Studio['comparison']>['perFrame'];

function makeChart(studio: Studio, root: HTMLElement, perFrameError: PerFrame, unit: string, perUnit: number): uPlot {
  const scale = (values: Float64Array): number[] => Array.from(values, (value) => value * perUnit);
  const { q1, q3, median, rms, max } = perFrameError;
  const frames = Array.from(max, (_, k) => k);
  const plain = { points: { show: false } };
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
      { ...AXIS, size: 20, gap: 1 },
      {
        ...AXIS,
        size: 66,
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
  void studio;
  return new uPlot(options, [frames, scale(q1), scale(q3), scale(max), scale(rms), scale(median)], root);
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
